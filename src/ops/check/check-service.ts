import { isDeepStrictEqual } from 'node:util';
import type { Settings } from '../../settings/schema.ts';
import { UpstreamError, type UpstreamErrorCode } from '../../upstream/errors.ts';
import type { ArgsOf } from '../../upstream/operations/call-types.ts';
import type { Operation } from '../../upstream/operations/operation.ts';
import * as people from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { parseEntries } from '../../upstream/shapes/reader.ts';
import { parseGroupUsers, parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import type { Transport } from '../../upstream/transport.ts';
import { getSectionRights, toRefusalRemedy } from '../state/section-rights.ts';

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
export interface ServiceSettings extends Pick<Settings['upstream'], 'pageSize' | 'quirks'> {
  readonly url: string;
}

/** A finding before it has a title. */
type Finding = Omit<CheckResult, 'title'>;

/** Titles of checks that are not called as their ids. */
const TITLES: Readonly<Record<string, string>> = {
  users: 'people (SCIM)',
  'groups.scim': 'groups (SCIM)',
  'groups.rest': 'groups (REST)',
  companyUsers: 'company users',
  audit: 'audit log',
  members: 'group members',
  admins: 'group admins',
  'settings.pageSize': 'upstream.pageSize',
};

/** Sends one read. */
type Ask = <O extends Operation>(operation: O, args: ArgsOf<O>) => Promise<unknown>;

/**
 * Looks at a service by reads alone: connection, token, rights, page limits. Failures of the service are findings of the
 * report. Rejects only for a mistake of ours.
 */
export async function checkService(
  transport: Pick<Transport, 'call'>,
  settings: ServiceSettings,
): Promise<CheckReport> {
  const { url, quirks } = settings;
  let calls = 0;
  const afterSend = () => {
    calls += 1;
  };
  // Two attempts tell a hiccup from a fault while an operator waits for the answer.
  const ask: Ask = (operation, args) =>
    transport.call(operation, args, { class: 'look', attemptsMax: 2, afterSend });
  const findings = await listChecks(ask, settings);
  const checks = findings.map((found) => ({ ...found, title: TITLES[found.id] ?? found.id }));
  const ok = checks.every(({ status }) => status !== 'failed');
  return { ok, service: { url, apiVersion: quirks.apiVersion ?? 'latest' }, checks, calls };
}

/** A list of the service. Its id begins with the section that a right opens. */
type ListProbe = { readonly id: string; readonly parse: (item: unknown) => object } & (
  | { readonly scim: typeof scim.getUsers | typeof scim.getGroups; readonly rest?: never }
  | {
      readonly scim?: never;
      readonly rest:
        | typeof people.groups.getListOfGroups
        | typeof people.companyUsers.getListOfUsers
        | typeof people.auditLogs.retrieveAuditLogEvents;
    }
);

const LISTS: readonly ListProbe[] = [
  { id: 'users', scim: scim.getUsers, parse: parseScimUser },
  { id: 'groups.scim', scim: scim.getGroups, parse: parseScimGroup },
  { id: 'groups.rest', rest: people.groups.getListOfGroups, parse: parseRestGroup },
  { id: 'companyUsers', rest: people.companyUsers.getListOfUsers, parse: parseCompanyUser },
  { id: 'audit', rest: people.auditLogs.retrieveAuditLogEvents, parse: parseAuditEvent },
];

interface Page {
  readonly items: readonly unknown[];
  /** undefined: the list does not say. */
  readonly total?: number | undefined;
}

/** Reads so many entries behind the first `offset`. */
async function readPage(
  ask: Ask,
  { scim: operation, rest }: ListProbe,
  [offset, limit]: readonly [number, number],
): Promise<Page> {
  if (rest !== undefined)
    return { items: parseEntries('REST list', await ask(rest, { query: { offset, limit } })) };
  return parseScimList(await ask(operation, { query: { startIndex: offset + 1, count: limit } }));
}

const PEOPLE_OF_GROUP = [
  ['members', people.groupUsers.getListOfGroupUsers],
  ['admins', people.groupAdmins.getListOfGroupAdmins],
] as const;

/** Sections without which the bridge cannot do its task; without the others it does less. */
const NEEDED: readonly string[] = ['users', 'groups', 'members'];

/** Checks in the order in which they fail; those that a failure before them leaves without sense are not made. */
async function listChecks(ask: Ask, { url, pageSize }: ServiceSettings): Promise<Finding[]> {
  const address = toAddress(url);
  const account = await attempt(async () =>
    parseCompanyUser(await ask(people.users.retrieveCurrentUser, {})),
  );
  if (account.error && isOfAll(account.error)) {
    const isToken = ['credentials-refused', 'rate-limited'].includes(account.error.code);
    return isToken
      ? [address, toFailed('token', account.error)]
      : [toFailed('address', account.error)];
  }
  const lists: Finding[] = [];
  let smallest = pageSize;
  let groupUid: string | undefined;
  for (const probe of LISTS) {
    const { value, error } = await attempt(() => readSample(ask, probe, pageSize));
    const isNowhere = lists.length === 0 && isNotThere(account.error) && isNotThere(error);
    if (isNowhere && account.error) return [toFailed('address', account.error)];
    lists.push(toSeen(probe.id, error ?? value.detail));
    smallest = Math.min(smallest, value?.cutAt ?? pageSize);
    groupUid ??= value?.groupUid;
  }
  const places = PEOPLE_OF_GROUP.map(async ([id, operation]): Promise<Finding> => {
    if (groupUid === undefined) return { id, ...NO_GROUP };
    const path = { group_uid: groupUid };
    const { value, error } = await attempt(async () =>
      parseGroupUsers(await ask(operation, { path })),
    );
    return toSeen(id, error ?? `${value.length} ${id} in the group looked at`);
  });
  const checks = [address, toToken(account), ...lists, ...(await Promise.all(places))];
  if (smallest === pageSize) return checks;
  // A page size that is too large only costs calls.
  const detail = `set to ${pageSize}, and a page of ${smallest} was cut`;
  const remedy = `Set it to ${smallest}.`;
  return [...checks, { id: 'settings.pageSize', status: 'warning', detail, remedy }];
}

const NO_GROUP = {
  status: 'warning',
  detail: 'no group could be seen that would prove it',
  remedy: 'Check again when one can be seen.',
} as const;

/** Reads the first page of a list, and proves with one more call at most if the service has cut it. */
async function readSample(ask: Ask, probe: ListProbe, pageSize: number) {
  const { items, total } = await readPage(ask, probe, [0, pageSize]);
  const [first] = items.map((item) => probe.parse(item));
  const isShort = items.length > 0 && items.length < pageSize;
  const isCut =
    isShort && (total === undefined ? await goesOn(ask, probe, items) : total > items.length);
  const count = total === undefined ? `${items.length} seen` : `${total}`;
  const pages = items.length < pageSize ? 'all on one page' : `pages of ${pageSize}`;
  const uid = first && 'uid' in first ? first.uid : undefined;
  return {
    detail: `${count}; ${isCut ? `a page holds ${items.length} at most` : pages}`,
    /** Size of a page that was cut. */
    cutAt: isCut ? items.length : undefined,
    /** Of the first group of the REST interface. */
    groupUid: typeof uid === 'string' ? uid : undefined,
  };
}

/** True if an entry follows; a list that ignores the offset begins again and proves nothing. */
async function goesOn(ask: Ask, probe: ListProbe, items: readonly unknown[]): Promise<boolean> {
  const [next] = (await readPage(ask, probe, [items.length, 1])).items;
  return next !== undefined && items.every((item) => !isDeepStrictEqual(item, next));
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

function toFailed(id: 'address' | 'token', error: UpstreamError): Finding {
  return { id, status: 'failed', detail: toDetail(error), remedy: toRemedy(error) };
}

function toAddress(url: string): Finding {
  const { protocol, hostname } = new URL(url);
  const isHere = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
  if (protocol === 'https:' || isHere)
    return { id: 'address', status: 'ok', detail: `${url} answers` };
  const detail = `${url} answers without encryption: the token and all data can be read on the way`;
  return { id: 'address', status: 'warning', detail, remedy: 'Use https in `upstream.url`.' };
}

/** Names the owner of the token: the bridge must never lock that account out. */
function toToken({ value, error }: Attempt<ReturnType<typeof parseCompanyUser>>): Finding {
  const row = { id: 'token' } as const;
  if (value !== undefined) {
    const { id, username, email, role } = value;
    const names = [email, username].filter((name) => name !== undefined).join(', ');
    const position = role === 1 ? 'owner of the company' : `role ${role ?? 'not shown'}`;
    return { ...row, status: 'ok', detail: `accepted, of user ${id} (${names}), ${position}` };
  }
  const detail = `accepted; its owner stays unknown: ${toDetail(error)}`;
  return { ...row, status: 'warning', detail, remedy: 'Name its owner in `protect.users`.' };
}

/** What was found in a section, or its refusal. */
function toSeen(id: string, seen: string | UpstreamError): Finding {
  if (typeof seen === 'string') return { id, status: 'ok', detail: seen };
  const [section = ''] = id.split('.');
  const rights = getSectionRights(section);
  const isRight = seen.code === 'not-permitted';
  const remedy = isRight ? toRefusalRemedy(rights, seen.status) : toRemedy(seen);
  const status = NEEDED.includes(section) ? 'failed' : 'warning';
  return { id, status, detail: `${toDetail(seen)}; ${rights.without}`, remedy };
}

/** What a failed call means. A redirect is shown without its query: that of a sign-in holds secrets. */
function toDetail(error: UpstreamError): string {
  const { status, words, message, code } = error;
  const cause = findCauseCode(error);
  if (status === undefined) return cause === undefined ? message : `no answer (${cause})`;
  if (code !== 'redirected') return `answered ${status}${words === undefined ? '' : `: ${words}`}`;
  return `answered ${status} and sends to ${String(error.headers.location).replace(/[?#].*/s, '')}`;
}

const OTHER_ADDRESS =
  'Correct `upstream.url`: what answers there is not the service but a proxy, a login page or another site.';
const NETWORK =
  'Correct `upstream.url`, or check the network, firewalls and `upstream.proxy` between here and there.';
const CERTIFICATE =
  'Correct the host name in `upstream.url`, or name the file of the authority that issued the certificate in NODE_EXTRA_CA_CERTS.';
const REPORT =
  'The answer has a form that the bridge does not know: report it with the version of the bridge.';

const REMEDIES: Readonly<Partial<Record<UpstreamErrorCode, string>>> = {
  connection: NETWORK,
  'credentials-refused': 'Set a valid token of the service as `upstream.token`.',
  'rate-limited': 'See who else uses this token; if nobody, lower `upstream.requestsPerSecond`.',
  unavailable: 'The service has a problem of its own: try again later.',
  timeout: 'Try again; if it lasts, raise `upstream.timeout` or look at the network between.',
  redirected: OTHER_ADDRESS,
  unreadable: OTHER_ADDRESS,
  'not-found':
    'Check `upstream.url`, and apiVersion of `upstream.quirks`: this part of the service is not there.',
  'response-too-large': 'Lower `upstream.pageSize`.',
};

function toRemedy(error: UpstreamError): string {
  if (TLS.test(findCauseCode(error) ?? '')) return CERTIFICATE;
  // Only what the transport could not read has a status; the other was JSON of another form.
  if (error.code === 'unreadable' && error.status === undefined) return REPORT;
  return REMEDIES[error.code] ?? REPORT;
}

/** Codes of Node's and OpenSSL's errors; see https://nodejs.org/api/tls.html#x509-certificate-error-codes (2026-03). */
const TLS = /^(ERR_TLS|ERR_SSL|CERT_|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_|HOSTNAME_|EPROTO)/;

/** The first code down the chain of causes. */
function findCauseCode(error: UpstreamError): string | undefined {
  let cause: unknown = error.cause;
  for (let depth = 0; depth < 5 && cause instanceof Error; depth += 1) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
    cause = cause.cause;
  }
  return undefined;
}
