import { UpstreamError } from '../../upstream/errors.ts';
import type { Section } from '../../upstream/operations/operation.ts';
import {
  auditLogs,
  companyUsers,
  groupAdmins,
  groups,
  groupUsers,
} from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseAuditEvent } from '../../upstream/shapes/audit-event.ts';
import { parseCompanyUser } from '../../upstream/shapes/company-user.ts';
import { parseEntries } from '../../upstream/shapes/reader.ts';
import { parseGroupUsers, parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseScimList } from '../../upstream/shapes/scim-list.ts';
import { parseScimUser } from '../../upstream/shapes/scim-user.ts';
import type { Transport } from '../../upstream/transport.ts';

/** Options of every read. */
export const READING = { class: 'look' } as const;

/** One right to be proved by a read. */
export interface Probe {
  readonly id: string;
  readonly title: string;
  readonly section: Section;
  /** The status of a refused read: `failed` where the bridge cannot do its task, `warning` where it does less. */
  readonly refused: 'failed' | 'warning';
}

/** A right to read a list, and how the list is read. */
export interface ListProbe extends Probe {
  readonly noun: string;
  /** Reads so many entries behind the first `offset`. */
  readonly fetch: (transport: Transport, offset: number, limit: number) => Promise<unknown>;
  /** @throws UpstreamError `unreadable` */
  readonly parse: (item: unknown) => object;
  /** The list names its total. */
  readonly isScim?: true;
}

const toScim = (offset: number, count: number) => ({ query: { startIndex: offset + 1, count } });
const toRest = (offset: number, limit: number) => ({ query: { offset, limit } });

/** Lists that the bridge reads. */
export const LISTS: readonly [ListProbe, ...ListProbe[]] = [
  {
    ...{ id: 'users', title: 'people (SCIM)', section: 'users', refused: 'failed' },
    ...{ noun: 'people', isScim: true, parse: parseScimUser },
    fetch: (transport, ...at) => transport.call(scim.getUsers, toScim(...at), READING),
  },
  {
    ...{ id: 'groups.scim', title: 'groups (SCIM)', section: 'groups', refused: 'failed' },
    ...{ noun: 'groups', isScim: true, parse: parseScimGroup },
    fetch: (transport, ...at) => transport.call(scim.getGroups, toScim(...at), READING),
  },
  {
    ...{ id: 'groups.rest', title: 'groups (REST)', section: 'groups', refused: 'failed' },
    ...{ noun: 'groups', parse: parseRestGroup },
    fetch: (transport, ...at) => transport.call(groups.getListOfGroups, toRest(...at), READING),
  },
  {
    ...{ id: 'companyUsers', title: 'company users', section: 'companyUsers', refused: 'warning' },
    ...{ noun: 'people', parse: parseCompanyUser },
    fetch: (transport, ...at) =>
      transport.call(companyUsers.getListOfUsers, toRest(...at), READING),
  },
  {
    ...{ id: 'audit', title: 'audit log', section: 'audit', refused: 'warning' },
    ...{ noun: 'events', parse: parseAuditEvent },
    fetch: (transport, ...at) =>
      transport.call(auditLogs.retrieveAuditLogEvents, toRest(...at), READING),
  },
];

/** A right to read the people of a group. */
interface GroupProbe extends Probe {
  readonly fetch: (transport: Transport, uid: string) => Promise<unknown>;
}

/** Lists of the people of one group. */
export const GROUP_LISTS: readonly GroupProbe[] = [
  {
    ...{ id: 'members', title: 'group members', section: 'members', refused: 'failed' },
    fetch: (transport, uid) =>
      transport.call(groupUsers.getListOfGroupUsers, { path: { group_uid: uid } }, READING),
  },
  {
    ...{ id: 'admins', title: 'group admins', section: 'admins', refused: 'warning' },
    fetch: (transport, uid) =>
      transport.call(groupAdmins.getListOfGroupAdmins, { path: { group_uid: uid } }, READING),
  },
];

/** RFC 9562 §5.9: no group has it. */
export const NIL_UID = '00000000-0000-0000-0000-000000000000';

/** Reads the people of one group, and says how many there are. @throws UpstreamError */
export async function readGroup(transport: Transport, probe: GroupProbe, uid: string) {
  const people = parseGroupUsers(await probe.fetch(transport, uid));
  return `${people.length} ${probe.id} in the group looked at`;
}

/** More than any page of the service is known to hold. */
const MANY = 1_000;

/**
 * Reads the first page of a list, and proves with one more call at most whether the service has cut it. An answer larger
 * than the limit of the settings is asked for again with fewer entries. @throws UpstreamError
 */
export async function readSample(transport: Transport, list: ListProbe) {
  const { asked, items, total } = await readFirst(transport, list);
  const [first] = items.map((item) => list.parse(item));
  const isShort = items.length > 0 && items.length < asked;
  const hasMore =
    isShort && (total === undefined ? await follows(transport, list, items) : items.length < total);
  const count = total === undefined ? `${items.length} ${list.noun} seen` : `${total} ${list.noun}`;
  const limit = items.length < asked ? 'all on one page' : `no page limit up to ${asked}`;
  const words = `${count}; ${hasMore ? `a page holds ${items.length} at most` : limit}`;
  const uid = first && 'uid' in first ? first.uid : undefined;
  return {
    words,
    /** Size of a page that was cut; undefined: none was. */
    cutAt: hasMore ? items.length : undefined,
    /** Of the first group of the REST interface. */
    groupUid: typeof uid === 'string' ? uid : undefined,
  };
}

async function readFirst(transport: Transport, list: ListProbe) {
  for (let asked = MANY; ; asked = Math.floor(asked / 10)) {
    try {
      return { asked, ...toPage(list, await list.fetch(transport, 0, asked)) };
    } catch (error) {
      const isTooLarge = error instanceof UpstreamError && error.code === 'response-too-large';
      if (!isTooLarge || asked <= 1) throw error;
    }
  }
}

function toPage({ isScim }: ListProbe, body: unknown) {
  return isScim
    ? parseScimList(body)
    : { items: parseEntries('REST list', body), total: undefined };
}

/** True when an entry follows; a list that ignores the offset begins again and proves nothing. */
async function follows(transport: Transport, list: ListProbe, items: readonly unknown[]) {
  const [next] = toPage(list, await list.fetch(transport, items.length, 1)).items;
  if (next === undefined) return false;
  const text = JSON.stringify(next);
  return !items.some((item) => JSON.stringify(item) === text);
}
