import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Adoption, AdoptionRequest } from '../../domain/adoption.ts';
import type { GivenKey } from '../../domain/ids.ts';
import type { Release } from '../../domain/release.ts';
import type { Deactivation } from '../../domain/user.ts';
import {
  countWaitingLinks,
  findLastSeq,
  findRemarked,
  listRemarked,
  type ResourceFilter,
  type ResourcePart,
} from '../../store/resources/lists.ts';
import type { Db } from '../../store/store.ts';
import { type ListAnswer, type PartQuery, readPage } from '../http/list-query.ts';
import type { GroupItem, UserItem } from '../schemas/resources.ts';
import { toGroupItem, toUserItem } from './items.ts';

/** One kind of resource as operators ask for it. */
export interface ResourceSource<Item> {
  readonly list: (part: ResourcePart) => Promise<ListAnswer<Item>>;
  /** Deleted or not; undefined: there is none. */
  readonly find: (id: string) => Promise<Item | undefined>;
  readonly adopt: (request: AdoptionRequest) => Promise<Adoption>;
  readonly release: (id: string) => Promise<Release>;
}

/** Users and groups. */
export interface ResourceSources {
  readonly users: ResourceSource<UserItem>;
  readonly groups: ResourceSource<GroupItem>;
}

/** Takeovers of accounts and groups, and their end. */
export interface Adopters {
  readonly adoptUser: (request: AdoptionRequest) => Promise<Adoption>;
  readonly adoptGroup: (request: AdoptionRequest) => Promise<Adoption>;
  readonly letGo: (key: GivenKey) => Promise<Release>;
}

/** Rows that a filter looks at in one turn of the event loop. */
const WINDOW = 2_000;

/** The next rows that a filter lets through, however many it does not. */
async function readOn<Table extends 'users' | 'groups'>(
  db: Db,
  table: Table,
  { from, limit, ...filter }: PartQuery & ResourceFilter,
) {
  const end = await findLastSeq(db, table);
  const rows: Awaited<ReturnType<typeof listRemarked<Table>>> = [];
  for (let afterSeq = from; afterSeq < end && rows.length < limit; afterSeq += WINDOW) {
    const part = { afterSeq, untilSeq: afterSeq + WINDOW, limit: limit - rows.length };
    rows.push(...(await listRemarked(db, table, { ...filter, ...part })));
    await nextTurn();
  }
  return rows;
}

/** The users and groups of a store. */
export function createResourceSources(
  db: Db,
  deactivation: Deactivation,
  { adoptUser, adoptGroup, letGo }: Adopters,
): ResourceSources {
  return {
    users: {
      list: ({ afterSeq: from, limit, ...filter }) =>
        readPage(
          { from, limit },
          (part) => readOn(db, 'users', { ...filter, ...part }),
          (rows) => rows.map((row) => toUserItem(row, deactivation)),
        ),
      async find(id) {
        const row = await findRemarked(db, 'users', id);
        return row && toUserItem(row, deactivation);
      },
      adopt: adoptUser,
      release: (id) => letGo({ type: 'user', id }),
    },
    groups: {
      list: ({ afterSeq: from, limit, ...filter }) =>
        readPage(
          { from, limit },
          (part) => readOn(db, 'groups', { ...filter, ...part }),
          async (rows) => {
            const ids = rows.map(({ id }) => id);
            const waiting = await countWaitingLinks(db, ids);
            return rows.map((row) => toGroupItem(row, waiting.get(row.id)));
          },
        ),
      async find(id) {
        const row = await findRemarked(db, 'groups', id);
        if (row === undefined) return undefined;
        return toGroupItem(row, (await countWaitingLinks(db, [row.id])).get(row.id));
      },
      adopt: adoptGroup,
      release: (id) => letGo({ type: 'group', id }),
    },
  };
}
