import type { RequestHandler } from 'express';
import { type AdmissionLimits, createAdmission, type TurnedAway } from '../../domain/admission.ts';
import type { Clock } from '../../domain/clock.ts';
import { assertNever } from '../../domain/errors.ts';
import { toCount } from '../../domain/text.ts';
import type { FindClosed } from '../deps.ts';
import { ScimError, unavailable } from '../errors.ts';
import { getNotes } from './notes.ts';

/** Seconds until a second's worth of the rate is free again. */
const RETRY_SECONDS = 1;

/**
 * Refuses the requests of one credential beyond its limits. To be placed behind `authenticate`.
 * @param turnedAway is called with the reason of each refusal
 * @throws ScimError 429. @see RFC 6585 §4
 */
export function limitRequests(
  limits: AdmissionLimits,
  clock: Clock,
  turnedAway: (why: TurnedAway) => void,
): RequestHandler {
  const admission = createAdmission(limits, clock);
  return (_req, res, next) => {
    const { credential: id } = getNotes(res);
    const why = admission.begin(id);
    if (why !== undefined) {
      turnedAway(why);
      return next(toTooMany(why, limits));
    }
    res.once('close', () => admission.end(id));
    next();
  };
}

function toTooMany(why: TurnedAway, { perSecond, concurrentMax }: AdmissionLimits): ScimError {
  const retry = { retryAfterSeconds: RETRY_SECONDS };
  switch (why) {
    case 'rate':
      return new ScimError(429, `More than ${toCount(perSecond, 'request')} a second.`, retry);
    case 'concurrency':
      return new ScimError(429, `More than ${toCount(concurrentMax, 'request')} at once.`, retry);
    default:
      return assertNever(why);
  }
}

/** Last handler of a route: any other method answers 405 and lists the allowed ones. @see RFC 9110 §15.5.6 */
export function allowOnly(...methods: readonly string[]): RequestHandler {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return (_req, res) => {
    res.setHeader('Allow', allowed.join(', '));
    throw new ScimError(405, `Possible here: ${methods.join(', ')}.`);
  };
}

/**
 * Stops a request that cannot be answered truthfully yet: "not found" would make a provider create duplicates.
 * @throws ScimError 503
 */
export function assertOpen(
  { findClosed }: { readonly findClosed: FindClosed },
  type: 'user' | 'group',
): void {
  const closed = findClosed(type);
  if (closed) throw unavailable(closed.detail, closed.retryAfterSeconds);
}

/** `assertOpen` in front of the routes of one type. */
export function requireOpen(
  deps: { readonly findClosed: FindClosed },
  type: 'user' | 'group',
): RequestHandler {
  return (_req, _res, next) => {
    assertOpen(deps, type);
    next();
  };
}
