import express, { type RequestHandler } from 'express';
import { ScimError } from '../errors.ts';
import { type BodyLimits, limitBodies } from './limit-bodies.ts';

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
  const parse = express.json({ limit: limits.bytesMax, type: JSON_TYPES, strict: false });
  return [refuseOtherTypes, limitBodies(limits, turnedAway), parse];
}

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
