import { toTransportOptions } from '../app/settings.ts';
import { toCount } from '../domain/values.ts';
import type { Column } from '../ops/lists/list.ts';
import { getSectionRights, toRefusalRemedy } from '../ops/state/reasons.ts';
import { SettingsError } from '../settings/errors.ts';
import type { Settings } from '../settings/schema.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import type { UpstreamErrorCode } from '../upstream/errors.ts';
import { UpstreamError } from '../upstream/errors.ts';
import type { Operation } from '../upstream/operations/operation.ts';
import * as people from '../upstream/operations/people.ts';
import { scim } from '../upstream/operations/scim.ts';
import { paginate } from '../upstream/paginate.ts';
import { parseAuditEvent } from '../upstream/shapes/audit-event.ts';
import { parseCompanyUser } from '../upstream/shapes/company-user.ts';
import { parseGroupUsers, parseRestGroup } from '../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../upstream/shapes/scim-group.ts';
import { parseScimUser } from '../upstream/shapes/scim-user.ts';
import type { Transport } from '../upstream/transport.ts';
import { createTransport } from '../upstream/transport.ts';
import type { CliContext, Output } from './command.ts';
import { exitCodes } from './command.ts';
import { toTable } from './table.ts';

/** One thing that has to work: `failed` keeps the bridge from its task, with a `warning` it does less. */
interface CheckResult {
  readonly id: string;
  readonly title: string;
  readonly status: 'ok' | 'failed' | 'warning';
  readonly detail: string;
  readonly remedy?: string;
}

const NO_SERVICE =
  'upstream.url is not set: there is no service to check, only the embedded sandbox. Set UPSTREAM_URL and UPSTREAM_TOKEN.';

/** Runs `check`: looks at the service of the settings. @throws SettingsError where they name none */
export async function runCheck({ loadSettings, showProgress }: CliContext): Promise<Output> {
  const { settings } = loadSettings();
  const { url, token, requestsPerSecond } = settings.upstream;
  if (url === undefined || token === undefined)
    throw new SettingsError([{ setting: 'upstream.url', message: NO_SERVICE }]);
  const target = { baseUrl: url, findToken: () => token, identity: url, requestsPerSecond };
  const transport = createTransport({
    ...toTransportOptions(settings, target),
    clock: systemClock,
    random: Math.random,
    hooks: { writesRefused: () => 'observe-mode' },
  });
  showProgress?.('Looking at the service');
  const looking = checkService(transport, { ...settings.upstream, url });
  const json = await looking.finally(() => transport.close());
  return { json, text: toReportText(json), code: json.ok ? exitCodes.done : exitCodes.failed };
}

const COLUMNS: readonly Column<CheckResult>[] = [
  { name: 'status' },
  { name: 'check', value: ({ title }) => title },
  { name: 'finding', value: ({ detail, remedy }) => (remedy ? `${detail} → ${remedy}` : detail) },
];

type CheckReport = Awaited<ReturnType<typeof checkService>>;

function toReportText({ service, checks, calls }: CheckReport): string {
  const count = (of: CheckResult['status']) => checks.filter(({ status }) => status === of).length;
  const sums = [toCount(count('failed'), 'failure'), toCount(count('warning'), 'warning')];
  const head = `Service  ${service.url} (REST under /api/${service.apiVersion})\n`;
  // A finding is whole, however long: it says what to do.
  const table = toTable(checks, COLUMNS, {});
  return `${head}\n${table}\n${sums.join(', ')}, ${toCount(calls, 'call')}.\n`;
}

type Finding = Omit<CheckResult, 'title'>;

type Ask = (operation: Operation, args: unknown) => Promise<unknown>;

