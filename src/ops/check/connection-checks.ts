import { toCount } from '../../domain/text.ts';
import type { UpstreamError } from '../../upstream/errors.ts';
import type { CompanyUser } from '../../upstream/shapes/company-user.ts';
import type { Evidence } from './evidence.ts';
import type { Look } from './look.ts';
import type { CheckResult } from './report.ts';
import { type Survey, toOtherVersion } from './survey.ts';
import { isTlsFailure, toTrouble } from './trouble.ts';

/** A probe of one thing that has to work; undefined when the evidence says nothing of it. Pure. */
export type Probe = (evidence: Evidence) => CheckResult | undefined;

/** From the address to the account, in the order in which they fail. */
export const connectionProbes: readonly Probe[] = [
  probeAddress,
  probeTls,
  probeToken,
  probeAccount,
  probeVersion,
  probeRate,
];

/** Checks that something answers at the address, and that it is the service. */
function probeAddress({ survey, settings }: Evidence): CheckResult {
  const title = 'address';
  const error = findAddressError(survey);
  if (!error) return { id: 'address', title, status: 'ok', detail: `${settings.url} answers` };
  return { id: 'address', title, status: 'failed', ...toTrouble(error) };
}

/** An answer with 401, 403 … is one; a refused connection, a failing service or another site's page is none. */
function findAddressError({ account, users }: Survey): UpstreamError | undefined {
  if (account.kind !== 'failed') return undefined;
  const { error } = account;
  if (error.code === 'credentials-refused' || error.code === 'rate-limited') return undefined;
  if (error.outcome !== 'answered') return users.kind === 'seen' ? undefined : error;
  const isNowhere = error.code === 'not-found' && users.kind === 'failed';
  return isNowhere && users.error.code === 'not-found' ? error : undefined;
}

/** Checks that the connection is encrypted; nothing is known of it without an answer. */
function probeTls({ survey: { account }, settings, traffic }: Evidence): CheckResult | undefined {
  const { protocol, hostname } = new URL(settings.url);
  const row = { id: 'tls', title: 'encryption' } as const;
  if (account.kind === 'failed' && isTlsFailure(account.error)) {
    return { ...row, status: 'failed', ...toTrouble(account.error) };
  }
  if (traffic.answers === 0) return undefined;
  if (protocol === 'https:') {
    return { ...row, status: 'ok', detail: `the certificate is valid for ${hostname}` };
  }
  if (/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)) {
    return { ...row, status: 'ok', detail: 'none, and none needed on this machine' };
  }
  const detail = "none: the token and everybody's data travel readable";
  return { ...row, status: 'warning', detail, remedy: 'Use https in `upstream.url`.' };
}

/** Checks that the service accepts the token. */
function probeToken({ survey }: Evidence): CheckResult | undefined {
  const { account, users } = survey;
  const row = { id: 'token', title: 'token' } as const;
  if (account.kind === 'failed' && account.error.code === 'credentials-refused') {
    return { ...row, status: 'failed', ...toTrouble(account.error) };
  }
  const wasTried = account.kind === 'seen' || users.kind === 'seen';
  return wasTried ? { ...row, status: 'ok', detail: 'accepted' } : undefined;
}

/** Finds the owner of the token: the bridge must never lock that account out. */
function probeAccount({ survey: { account, users } }: Evidence): CheckResult | undefined {
  const row = { id: 'account', title: 'account' } as const;
  if (account.kind === 'seen') {
    return { ...row, status: 'ok', detail: describeAccount(account.value) };
  }
  if (users.kind !== 'seen') return undefined;
  const why = account.kind === 'failed' ? toTrouble(account.error).detail : account.why;
  const remedy = "Name the token's owner in `protect.users`.";
  return { ...row, status: 'warning', detail: `whose token it is stays unknown: ${why}`, remedy };
}

function describeAccount({ id, username, email, role }: CompanyUser): string {
  const names = [email, username].filter((name) => name !== undefined).join(', ');
  const roles = new Map([
    [1, 'owner of the company'],
    [2, 'user'],
    [3, 'deactivated'],
  ]);
  const position = role === undefined ? 'role not shown' : (roles.get(role) ?? `role ${role}`);
  return `user ${id}${names === '' ? '' : ` (${names})`}, ${position}`;
}

/** Checks that REST paths are found under the version that is set. */
function probeVersion({ survey, settings }: Evidence): CheckResult | undefined {
  const { account, otherVersion, groups, company } = survey;
  const row = { id: 'version', title: 'REST version' } as const;
  const prefix = `/api/${settings.apiVersion}`;
  const rest: readonly Look<unknown>[] = [account, groups.restList, company.users, company.audit];
  if (rest.some(isThere)) return { ...row, status: 'ok', detail: `${prefix} answers` };
  if (survey.users.kind !== 'seen') return undefined;
  const other = toOtherVersion(settings.apiVersion);
  const remedy = isThere(otherVersion)
    ? `Set \`upstream.apiVersion\` to ${other}.`
    : 'Check `upstream.url`: SCIM is found there and REST is not.';
  return { ...row, status: 'failed', detail: `nothing is found under ${prefix}`, remedy };
}

function isThere(look: Look<unknown>): boolean {
  if (look.kind !== 'failed') return look.kind === 'seen';
  const { code, outcome } = look.error;
  // A token is refused before the path is looked at.
  return outcome === 'answered' && code !== 'not-found' && code !== 'credentials-refused';
}

/** Reports the rate limit that the service told while it was asked. */
function probeRate({ traffic, settings }: Evidence): CheckResult | undefined {
  if (traffic.answers === 0) return undefined;
  const row = { id: 'rate', title: 'rate limit' } as const;
  const headers = traffic.headers.length > 0 ? traffic.headers.join(', ') : 'no header tells it';
  if (traffic.rateLimited === 0) return { ...row, status: 'ok', detail: `not met; ${headers}` };
  return {
    ...row,
    status: 'warning',
    detail: `429 came ${traffic.rateLimited} × at ${toCount(settings.requestsPerSecond, 'request')} a second; ${headers}`,
    remedy: 'See who else uses this token; if nobody, lower `upstream.requestsPerSecond`.',
  };
}
