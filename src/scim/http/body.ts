import express, { type RequestHandler } from 'express';
import { ScimError } from '../errors.ts';
import { type BodyLimits, limitBodies } from './limit-bodies.ts';

/** How the error handler knows a body of too many parts. */
export const TOO_MANY_PARTS = 'parts.too.many';

/** From so many bytes on reading a body takes some milliseconds. */
const LARGE_BYTES = 65_536;

/** Objects and lists in one body: a group of 100,000 people fits. */
const PARTS_MAX = 150_000;
const OBJECT = '{'.charCodeAt(0);
const LIST = '['.charCodeAt(0);

const JSON_TYPES = ['application/scim+json', 'application/json'];

/**
 * Reads JSON bodies within their limits. An empty body is left undefined for the parser of the operation to refuse; a
 * body of another type answers 415.
 * @param turnedAway is told of each body that was refused because of the others
 */
export function readJsonBody(
  limits: BodyLimits,
  turnedAway: (why: 'bodies') => void,
): RequestHandler[] {
  const parse = express.json({
    limit: limits.bytesMax,
    type: JSON_TYPES,
    strict: false,
    verify: (_req, _res, bytes) => assertFewParts(bytes),
  });
  return [refuseOtherTypes, limitBodies(limits, turnedAway), parse, endTurn];
}

/** Reading a body takes as long as it has parts, and cannot be divided. What stands in texts counts too. */
function assertFewParts(bytes: Buffer): void {
  if (bytes.length <= PARTS_MAX) return;
  let parts = 0;
  for (const byte of bytes) if (byte === OBJECT || byte === LIST) parts += 1;
  if (parts <= PARTS_MAX) return;
  const detail = `The body has more than ${PARTS_MAX} objects and lists.`;
  throw Object.assign(new Error(detail), { type: TOO_MANY_PARTS });
}

/** What is done with a large body comes in another turn than reading it, which cannot be divided. */
const endTurn: RequestHandler = (req, _res, next) => {
  const length = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (length > LARGE_BYTES) setImmediate(next);
  else next();
};

const refuseOtherTypes: RequestHandler = (req, _res, next) => {
  const length = req.headers['content-length'];
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
  if (!hasBody || isJsonType(req.headers['content-type'])) return next();
  next(new ScimError(415, 'The body has to be application/scim+json or application/json.'));
};

function isJsonType(header: string | undefined): boolean {
  const type = header?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return JSON_TYPES.includes(type);
}
