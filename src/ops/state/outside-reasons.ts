import type { AccessFacts } from '../../access/overview.ts';
import { toCount } from '../../domain/text.ts';
import { toMoment } from '../http/moment.ts';
import type { UpstreamFacts } from './readiness-facts.ts';
import type { Reason } from './reason.ts';

/** Trouble with the service, or with the token for it. */
export function listUpstream({
  credentials,
  service,
  redirectedSinceMs,
  pausedForMs,
}: UpstreamFacts): Reason[] {
  const reasons: Reason[] = [];
  if (credentials.kind === 'shut') {
    reasons.push({
      code: 'credentials-refused',
      detail: `The service refuses the token since ${toMoment(credentials.sinceMs)}; writes are kept for later.`,
      remedy:
        'Set a new token as `upstream.token`: one in a file is read again by itself, else restart. `scim-bridge check` proves it.',
    });
  }
  if (service.kind === 'shut') {
    reasons.push({
      code: 'service-down',
      detail: `The service fails or does not answer since ${toMoment(service.sinceMs)}; writes are kept for later.`,
      remedy: 'Wait when the service is down; otherwise check network, `upstream.url` and proxy.',
    });
  }
  if (redirectedSinceMs !== undefined) {
    reasons.push({
      code: 'redirected',
      detail: `The service sends calls elsewhere (3xx) since ${toMoment(redirectedSinceMs)}: they are not followed, because the token belongs to it alone; writes are kept for later.`,
      remedy:
        'Set `upstream.url` to the address that answers itself, with https and the right host: `scim-bridge check` says where calls are sent.',
    });
  }
  if (pausedForMs > 0) {
    reasons.push({
      code: 'paused',
      detail: `The service asks for a pause of all calls, for ${toCount(Math.ceil(pausedForMs / 1_000), 'more second')}; writes are kept for later.`,
      remedy:
        'Nothing when it is rare; otherwise lower `upstream.requestsPerSecond`, or find who else uses the token.',
    });
  }
  return reasons;
}

/** Failed attempts within ten minutes that are told: more than a typing error, or a provider that tries again. */
const FAILED_MAX = 50;

/** Credentials that are missing, expire or are refused. Without names: everybody may read this. */
export function listAccess({ hasProvider, expiring, failedAttempts }: AccessFacts): Reason[] {
  return [
    ...(hasProvider ? [] : [NO_CREDENTIAL]),
    ...listExpiring(expiring),
    ...(failedAttempts < FAILED_MAX ? [] : [toFailing(failedAttempts)]),
  ];
}

const NO_CREDENTIAL: Reason = {
  code: 'no-credential',
  detail: 'No provider has a valid credential, so none can send anything.',
  remedy: '`scim-bridge token create <name>`, or `client create`, and give it to the provider.',
};

function listExpiring([first, ...others]: AccessFacts['expiring']): Reason[] {
  if (first?.expiresAt === null || first === undefined) return [];
  const count = others.length + 1;
  const what = toCount(count, 'token or secret', 'tokens or secrets');
  const when = toMoment(first.expiresAt);
  return [
    {
      code: 'credential-expires',
      detail: `${what} will expire within 30 days, or did; the first at ${when}.`,
      remedy:
        '`scim-bridge token list` and `client list` say which. Make the next one, give it to whoever uses it, then revoke this one.',
    },
  ];
}

function toFailing(failed: number): Reason {
  return {
    code: 'authentication-failing',
    detail: `${toCount(failed, 'request')} had no valid credential within ten minutes.`,
    remedy:
      '`scim-bridge status` says from where. Give the provider a valid token, or keep the stranger out in front of the bridge.',
  };
}
