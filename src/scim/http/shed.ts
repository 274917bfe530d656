import type { RequestHandler } from 'express';
import type { Overload, OverloadKind } from '../../telemetry/overload.ts';
import { unavailable } from '../errors.ts';
import { sendError } from './respond.ts';

/** Short enough to find out soon that it is over, long enough to let it be over. */
const RETRY_SECONDS = 5;

/**
 * Refuses every request while the process has more to do than it can, before anything is done for it: what has begun
 * is finished instead.
 * @param turnedAway is told why, each time
 */
export function shedRequests(
  findOverload: () => Overload | undefined,
  turnedAway: (why: OverloadKind) => void,
): RequestHandler {
  return (_req, res, next) => {
    const overload = findOverload();
    if (overload === undefined) return next();
    turnedAway(overload.kind);
    sendError(res, unavailable('The bridge has more to do than it can.', RETRY_SECONDS));
  };
}
