import { setImmediate as nextTurn } from 'node:timers/promises';
import express, { type RequestHandler } from 'express';
import { assertUtf8 } from '../../domain/text.ts';
import { assertQuick, parseJson } from '../dialect/parse-json.ts';
import { ScimError, unavailable } from '../errors.ts';

/** Largest body, in bytes. */
export const BODY_BYTES_MAX = 1_048_576;
/** Largest body about groups: 100,000 members fit. */
export const GROUP_BODY_BYTES_MAX = 8 * BODY_BYTES_MAX;

/** Any type of JSON: clients send `application/json+scim` and `text/json` too, or none. */
const JSON_TYPE = /^$|^[\w.+-]+\/(?:[\w.-]+\+)?json(?:\+[\w.-]+)?$/;

/** Parts of the bridge that reading bodies needs. `turnedAway` is called for each body that was refused because of the others. */
interface BodyDeps {
  readonly policy: { readonly bodiesBytesMax: number };
  readonly telemetry: {
    turnedAway(why: 'bodies'): void;
  };
}

/**
 * Creates the readers of JSON bodies of up to so many bytes. An empty body is left undefined for the parser of the
 * operation to refuse; a body of a type other than JSON or of another encoding answers 415, one that is not UTF-8 answers 400.
 * Not `express.json`: numbers are kept as they were written.
 */
export function createBodyReaders({ policy, telemetry }: BodyDeps) {
  const limitBodies = createBodyLimits(policy.bodiesBytesMax, telemetry.turnedAway);
  return (bytesMax: number): RequestHandler[] => {
    const read = express.text({ limit: bytesMax, type: () => true, verify: assertUtf8 });
    return [refuseOtherTypes, limitBodies(bytesMax), read, parseText];
  };
}

const refuseOtherTypes: RequestHandler = (req, _res, next) => {
  const length = req.headers['content-length'];
  const hasBody = req.headers['transfer-encoding'] !== undefined || Number(length ?? 0) > 0;
  if (!hasBody) return next();
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  if (!JSON_TYPE.test(type.trim())) {
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

const parseText: RequestHandler = async (req, res, next) => {
  // Refused while it came, for its size before it was decompressed.
  if (res.headersSent) return;
  const text: unknown = req.body;
  if (text === '') req.body = undefined;
  else if (typeof text === 'string') {
    assertQuick(text);
    req.body = parseJson(text);
    // What follows takes as long as the parser.
    await nextTurn();
  }
  next();
};

const RETRY_SECONDS = 1;

/**
 * Refuses a body that is too large before any of it is read, and any body while too many are in memory.
 * A body without a length counts as it comes, a compressed one as the largest. One that turns out to be too large
 * is refused at once: the rest of it is dropped, and its connection closed where it does not end soon
 * (`createGuardedServer`). The parser behind this refuses a body that becomes too large by decompression.
 * @param turnedAway is called for each request that was refused because of the others
 * @throws ScimError 413, 503
 */
function createBodyLimits(
  totalMax: number,
  turnedAway: (why: 'bodies') => void,
): (bytesMax: number) => RequestHandler {
  let total = 0;
  return (bytesMax) => (req, res, next) => {
    const { 'content-length': length = 0, 'content-encoding': packing = 'identity' } = req.headers;
    const isPacked = packing.toLowerCase() !== 'identity';
    const declared = isPacked ? Math.max(Number(length), bytesMax) : Number(length);
    if (declared > bytesMax) {
      return next(tooLarge());
    }
    if (declared > 0 && total + declared > totalMax) {
      turnedAway('bodies');
      const detail = 'The bodies of too many requests are being worked on. Try again shortly.';
      return next(unavailable(detail, RETRY_SECONDS));
    }
    let held = declared;
    total += declared;
    res.once('close', () => {
      total -= held;
    });
    if (req.headers['transfer-encoding'] !== undefined) {
      let came = 0;
      req.on('data', (chunk: Buffer) => {
        came += chunk.length;
        if (came > bytesMax && !res.headersSent) next(tooLarge());
        const more = Math.max(Math.min(came, bytesMax) - held, 0);
        held += more;
        total += more;
      });
    }
    next();
  };
}

function tooLarge(): ScimError {
  return new ScimError(413, 'The body is larger than the server takes.');
}
