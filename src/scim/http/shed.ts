import type { RequestHandler } from 'express';
import type { Overload, OverloadKind } from '../../telemetry/overload.ts';
import { unavailable } from '../errors.ts';
import { sendError } from './respond.ts';

/** Seconds until another attempt: short enough to notice the end of the overload, long enough to let it end. */
const RETRY_SECONDS = 5;

/**
 * Refuses every request while the process is overloaded, before any work for it; the requests that have begun are
 * finished instead.
 * @param turnedAway is called with the reason of each refusal
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
