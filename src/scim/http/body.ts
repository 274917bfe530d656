import { setImmediate as nextTurn } from 'node:timers/promises';
import express, {
  type NextFunction,
  type Request,
  type RequestHandler,
  type Response,
} from 'express';
import { assertUtf8 } from '../../domain/text.ts';
import type { ScimDeps } from '../deps.ts';
import { parseJson } from '../dialect/parse-json.ts';
import { ScimError, unavailable } from '../errors.ts';

/** Largest body, in bytes. */
export const BODY_BYTES_MAX = 1_048_576;
/** Largest body about groups: 100,000 members fit. */
export const GROUP_BODY_BYTES_MAX = 8 * BODY_BYTES_MAX;

/** Any type of JSON: clients send `application/json+scim` and `text/json` too, or none. */
const JSON_TYPE = /^$|^[\w.+-]+\/(?:[\w.-]+\+)?json(?:\+[\w.-]+)?$/;

/** Creates the readers of JSON bodies of up to so many bytes. Not `express.json`: numbers are kept as they were written. @throws ScimError 400, 413, 415, 503 */
export function createBodyReaders({ policy, events }: Pick<ScimDeps, 'policy' | 'events'>) {
  const memory: Memory = { bytes: 0, bytesMax: policy.bodiesBytesMax };
  return (bytesMax: number): RequestHandler[] => {
    const read = express.text({ limit: bytesMax, type: () => true, verify: assertUtf8 });
    const admit: RequestHandler = (req, res, next) => {
      if (takeMemory(memory, bytesMax, { req, res, next })) return next();
      events.turnedAway({ reason: 'bodies' });
      const detail = 'The bodies of too many requests are being worked on. Try again shortly.';
      next(unavailable(detail, RETRY_SECONDS));
    };
    return [refuseOtherTypes, admit, read, parseText];
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
  // Refused while it came, for its size before it was decompressed.
  if (res.headersSent) return;
  const text: unknown = req.body;
  if (text === '') req.body = undefined;
  else if (typeof text === 'string') {
    req.body = parseJson(text);
    // What follows takes as long as the parser.
    await nextTurn();
  }
  next();
};

const RETRY_SECONDS = 1;

interface Memory {
  bytes: number;
  readonly bytesMax: number;
}

/** Takes memory for a body until its request is answered; false: there is too little. One without a length counts as it comes, a compressed one as the largest. */
function takeMemory(
  memory: Memory,
  bytesMax: number,
  { req, res, next }: { req: Request; res: Response; next: NextFunction },
): boolean {
  const { 'content-length': length = 0, 'content-encoding': packing = 'identity' } = req.headers;
  const isPacked = packing.toLowerCase() !== 'identity';
  let reserved = isPacked ? Math.max(Number(length), bytesMax) : Number(length);
  if (reserved > bytesMax) throw tooLarge();
  if (reserved > 0 && memory.bytes + reserved > memory.bytesMax) return false;
  memory.bytes += reserved;
  res.once('close', () => {
    memory.bytes -= reserved;
  });
  if (req.headers['transfer-encoding'] === undefined) return true;
  let came = 0;
  req.on('data', (chunk: Buffer) => {
    came += chunk.length;
    if (came > bytesMax && !res.headersSent) next(tooLarge());
    const more = Math.max(Math.min(came, bytesMax) - reserved, 0);
    reserved += more;
    memory.bytes += more;
  });
  return true;
}

function tooLarge(): ScimError {
  return new ScimError(413, 'The body is larger than the server takes.');
}
