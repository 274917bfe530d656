import type { RequestHandler } from 'express';
import { type Attempts, toFailedAttempt } from '../../access/attempts.ts';
import type { FindCredential } from '../../access/lookup.ts';
import { type AdmissionLimits, createAdmission, type TurnedAway } from '../../domain/admission.ts';
import type { Clock } from '../../domain/clock.ts';
import { assertNever } from '../../domain/errors.ts';
import { toCount } from '../../domain/text.ts';
import type { FindClosed } from '../deps.ts';
import { ScimError, unavailable } from '../errors.ts';
import { createRequestRepairs, type RepairKind } from '../repairs.ts';
import { getNotes, note } from './notes.ts';

/** Parts that authentication needs. */
interface AuthenticationDeps {
  readonly findCredential: FindCredential;
  readonly attempts: Pick<Attempts, 'failed'>;
  readonly telemetry: {
    /** A request with a valid token came. */
    heard(): void;
    repaired(kind: RepairKind): void;
  };
}

/**
 * Lets a request through that presents a token for SCIM, as `Bearer <token>` or, as one provider sends it, bare.
 * @throws ScimError 401 with `WWW-Authenticate`, 429; StoreError when the token could not be looked up. @see RFC 6750 §3
 */
export function authenticate({
  findCredential,
  attempts,
  telemetry,
}: AuthenticationDeps): RequestHandler {
  return async (req, res, next) => {
    const token = findToken(req.headers.authorization);
    const credential = token === undefined ? undefined : await findCredential(token);
    if (credential?.purpose === 'scim') {
      telemetry.heard();
      const { id, profile, provider } = credential;
      const repairs = createRequestRepairs(telemetry, profile);
      note(res, { credential: id, profile, provider, repairs });
      return next();
    }
    const presented = token === undefined ? 'nothing' : 'something';
    const attempt = toFailedAttempt(res, { place: 'scim', presented });
    const answer = await attempts.failed(attempt);
    if (answer.kind === 'too-many') {
      const { retryAfterSeconds } = answer;
      throw new ScimError(429, 'Too many requests have no valid token.', { retryAfterSeconds });
    }
    throw toRefusal(presented, (challenge) => res.setHeader('WWW-Authenticate', challenge));
  };
}

function toRefusal(
  presented: 'nothing' | 'something',
  setChallenge: (challenge: string) => void,
): ScimError {
  if (presented === 'nothing') {
    setChallenge('Bearer realm="scim"');
    return new ScimError(401, 'The request has no token in its Authorization header.');
  }
  setChallenge('Bearer realm="scim", error="invalid_token"');
  return new ScimError(401, 'The token in the Authorization header is not valid.');
}

function findToken(header: string | undefined): string | undefined {
  const text = header?.trim() ?? '';
  const token = /^bearer(?:\s+|$)/i.test(text) ? text.slice('bearer'.length).trim() : text;
  return token === '' ? undefined : token;
}

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
