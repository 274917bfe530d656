import type { Clock } from '../../domain/clock.ts';
import type { Settings } from '../../settings/schema.ts';
import { createDispatcher } from '../../upstream/dispatcher.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import type { Section } from '../../upstream/operations/operation.ts';
import * as people from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { type CompanyUser, parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { parseEntries } from '../../upstream/shapes/reader.ts';
import { parseGroupUsers, parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import { createTransport, type Transport } from '../../upstream/transport.ts';
import { getSectionRights, toRefusalRemedy } from '../state/section-rights.ts';
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

interface CheckDeps {
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  /** Hears how many of about how many requests are answered. */
  readonly told?: (part: { readonly done: number; readonly total: number }) => void;
}

const READS = 13;
/** A call may sit out one pause that the service asks for, in milliseconds. */
const PAUSE_MAX_MS = 60_000;
/** Two attempts tell a hiccup from a fault while an operator waits for the answer. */
const ATTEMPTS_MAX = 2;
const CONNECT_MAX_MS = 5_000;
const READING = { class: 'look' } as const;

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

/** A list that the bridge reads, and the right that opens it. */
interface ListProbe {
  readonly id: string;
  readonly title: string;
  readonly section: Section;
  /** The status of a refused read: `failed` where the bridge cannot do its task, `warning` where it does less. */
  readonly refused: 'failed' | 'warning';
  /** Reads so many entries behind the first `offset`. */
  readonly read: (transport: Transport, offset: number, limit: number) => Promise<Page>;
  /** @throws UpstreamError `unreadable` */
  readonly parse: (item: unknown) => object;
}

interface Page {
  readonly items: readonly unknown[];
  /** undefined: the list does not say. */
  readonly total?: number | undefined;
}

const toScim = (offset: number, count: number) => ({ query: { startIndex: offset + 1, count } });
const toRest = (offset: number, limit: number) => ({ query: { offset, limit } });
const toEntries = (body: unknown): Page => ({ items: parseEntries('REST list', body) });

const LISTS: readonly ListProbe[] = [
  {
    ...{ id: 'users', title: 'people (SCIM)', section: 'users', refused: 'failed' },
    read: async (transport, ...at) =>
      parseScimList(await transport.call(scim.getUsers, toScim(...at), READING)),
    parse: parseScimUser,
  },
  {
    ...{ id: 'groups.scim', title: 'groups (SCIM)', section: 'groups', refused: 'failed' },
    read: async (transport, ...at) =>
      parseScimList(await transport.call(scim.getGroups, toScim(...at), READING)),
    parse: parseScimGroup,
  },
  {
    ...{ id: 'groups.rest', title: 'groups (REST)', section: 'groups', refused: 'failed' },
    read: async (transport, ...at) =>
      toEntries(await transport.call(people.groups.getListOfGroups, toRest(...at), READING)),
    parse: parseRestGroup,
  },
  {
    ...{ id: 'companyUsers', title: 'company users', section: 'companyUsers', refused: 'warning' },
    read: async (transport, ...at) =>
      toEntries(await transport.call(people.companyUsers.getListOfUsers, toRest(...at), READING)),
    parse: parseCompanyUser,
  },
  {
    ...{ id: 'audit', title: 'audit log', section: 'audit', refused: 'warning' },
    read: async (transport, ...at) =>
      toEntries(
        await transport.call(people.auditLogs.retrieveAuditLogEvents, toRest(...at), READING),
      ),
    parse: parseAuditEvent,
  },
];

const PEOPLE_OF_GROUP = [
  {
    ...({ id: 'members', title: 'group members', section: 'members', refused: 'failed' } as const),
    operation: people.groupUsers.getListOfGroupUsers,
  },
  {
    ...({ id: 'admins', title: 'group admins', section: 'admins', refused: 'warning' } as const),
    operation: people.groupAdmins.getListOfGroupAdmins,
  },
] as const;

/** RFC 9562 §5.9: no group has it. */
const NIL_UID = '00000000-0000-0000-0000-000000000000';

/** Checks in the order in which they fail; those that a failure before them leaves without sense are not made. */
async function listChecks(transport: Transport, settings: ServiceSettings): Promise<CheckResult[]> {
  const account = await attempt(async () =>
    parseCompanyUser(await transport.call(people.users.retrieveCurrentUser, {}, READING)),
  );
  if (account.error && isOfAll(account.error)) {
    const isToken = ['credentials-refused', 'rate-limited'].includes(account.error.code);
    if (!isToken) return [toFailed('address', account.error)];
    return [toAddress(settings), toFailed('token', account.error)];
  }
  const lists: CheckResult[] = [];
  const cut: number[] = [];
  let uid: string | undefined;
  for (const probe of LISTS) {
    const { value, error } = await attempt(() => readSample(transport, probe));
    const isNowhere = lists.length === 0 && isNotThere(account.error) && isNotThere(error);
    if (isNowhere && account.error) return [toFailed('address', account.error)];
    lists.push(error ? toRefused(probe, error) : toFound(probe, value.words));
    cut.push(...(value?.cutAt ?? []));
    uid ??= value?.groupUid;
  }
  return [
    toAddress(settings),
    toToken(account),
    ...lists,
    ...(await checkGroup(transport, uid)),
    ...checkPageSize(cut, settings),
  ];
}

/** More than any page of the service is known to hold. */
const MANY = 1_000;

/** Reads the first page of a list, and proves with one more call at most whether the service has cut it. */
async function readSample(transport: Transport, probe: ListProbe) {
  const { items, total } = await readFirst(transport, probe);
  const [first] = items.map((item) => probe.parse(item));
  const isShort = items.length > 0 && items.length < MANY;
  const isCut = isShort && (total ?? (await countOn(transport, probe, items))) > items.length;
  const count = total === undefined ? `${items.length} seen` : `${total}`;
  const limit = items.length < MANY ? 'all on one page' : `no page limit up to ${MANY}`;
  const uid = first && 'uid' in first ? first.uid : undefined;
  return {
    words: `${count}; ${isCut ? `a page holds ${items.length} at most` : limit}`,
    /** Size of a page that was cut. */
    cutAt: isCut ? [items.length] : [],
    /** Of the first group of the REST interface. */
    groupUid: typeof uid === 'string' ? uid : undefined,
  };
}

/** An answer that is larger than the limit of the settings is asked for with fewer entries. */
async function readFirst(transport: Transport, probe: ListProbe): Promise<Page> {
  for (let asked = MANY; ; asked = Math.floor(asked / 10)) {
    const { value, error } = await attempt(() => probe.read(transport, 0, asked));
    if (value !== undefined) return value;
    if (error.code !== 'response-too-large' || asked <= 1) throw error;
  }
}

/** Entries with the one that follows; a list that ignores the offset begins again and proves nothing. */
async function countOn(transport: Transport, probe: ListProbe, items: readonly unknown[]) {
  const [next] = (await probe.read(transport, items.length, 1)).items;
  const isNew = !items.some((item) => JSON.stringify(item) === JSON.stringify(next));
  return next !== undefined && isNew ? items.length + 1 : items.length;
}

/** Checks the rights to the people of a group; without a group one is asked for that cannot exist. */
async function checkGroup(transport: Transport, uid: string | undefined): Promise<CheckResult[]> {
  const checks: CheckResult[] = [];
  for (const probe of PEOPLE_OF_GROUP) {
    const path = { group_uid: uid ?? NIL_UID };
    const { value, error } = await attempt(async () =>
      parseGroupUsers(await transport.call(probe.operation, { path }, READING)),
    );
    // That it is not found, or no proper id, is what was expected of the one that cannot exist.
    const isExpected = error === undefined || ['not-found', 'refused'].includes(error.code);
    if (uid === undefined && isExpected) checks.push(toUnproved(probe));
    else if (error) checks.push(toRefused(probe, error));
    else checks.push(toFound(probe, `${value.length} ${probe.id} in the group looked at`));
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

const ROLES: ReadonlyMap<number | undefined, string> = new Map([
  [1, 'owner of the company'],
  [2, 'user'],
  [3, 'deactivated'],
]);

/** Names the owner of the token: the bridge must never lock that account out. */
function toToken({ value, error }: Attempt<CompanyUser>): CheckResult {
  const row = { id: 'token', title: 'token' } as const;
  if (value !== undefined) {
    const { id, username, email, role } = value;
    const names = [email, username].filter((name) => name !== undefined).join(', ');
    const position = ROLES.get(role) ?? `role ${role ?? 'not shown'}`;
    const owner = `user ${id}${names === '' ? '' : ` (${names})`}, ${position}`;
    return { ...row, status: 'ok', detail: `accepted, of ${owner}` };
  }
  const detail = `accepted; its owner stays unknown: ${toTrouble(error).detail}`;
  return { ...row, status: 'warning', detail, remedy: 'Name its owner in `protect.users`.' };
}

type Probe = Pick<ListProbe, 'id' | 'title' | 'section' | 'refused'>;

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

function toUnproved({ id, title }: Probe): CheckResult {
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