/** Looks at a service by reads alone: connection, token, rights, page limits. Its failures are findings. */
export async function checkService(
  transport: Pick<Transport, 'call'>,
  { url, quirks, pageSize }: Pick<Settings['upstream'], 'pageSize' | 'quirks'> & { url: string },
) {
  let calls = 0;
  const afterSend = () => {
    calls += 1;
  };
  // Two attempts tell a hiccup from a fault while an operator waits for the answer.
  const options = { class: 'look', attemptsMax: 2, afterSend } as const;
  const ask: Ask = (operation, args) => transport.call<Operation>(operation, args, options);
  const found = await listChecks(ask, url, pageSize);
  const checks = found.map((one): CheckResult => {
    const [section = '', part] = one.id.split('.');
    const { title } = getSectionRights(section);
    return { ...one, title: part === undefined ? title : `${title} (${part})` };
  });
  const ok = checks.every(({ status }) => status !== 'failed');
  return { ok, service: { url, apiVersion: quirks.apiVersion ?? 'latest' }, checks, calls };
}

/** A list of the service. Its id begins with the section that a right opens. */
type ListProbe = (typeof LISTS)[number];

const LISTS = [
  { id: 'users', operation: scim.getUsers, parse: parseScimUser },
  { id: 'groups.scim', operation: scim.getGroups, parse: parseScimGroup },
  { id: 'groups.rest', operation: people.groups.getListOfGroups, parse: parseRestGroup },
  { id: 'companyUsers', operation: people.companyUsers.getListOfUsers, parse: parseCompanyUser },
  { id: 'audit', operation: people.auditLogs.retrieveAuditLogEvents, parse: parseAuditEvent },
] as const;

/** Sections without which the bridge cannot do its task; without the others it does less. */
const NEEDED: readonly string[] = ['users', 'groups', 'members'];

/** Checks in the order in which they fail; those that a failure before them leaves without sense are not made. */
async function listChecks(ask: Ask, url: string, pageSize: number): Promise<Finding[]> {
  const owner = await attempt(ask(people.users.retrieveCurrentUser, {}).then(parseCompanyUser));
  if (owner instanceof UpstreamError && isOfAll(owner)) {
    const isToken = owner.code === 'credentials-refused' || owner.code === 'rate-limited';
    return isToken ? [toAddress(url), toFailed('token', owner)] : [toFailed('address', owner)];
  }
  const checks = [toAddress(url), toToken(owner)];
  const samples: Awaited<ReturnType<typeof readSample>>[] = [];
  for (const probe of LISTS) {
    const seen = await attempt(readSample(ask, probe, pageSize));
    if (probe === LISTS[0] && isNotThere(owner) && isNotThere(seen))
      return [toFailed('address', owner)];
    checks.push(toSeen(probe.id, seen));
    if (!(seen instanceof UpstreamError)) samples.push(seen);
  }
  const groupUid = samples.map(({ uid }) => uid).find((uid) => uid !== undefined);
  const { groupUsers, groupAdmins } = people;
  checks.push(await lookInGroup(ask, 'members', [groupUsers.getListOfGroupUsers, groupUid]));
  checks.push(await lookInGroup(ask, 'admins', [groupAdmins.getListOfGroupAdmins, groupUid]));
  const smallest = Math.min(pageSize, ...samples.map(({ pageMax }) => pageMax));
  if (smallest === pageSize) return checks;
  // A page size that is too large only costs calls.
  const detail = `set to ${pageSize}, and a page of ${smallest} was cut`;
  const remedy = `Set it to ${smallest}.`;
  return [...checks, { id: 'settings.pageSize', status: 'warning', detail, remedy }];
}

async function lookInGroup(
  ask: Ask,
  id: string,
  [operation, group_uid]: readonly [Operation, uid: unknown],
): Promise<Finding> {
  if (group_uid === undefined) {
    const detail = 'no group could be seen that would prove it';
    return { id, status: 'warning', detail, remedy: 'Check again when one can be seen.' };
  }
  const asked = ask(operation, { path: { group_uid } }).then(parseGroupUsers);
  const toDetail = ({ length }: readonly object[]) => `${length} ${id} in the group looked at`;
  return toSeen(id, await attempt(asked.then((seen) => ({ detail: toDetail(seen) }))));
}

