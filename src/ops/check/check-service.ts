import type { Clock } from '../../domain/clock.ts';
import { toCount } from '../../domain/text.ts';
import type { Settings } from '../../settings/schema.ts';
import { createDispatcher } from '../../upstream/dispatcher.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { users as currentUsers } from '../../upstream/operations/people.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { createTransport, type Transport } from '../../upstream/transport.ts';
import { getSectionRights, toRefusalRemedy } from '../state/section-rights.ts';
import {
  GROUP_LISTS,
  LISTS,
  type ListProbe,
  NIL_UID,
  type Probe,
  READING,
  readGroup,
  readSample,
} from './probes.ts';
import { toTrouble } from './trouble.ts';

/** Findings about the service, as printed by `scim-bridge check --json`. */
export interface CheckReport {
  /** False when a check failed; warnings alone leave it true. */
  readonly ok: boolean;
  readonly service: { readonly url: string; readonly apiVersion: string };
  readonly checks: readonly CheckResult[];
  /** Requests that were sent, all of them reads. */
  readonly calls: number;
}

/** One thing that has to work: `failed` keeps the bridge from its task, with a `warning` it does less. */
export interface CheckResult {
  /** Stable, for scripts. */
  readonly id: string;
  readonly title: string;
  readonly status: 'ok' | 'failed' | 'warning';
  readonly detail: string;
  /** A remedy for an operator. */
  readonly remedy?: string;
}

/** The settings of a bridge that has a service. */
export interface ServiceSettings extends Omit<Settings['upstream'], 'url' | 'token'> {
  readonly url: string;
  readonly token: string;
}

/** Parts of a check beside the settings. */
interface CheckDeps {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Hears how many of about how many requests are answered. */
  readonly told?: (part: { readonly done: number; readonly total: number }) => void;
}

/** Reads of a whole check, about. */
const READS = 13;
/** A call may sit out one pause that the service asks for, in milliseconds. */
const PAUSE_MAX_MS = 60_000;
/** Two attempts tell a hiccup from a fault while an operator waits for the answer. */
const ATTEMPTS_MAX = 2;
const CONNECT_MAX_MS = 5_000;

/**
 * Looks at a service by reads alone, at the rate that is set: connection, token, rights, page limits. Failures of the
 * service are findings of the report. Rejects only for a mistake of ours.
 */
export async function checkService(
  settings: ServiceSettings,
  { told, ...deps }: CheckDeps,
): Promise<CheckReport> {
  const { url, token, proxy, timeout, requestsPerSecond } = settings;
  const { apiVersion = 'latest' } = settings.quirks;
  const connectMs = Math.min(timeout, CONNECT_MAX_MS);
  const pool = createDispatcher({ origin: new URL(url).origin, proxy, connectMs, connections: 1 });
  let calls = 0;
  const transport = createTransport({
    ...deps,
    baseUrl: url,
    token,
    dispatcher: pool.compose((dispatch) => (options, handler) => {
      told?.({ done: calls, total: READS });
      calls += 1;
      return dispatch(options, handler);
    }),
    timeouts: { connectMs, headersMs: timeout, bodyMs: timeout, callMs: timeout + PAUSE_MAX_MS },
    inFlightMax: 1,
    attemptsMax: ATTEMPTS_MAX,
    // A second lock: no operation used here changes anything.
    hooks: { writesRefused: () => 'observe-mode' },
    apiVersion,
    requestsPerSecond,
  });
  try {
    const checks = await listChecks(transport, settings);
    const ok = checks.every(({ status }) => status !== 'failed');
    return { ok, service: { url, apiVersion }, checks, calls };
  } finally {
    await transport.close();
    await pool.destroy();
  }
}

/** Checks in the order in which they fail; those that a failure before them leaves without sense are not made. */
async function listChecks(transport: Transport, settings: ServiceSettings): Promise<CheckResult[]> {
  const account = await attempt(async () =>
    parseCompanyUser(await transport.call(currentUsers.retrieveCurrentUser, {}, READING)),
  );
  if (account.error && isOfAll(account.error)) {
    const isToken = ['credentials-refused', 'rate-limited'].includes(account.error.code);
    if (!isToken) return [toFailed('address', account.error)];
    return [toAddress(settings), toFailed('token', account.error)];
  }
  const lists: (Attempt<Sample> & { readonly list: ListProbe })[] = [];
  for (const list of LISTS) {
    lists.push({ list, ...(await attempt(() => readSample(transport, list))) });
    const isNowhere = isNotThere(account.error) && isNotThere(lists[0]?.error);
    if (isNowhere && account.error) return [toFailed('address', account.error)];
  }
  const uid = lists.find(({ value }) => value?.groupUid !== undefined)?.value?.groupUid;
  return [
    toAddress(settings),
    toToken(account),
    ...lists.map(({ list, value, error }) =>
      error ? toRefused(list, error) : toFound(list, value.words),
    ),
    ...(await checkGroup(transport, uid)),
    ...checkPageSize(
      lists.flatMap(({ value }) => value?.cutAt ?? []),
      settings,
    ),
  ];
}

type Sample = Awaited<ReturnType<typeof readSample>>;

