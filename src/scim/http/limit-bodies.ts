import type { Request, RequestHandler } from 'express';
import { ScimError, unavailable } from '../errors.ts';

/** Limits of the size of bodies, in bytes. */
export interface BodyLimits {
  /** Each of them. */
  readonly bytesMax: number;
  /** All bodies together whose requests are not answered yet. */
  readonly totalMax: number;
}

const RETRY_SECONDS = 1;

/**
 * Refuses a body that is too large before any of it is read, and any body while too many are in memory.
 * A body without a length counts as it comes, a compressed one as the largest. One that turns out to be too large
 * is refused at once: the rest of it is dropped, and its connection closed where it does not end soon
 * (`createGuardedServer`). The parser behind this refuses a body that becomes too large by decompression.
 * @param turnedAway is called for each request that was refused because of the others
 * @throws ScimError 413, 503
 */
export function limitBodies(
  { bytesMax, totalMax }: BodyLimits,
  turnedAway: (why: 'bodies') => void,
): RequestHandler {
  let total = 0;
  return (req, res, next) => {
    const declared = toDeclared(req, bytesMax);
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
    if (isOfUnknownLength(req)) {
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

/** Size of the body by the headers of the request, in bytes. */
function toDeclared({ headers }: Request, bytesMax: number): number {
  const length = Number(headers['content-length'] ?? 0);
  const isPacked = (headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
  return isPacked ? Math.max(length, bytesMax) : length;
}

function isOfUnknownLength({ headers }: Request): boolean {
  return headers['transfer-encoding'] !== undefined;
}
