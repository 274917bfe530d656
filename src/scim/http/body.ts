import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type RequestHandler } from 'express';
import { assertUtf8 } from '../../domain/text.ts';
import { type Turns, workInTurns } from '../../domain/turns.ts';
import { countGivenNames, countNames, parseJson } from '../dialect/parse-json.ts';
import { invalidValue, ScimError } from '../errors.ts';
import type { RepairKind } from '../repairs.ts';
import { type BodyLimits, limitBodies } from './limit-bodies.ts';
import { getRepairs } from './notes.ts';

/** Characters of a body from which on reading it takes some milliseconds. */
const LARGE_LENGTH = 65_536;
/** Most names of a body that stand twice and are counted. */
const DOUBLES_MAX = 1_000;

/** Objects and lists in one body: a group of 100,000 members fits. */
const PARTS_MAX = 150_000;
const OBJECT = '{'.charCodeAt(0);
const LIST = '['.charCodeAt(0);

const JSON_TYPES = ['application/scim+json', 'application/json'];

/**
 * Reads JSON bodies within their limits. An empty body is left undefined for the parser of the operation to refuse; a
 * body of another type or encoding answers 415, one that is not UTF-8 answers 400.
 */
export function readJsonBody(deps: BodyDeps): RequestHandler[] {
  const { bodies } = deps.policy;
  const read = express.text({ limit: bodies.bytesMax, type: JSON_TYPES, verify: assertUtf8 });
  const limit = limitBodies(bodies, deps.telemetry.turnedAway);
  return [refuseOtherTypes, limit, read, parseText(deps)];
}

/** Parts of the bridge that reading bodies needs. `turnedAway` is called for each body that was refused because of the others. */
interface BodyDeps {
  readonly policy: { readonly bodies: BodyLimits };
  readonly turns: Turns;
  readonly telemetry: {
    turnedAway(why: 'bodies'): void;
    repaired(kind: RepairKind): void;
  };
}

const refuseOtherTypes: RequestHandler = (req, _res, next) => {
  const length = req.headers['content-length'];
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
  if (!hasBody) return next();
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  if (!JSON_TYPES.includes(type.trim())) {
    return next(
      new ScimError(415, 'The body has to be application/scim+json or application/json.'),
    );
  }
  if (parameters.every(isUtf8OrNoCharset)) return next();
  next(new ScimError(415, 'The body has to be UTF-8.'));
};

/** @see RFC 8259 §8.1 */
function isUtf8OrNoCharset(parameter: string): boolean {
  const [name = '', value = ''] = parameter.split('=');
  return name.trim() !== 'charset' || /^"?utf-?8"?$/.test(value.trim());
}

function parseText(deps: BodyDeps): RequestHandler {
  return async (req, res, next) => {
    // Refused while it came, for its size before it was decompressed.
    if (res.headersSent) return;
    const text: unknown = req.body;
    if (typeof text === 'string') {
      assertFewParts(text);
      if (text === '') {
        req.body = undefined;
        return next();
      }
      const given = await workInTurns(countGivenNames(text), deps.turns);
      const body = parseJson(text);
      req.body = body;
      // Reading cannot be divided, so that is the end of the turn.
      if (text.length > LARGE_LENGTH) await nextTurn();
      const doubles = given - (await workInTurns(countNames(body), deps.turns));
      const repairs = getRepairs(deps, res);
      for (let count = 0; count < Math.min(doubles, DOUBLES_MAX); count += 1) {
        repairs.count('name-doubled');
      }
    }
    next();
  };
}

/** Limits the parts of a body, because reading it takes time for each and cannot be divided. Brackets in texts count too. */
function assertFewParts(text: string): void {
  if (text.length <= PARTS_MAX) return;
  let parts = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OBJECT || code === LIST) parts += 1;
  }
  if (parts > PARTS_MAX) {
    throw invalidValue(`The body has more than ${PARTS_MAX} objects and lists.`);
  }
}
