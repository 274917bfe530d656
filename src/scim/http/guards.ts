import type { RequestHandler } from 'express';
import { createAdmission } from '../../access/admission.ts';
import { toCount } from '../../domain/values.ts';
import { whenClosed } from '../../telemetry/request-context.ts';
import type { ScimDeps } from '../deps.ts';
import { ScimError, unavailable } from '../errors.ts';
import { createRequestRepairs } from '../repairs.ts';
import { getNotes, note } from './notes.ts';

/** Lets a request through with a token for SCIM, as `Bearer <token>` or, as one provider sends it, bare. @throws ScimError 401, 429 @see RFC 6750 §3 */
export function authenticate({ findCredential, attempts, events }: ScimDeps): RequestHandler {
  return async (req, res, next) => {
    const token = findToken(req.headers.authorization);
    const credential = token === undefined ? undefined : await findCredential(token, res);
    if (credential?.purpose === 'scim') {
      const { id, profile, provider } = credential;
      const repairs = createRequestRepairs(events, profile);
      note(res, { credential: id, profile, provider, repairs });
      return next();
    }
    const presented = token === undefined ? 'nothing' : 'something';
    const retryAfterSeconds = await attempts.failed(res, 'scim', presented);
    if (retryAfterSeconds !== undefined) {
      throw new ScimError(429, 'Too many requests have no valid token.', { retryAfterSeconds });
    }
    const isMissing = token === undefined;
    const problem = isMissing ? '' : ', error="invalid_token"';
    res.setHeader('WWW-Authenticate', `Bearer realm="scim"${problem}`);
    const detail = isMissing
      ? 'The request has no token in its Authorization header.'
      : 'The token in the Authorization header is not valid.';
    throw new ScimError(401, detail);
  };
}

function findToken(header: string | undefined): string | undefined {
  const text = header?.trim() ?? '';
  const token = /^bearer(?:\s+|$)/i.test(text) ? text.slice('bearer'.length).trim() : text;
  return token === '' ? undefined : token;
}

/** Seconds until a second's worth of the rate is free again. */
const RETRY_SECONDS = 1;

/** Refuses the requests of one credential beyond its limits, behind `authenticate`. @throws ScimError 429 @see RFC 6585 §4 */
export function limitRequests({ policy, clock, events, findHandling }: ScimDeps): RequestHandler {
  const { concurrentMax } = policy.requests;
  const admission = createAdmission(policy.requests, clock);
  return (_req, res, next) => {
    const { credential: id, provider } = getNotes(res);
    const perSecond = findHandling(provider).requestsPerSecond ?? policy.requests.perSecond;
    const why = admission.begin(id, perSecond);
    if (why === undefined) {
      whenClosed(res, () => admission.end(id));
      return next();
    }
    events.turnedAway({ reason: why });
    const [count, per] = why === 'rate' ? [perSecond, 'a second'] : [concurrentMax, 'at once'];
    const detail = `More than ${toCount(count, 'request')} ${per}.`;
    throw new ScimError(429, detail, { retryAfterSeconds: RETRY_SECONDS });
  };
}

/** Last handler of a route: any other method answers 405 and lists the allowed ones. @see RFC 9110 §15.5.6 */
export function allowOnly(...methods: readonly string[]): RequestHandler {
  const allowed = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  return (_req, res) => {
    res.setHeader('Allow', allowed.join(', '));
    throw new ScimError(405, `Possible here: ${methods.join(', ')}.`);
  };
}

/** Stops a request that cannot be answered truthfully yet: "not found" would make a provider create duplicates. @throws ScimError 503 */
export function assertOpen({ findClosed }: ScimDeps, type: 'user' | 'group'): void {
  const closed = findClosed(type);
  if (closed) throw unavailable(closed.detail, closed.retryAfterSeconds);
}

/** `assertOpen` in front of the routes of one type. */
export function requireOpen(deps: ScimDeps, type: 'user' | 'group'): RequestHandler {
  return (_req, _res, next) => {
    assertOpen(deps, type);
    next();
  };
}
