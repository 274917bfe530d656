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
import type { PageContent } from '../../upstream/page-progress.ts';
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

/** First page of a list, as far as a check looks at it. */
interface Sample {
  readonly words: string;
  readonly entries: number;
  /** True when more follow, which were asked for. */
  readonly isCut: boolean;
  /** Of the first group of the REST interface. */
  readonly groupUid?: string | undefined;
}

/** A right to read a list. */
export interface ListProbe extends Probe {
  /** @throws UpstreamError */
  readonly read: (transport: Transport) => Promise<Sample>;
}

/** The part of a list that is asked for; `offset` counts from 0. */
interface Place {
  readonly offset: number;
  readonly limit: number;
}

const toScimPage = ({ offset, limit }: Place) => ({
  query: { startIndex: offset + 1, count: limit },
});
const toRestPage = ({ offset, limit }: Place) => ({ query: { offset, limit } });

/** Lists that the bridge reads. */
export const LISTS: readonly [ListProbe, ...ListProbe[]] = [
  {
    ...{ id: 'users', title: 'people (SCIM)', section: 'users', refused: 'failed' },
    read: (transport) =>
      sample('people', {
        fetch: (at) => transport.call(scim.getUsers, toScimPage(at), READING),
        toPage: parseScimList,
        parse: parseScimUser,
      }),
  },
  {
    ...{ id: 'groups.scim', title: 'groups (SCIM)', section: 'groups', refused: 'failed' },
    read: (transport) =>
      sample('groups', {
        fetch: (at) => transport.call(scim.getGroups, toScimPage(at), READING),
        toPage: parseScimList,
        parse: parseScimGroup,
      }),
  },
  {
    ...{ id: 'groups.rest', title: 'groups (REST)', section: 'groups', refused: 'failed' },
    read: (transport) =>
      sample('groups', {
        fetch: (at) => transport.call(groups.getListOfGroups, toRestPage(at), READING),
        toPage: parseRestPage,
        parse: parseRestGroup,
      }),
  },
  {
    ...{ id: 'companyUsers', title: 'company users', section: 'companyUsers', refused: 'warning' },
    read: (transport) =>
      sample('people', {
        fetch: (at) => transport.call(companyUsers.getListOfUsers, toRestPage(at), READING),
        toPage: parseRestPage,
        parse: parseCompanyUser,
      }),
  },
  {
    ...{ id: 'audit', title: 'audit log', section: 'audit', refused: 'warning' },
    read: (transport) =>
      sample('events', {
        fetch: (at) => transport.call(auditLogs.retrieveAuditLogEvents, toRestPage(at), READING),
        toPage: parseRestPage,
        parse: parseAuditEvent,
      }),
  },
];

/** RFC 9562 §5.9: no group has it. */
const NIL_UID = '00000000-0000-0000-0000-000000000000';

/** Reads of the people of one group; without any they are asked of none that exists, to see whether that is refused. */
export function listGroupProbes(uid: string = NIL_UID) {
  const args = { path: { group_uid: uid } };
  const toWords = (people: unknown, noun: string) =>
    `${parseGroupUsers(people).length} ${noun} in the group looked at`;
  return [
    {
      ...({
        id: 'members',
        title: 'group members',
        section: 'members',
        refused: 'failed',
      } as const),
      read: async (transport: Transport) =>
        toWords(await transport.call(groupUsers.getListOfGroupUsers, args, READING), 'members'),
    },
    {
      ...({ id: 'admins', title: 'group admins', section: 'admins', refused: 'warning' } as const),
      read: async (transport: Transport) =>
        toWords(await transport.call(groupAdmins.getListOfGroupAdmins, args, READING), 'admins'),
    },
  ];
}

/** The way in which one list of the service is read. */
interface ListSource {
  readonly fetch: (place: Place) => Promise<unknown>;
  /** @throws UpstreamError `unreadable` */
  readonly toPage: (body: unknown) => PageContent;
  /** @throws UpstreamError `unreadable` */
  readonly parse: (item: unknown) => object;
}

/** More than any page of the service is known to hold. */
const MANY = 1_000;

/**
 * Reads the first page, and proves with one more call at most whether the service has cut it. An answer larger than the
 * limit of the settings is asked for again with fewer entries.
 */
async function sample(noun: string, source: ListSource): Promise<Sample> {
  const { asked, page } = await readFirst(source);
  const { items, total } = page;
  const [first] = items.map((item) => source.parse(item));
  const isShort = items.length > 0 && items.length < asked;
  const hasMore =
    isShort && (total === undefined ? await follows(source, items) : items.length < total);
  const count = total === undefined ? `${items.length} ${noun} seen` : `${total} ${noun}`;
  const limit = items.length < asked ? 'all on one page' : `no page limit up to ${asked}`;
  return {
    words: `${count}; ${hasMore ? `a page holds ${items.length} at most` : limit}`,
    ...{ entries: items.length, isCut: hasMore, groupUid: findUid(first) },
  };
}

async function readFirst({ fetch, toPage }: ListSource) {
  for (let asked = MANY; ; asked = Math.floor(asked / 10)) {
    try {
      return { asked, page: toPage(await fetch({ offset: 0, limit: asked })) };
    } catch (error) {
      const isTooLarge = error instanceof UpstreamError && error.code === 'response-too-large';
      if (!isTooLarge || asked <= 1) throw error;
    }
  }
}

/** True when an entry follows; a list that ignores the offset begins again and proves nothing. */
async function follows({ fetch, toPage }: ListSource, items: readonly unknown[]): Promise<boolean> {
  const [next] = toPage(await fetch({ offset: items.length, limit: 1 })).items;
  if (next === undefined) return false;
  const text = JSON.stringify(next);
  return !items.some((item) => JSON.stringify(item) === text);
}

function parseRestPage(body: unknown): PageContent {
  return { items: parseEntries('REST list', body), total: undefined };
}

function findUid(entry: object | undefined): string | undefined {
  return entry && 'uid' in entry && typeof entry.uid === 'string' ? entry.uid : undefined;
}
