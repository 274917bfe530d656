import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RequestHandler, Response } from 'express';
import express from 'express';
import { assertUtf8 } from '../../domain/values.ts';
import type { ScimDeps } from '../deps.ts';
import { parseJson } from '../dialect/parse-json.ts';
import { ScimError, unavailable } from '../errors.ts';
import { isRead } from './address.ts';
import { getNotes, note } from './notes.ts';

/** Largest body, in bytes. */
export const BODY_BYTES_MAX = 1_048_576;
/** Largest body about groups: 100,000 members fit. */
export const GROUP_BODY_BYTES_MAX = 8 * BODY_BYTES_MAX;

/** Any type of JSON: clients send `application/json+scim` and `text/json` too, or none. */
const JSON_TYPE = /^$|^[\w.+-]+\/(?:[\w.-]+\+)?json(?:\+[\w.-]+)?$/;

/**
 * Creates the readers of JSON bodies of up to so many bytes. One without a length counts as it comes, a compressed one as the
 * largest. Not `express.json`: numbers are kept as they were written. @throws ScimError 400, 413, 415, 503
 */
export function createBodyReaders(deps: RoomDeps) {
  const hold = createRoom(deps);
  return (bytesMax: number): RequestHandler[] => {
    const readText = express.text({ limit: bytesMax, type: () => true, verify: assertUtf8 });
    // One that was refused while it came is still read to its end: nothing follows.
    const read: RequestHandler = (req, res, next) =>
      readText(req, res, (error) => res.headersSent || next(error));
    const admit: RequestHandler = (req, res, next) => {
      const { 'content-length': length = 0, 'content-encoding': packing = '' } = req.headers;
      const isPacked = !/^(identity)?$/i.test(packing);
      const bytes = isPacked ? Math.max(Number(length), bytesMax) : Number(length);
      if (bytes > bytesMax) throw tooLarge();
      hold(res, bytes);
      let came = 0;
      const count = (chunk: Buffer) => {
        came += chunk.length;
        try {
          if (came > bytesMax) throw tooLarge();
          hold(res, came);
        } catch (error) {
          // What still comes is read, and kept by nobody.
          req.removeAllListeners('data');
          next(error);
        }
      };
      if (req.headers['transfer-encoding'] !== undefined) req.on('data', count);
      next();
    };
    return [refuseOtherTypes, admit, read, parseText];
  };
}

/** Has what a request shows count until it is read. The answer to a write is given all the same. */
export function limitAnswers(deps: RoomDeps): RequestHandler {
  const hold = createRoom(deps);
  return (req, res, next) => {
    if (isRead(req)) note(res, { hold: (bytes) => bytes > SMALL_BYTES && hold(res, bytes) });
    next();
  };
}

const refuseOtherTypes: RequestHandler = (req, _res, next) => {
  const length = req.headers['content-length'];
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  if (hasBody && !JSON_TYPE.test(type.trim())) {
    throw new ScimError(415, 'The body has to be application/scim+json or application/json.');
  }
  // RFC 8259 §8.1
  const isOther = (text: string) => /^\s*charset\s*=(?!\s*"?utf-?8"?\s*$)/.test(text);
  if (hasBody && parameters.some(isOther)) throw new ScimError(415, 'The body has to be UTF-8.');
  next();
};

const parseText: RequestHandler = async (req, res, next) => {
  const text: unknown = req.body;
  if (text === '') req.body = undefined;
  else if (typeof text === 'string') {
    const { trace } = getNotes(res);
    if (trace) trace.body = text;
    req.body = parseJson(text);
    // What follows takes as long as the parser.
    await nextTurn();
  }
  next();
};

/** Answers up to so many bytes need no room. */
const SMALL_BYTES = 65_536;

type RoomDeps = Pick<ScimDeps, 'policy' | 'events'>;

/** Share of the room that one credential takes at most: another one always finds some. */
const OWN_SHARE = 3 / 4;

/** Room for bodies: each is held until the answer to its request is read. */
function createRoom({ policy: { bodiesBytesMax }, events }: RoomDeps) {
  const held = new WeakMap<Response, number>();
  const byCredential = new Map<string, number>();
  let bytes = 0;
  const add = (credential: string, more: number) => {
    bytes += more;
    byCredential.set(credential, (byCredential.get(credential) ?? 0) + more);
    if (byCredential.get(credential) === 0) byCredential.delete(credential);
  };
  /** Has a request hold so many bytes, where it held fewer. @throws ScimError 503 */
  return (res: Response, total: number): void => {
    const before = held.get(res) ?? 0;
    if (total <= before || res.closed) return;
    const { credential } = getNotes(res);
    const more = total - before;
    const own = (byCredential.get(credential) ?? 0) + more;
    if (bytes + more > bodiesBytesMax || own > bodiesBytesMax * OWN_SHARE) {
      events.turnedAway({ reason: 'bodies' });
      throw unavailable('Too many bodies are being worked on. Try again shortly.', 1);
    }
    if (before === 0) res.once('close', () => add(credential, -(held.get(res) ?? 0)));
    held.set(res, total);
    add(credential, more);
  };
}

function tooLarge(): ScimError {
  return new ScimError(413, 'The body is larger than the server takes.');
}
