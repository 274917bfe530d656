import type { AccessFacts } from '../access/overview.ts';
import { type Reason, toTime } from './reason.ts';

/** So many within ten minutes are told: more than somebody who mistypes, or a provider that tries again. */
const FAILED_MAX = 50;

/** Who may come in, and who tries to. Names are not told: anybody may read this. */
export function listAccess({ hasProvider, expiring, failedAttempts }: AccessFacts): Reason[] {
  return [
    ...(hasProvider ? [] : [NOBODY]),
    ...listExpiring(expiring),
    ...(failedAttempts < FAILED_MAX ? [] : [toFailing(failedAttempts)]),
  ];
}

const NOBODY: Reason = {
  code: 'no-credential',
  detail: 'No provider has a valid credential, so none can send anything.',
  remedy: '`scim-bridge token create <name>`, or `client create`, and give it to the provider.',
};

function listExpiring([first, ...others]: AccessFacts['expiring']): Reason[] {
  if (first?.expiresAt === null || first === undefined) return [];
  const count = others.length + 1;
  const what = count === 1 ? '1 token or secret' : `${count} tokens or secrets`;
  const when = toTime(first.expiresAt);
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
    detail: `${failed} requests had no valid credential within ten minutes.`,
    remedy:
      '`/ops/status` says from where. Give the provider a valid token, or keep the stranger out in front of the bridge.',
  };
}