/** Reads the first page of a list, and the next one where the first is not full: an entry in it proves that the service cut the first. */
async function readSample(ask: Ask, { operation, parse }: ListProbe, pageSize: number) {
  const list = paginate({ call: ask }, operation, {}, { pageSize, pagesMax: 2 });
  const pages: (readonly unknown[])[] = [];
  for await (const { items } of list) {
    pages.push(items);
    if (items.length >= pageSize) break;
  }
  const [items = [], next] = pages;
  const [first = {}] = items.map((item) => parse(item));
  const { length } = items;
  const whole = length < pageSize ? 'all on one page' : `pages of ${pageSize}`;
  return {
    detail: `${list.progress.total ?? `${length} seen`}; ${next ? `a page holds ${length} at most` : whole}`,
    pageMax: next ? length : pageSize,
    /** Of the first group of the REST interface, which alone has one. */
    uid: 'uid' in first ? first.uid : undefined,
  };
}

/** The answer, or the failure of the service. @throws what is no failure of the service: a mistake of ours */
function attempt<T>(asked: Promise<T>): Promise<T | UpstreamError> {
  return asked.catch((error: unknown) => {
    if (error instanceof UpstreamError) return error;
    throw error;
  });
}

function isOfAll({ code, outcome, status }: UpstreamError): boolean {
  if (code === 'credentials-refused' || code === 'rate-limited') return true;
  // An answer that only the reader did not understand came without a status; it says nothing of the other calls.
  return code === 'unreadable' ? status !== undefined : outcome !== 'answered';
}

function isNotThere(found: unknown): found is UpstreamError {
  const codes: readonly UpstreamErrorCode[] = ['not-found', 'unreadable'];
  return found instanceof UpstreamError && codes.includes(found.code);
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
function toToken(owner: ReturnType<typeof parseCompanyUser> | UpstreamError): Finding {
  if (owner instanceof UpstreamError) {
    const detail = `accepted; its owner stays unknown: ${toDetail(owner)}`;
    return { id: 'token', status: 'warning', detail, remedy: 'Name its owner in `protect.users`.' };
  }
  const { id, username, email, role } = owner;
  const names = [email, username].filter((name) => name !== undefined).join(', ');
  const position = role === 1 ? 'owner of the company' : `role ${role ?? 'not shown'}`;
  return { id: 'token', status: 'ok', detail: `accepted, of user ${id} (${names}), ${position}` };
}

function toSeen(id: string, seen: { readonly detail: string } | UpstreamError): Finding {
  if (!(seen instanceof UpstreamError)) return { id, status: 'ok', detail: seen.detail };
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
  if (status === undefined) return message;
  if (code !== 'redirected') return `answered ${status}${words === undefined ? '' : `: ${words}`}`;
  return `answered ${status} and sends to ${String(error.headers.location).replace(/[?#].*/s, '')}`;
}

const OTHER_ADDRESS =
  'Correct `upstream.url`: what answers there is not the service but a proxy, a login page or another site.';
const REPORT =
  'The answer has a form that the bridge does not know: report it with the version of the bridge.';

const REMEDIES: Readonly<Partial<Record<UpstreamErrorCode, string>>> = {
  connection:
    'Correct `upstream.url` (https or http, host, port), or check the network, firewalls and `upstream.proxy` between here and there; NODE_EXTRA_CA_CERTS names the file of an authority that issued the certificate.',
  'credentials-refused': 'Set a valid token of the service as `upstream.token`.',
  'rate-limited': 'See who else uses this token; if nobody, lower `upstream.requestsPerSecond`.',
  unavailable: 'The service has a problem of its own: try again later.',
  timeout: 'Try again; if it lasts, raise `upstream.timeout` or look at the network between.',
  redirected: OTHER_ADDRESS,
  unreadable: OTHER_ADDRESS,
  'not-found':
    'Check `upstream.url`, and apiVersion of `upstream.quirks`: this part of the service is not there.',
};

function toRemedy(error: UpstreamError): string {
  // Only what the transport could not read has a status; the other was JSON of another form.
  if (error.code === 'unreadable' && error.status === undefined) return REPORT;
  return REMEDIES[error.code] ?? REPORT;
}