/** Checks the rights to the people of a group; without a group one is asked for that cannot exist. */
async function checkGroup(transport: Transport, uid: string | undefined): Promise<CheckResult[]> {
  const checks: CheckResult[] = [];
  for (const probe of GROUP_LISTS) {
    const { value, error } = await attempt(() => readGroup(transport, probe, uid ?? NIL_UID));
    if (uid === undefined) checks.push(toUnproved(probe, error));
    else checks.push(error ? toRefused(probe, error) : toFound(probe, value));
  }
  return checks;
}

/** An answer of the service, or its failure. "Could not look" is never taken for an answer. */
type Attempt<T> =
  | { readonly value: T; readonly error?: undefined }
  | { readonly value?: undefined; readonly error: UpstreamError };

/** @throws what is no failure of the service: a mistake of ours */
async function attempt<T>(ask: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await ask() };
  } catch (error) {
    if (error instanceof UpstreamError) return { error };
    throw error;
  }
}

/** True when every further call would only meet the same failure. */
function isOfAll({ code, outcome, status }: UpstreamError): boolean {
  if (code === 'credentials-refused' || code === 'rate-limited') return true;
  // An answer that only the reader did not understand came without a status; it says nothing of the other calls.
  return code === 'unreadable' ? status !== undefined : outcome !== 'answered';
}

function isNotThere(error: UpstreamError | undefined): boolean {
  return error?.code === 'not-found' || error?.code === 'unreadable';
}

function toFailed(id: 'address' | 'token', error: UpstreamError): CheckResult {
  return { id, title: id, status: 'failed', ...toTrouble(error) };
}

function toAddress({ url }: ServiceSettings): CheckResult {
  const { protocol, hostname } = new URL(url);
  const row = { id: 'address', title: 'address', detail: `${url} answers` } as const;
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || isHere) return { ...row, status: 'ok' };
  return {
    ...row,
    status: 'warning',
    detail: `${row.detail} without encryption: the token and everybody's data can be read on the way`,
    remedy: 'Use https in `upstream.url`.',
  };
}

/** Names the owner of the token: the bridge must never lock that account out. */
function toToken({ value, error }: Attempt<CompanyUser>): CheckResult {
  const row = { id: 'token', title: 'token' } as const;
  if (value !== undefined) {
    return { ...row, status: 'ok', detail: `accepted, of ${describeAccount(value)}` };
  }
  const detail = `accepted; its owner stays unknown: ${toTrouble(error).detail}`;
  return { ...row, status: 'warning', detail, remedy: 'Name its owner in `protect.users`.' };
}

const ROLES: ReadonlyMap<number, string> = new Map([
  [1, 'owner of the company'],
  [2, 'user'],
  [3, 'deactivated'],
]);

function describeAccount({ id, username, email, role }: CompanyUser): string {
  const names = [email, username].filter((name) => name !== undefined).join(', ');
  const position = role === undefined ? 'role not shown' : (ROLES.get(role) ?? `role ${role}`);
  return `user ${id}${names === '' ? '' : ` (${names})`}, ${position}`;
}

function toFound({ id, title }: Probe, detail: string): CheckResult {
  return { id, title, status: 'ok', detail };
}

function toRefused({ id, title, refused, section }: Probe, error: UpstreamError): CheckResult {
  const rights = getSectionRights(section);
  const { detail, remedy } = toTrouble(error);
  const isRight = error.code === 'not-permitted';
  return {
    ...{ id, title, status: refused, detail: `${detail}; ${rights.without}` },
    remedy: isRight ? toRefusalRemedy(rights, error.status) : remedy,
  };
}

/** A group that cannot exist was asked for: that it is not found, or no proper id, is what was expected. */
function toUnproved(probe: Probe, error: UpstreamError | undefined): CheckResult {
  if (error && error.code !== 'not-found' && error.code !== 'refused') {
    return toRefused(probe, error);
  }
  const { id, title } = probe;
  const detail = 'not refused, but no group could be seen that would prove it';
  const remedy = 'Check again when a group can be seen.';
  return { id, title, status: 'warning', detail, remedy };
}

/** A page size that is too large only costs calls. */
function checkPageSize(cut: readonly number[], { pageSize }: ServiceSettings): CheckResult[] {
  const smallest = Math.min(...cut);
  if (smallest >= pageSize) return [];
  const detail = `set to ${pageSize}, and a page of ${smallest} was cut`;
  const row = { id: 'settings.pageSize', title: 'upstream.pageSize' } as const;
  return [{ ...row, status: 'warning', detail, remedy: `Set it to ${smallest}.` }];
}

/** The report as lines for a terminal. */
export function toText({ service, checks, calls }: CheckReport): string {
  const width = Math.max(...checks.map(({ title }) => title.length));
  const lines = checks.flatMap(({ status, title, detail, remedy }) => {
    const line = `${status.padEnd(7)}  ${title.padEnd(width)}  ${detail}`;
    return remedy === undefined ? [line] : [line, `${' '.repeat(width + 11)}→ ${remedy}`];
  });
  const count = (of: CheckResult['status']) => checks.filter(({ status }) => status === of).length;
  const sums = [toCount(count('failed'), 'failure'), toCount(count('warning'), 'warning')];
  const text = [
    `Service  ${service.url} (REST under /api/${service.apiVersion})\n`,
    ...[...lines, ''],
    `${sums.join(', ')}, ${toCount(calls, 'call')}.\n`,
  ];
  // Names and words of the service could otherwise command the terminal.
  return text.map((line) => line.replace(/[^\P{Cc}\n]+/gu, ' ')).join('\n');
}
