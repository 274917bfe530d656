import { setImmediate as nextTurn } from 'node:timers/promises';
import { isWaiting, listWaiting } from '../../domain/cell.ts';
import { type Deactivation, isObservedActive, listUserDifferences } from '../../domain/user.ts';
import {
  countWaitingLinks,
  findLastSeq,
  findRemarked,
  listRemarked,
  type Remarked,
  type Remarks,
  type ResourceFilter,
  type WaitingCount,
} from '../../store/resources/lists.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import { toGroupState, toUserState } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { HELD_OF_GROUP, HELD_OF_USER, listKept, toHead } from '../explain/resource.ts';
import { type ListAnswer, type PartQuery, readPage } from '../http/list-query.ts';
import { toMoment } from '../http/moment.ts';
import type { GroupItem, UserItem } from '../schemas/resources.ts';
import type { OpsSources } from '../sources.ts';

/** Some resources of a list: which, how many, and after which one. */
export interface ResourceQuery extends PartQuery, ResourceFilter {}

/** One type of resource as operators ask for it. */
export interface ResourceSource<Item> {
  readonly type: 'user' | 'group';
  readonly list: (sources: OpsSources, query: ResourceQuery) => Promise<ListAnswer<Item>>;
  /** Deleted or not; undefined: there is none. */
  readonly find: (sources: OpsSources, id: string) => Promise<Item | undefined>;
}

/** Users as operators ask for them. */
export const users = toSource('user', async ({ deactivation }, rows) =>
  rows.map((row) => toUserItem(row, deactivation)),
);

/** Groups as operators ask for them. */
export const groups = toSource('group', async ({ store }, rows) => {
  const ids = rows.map(({ id }) => id);
  const waiting = await countWaitingLinks(store.read, ids);
  return rows.map((row) => toGroupItem(row, waiting.get(row.id)));
});

function toSource<Type extends 'user' | 'group', Item>(
  type: Type,
  toItems: (sources: OpsSources, rows: readonly Remarked<Type>[]) => Promise<Item[]>,
): ResourceSource<Item> {
  return {
    type,
    list: (sources, { from, limit, ...filter }) =>
      readPage(
        { from, limit },
        (part) => readOn(sources.store.read, type, { ...filter, ...part }),
        (rows) => toItems(sources, rows),
      ),
    async find(sources, id) {
      const row = await findRemarked(sources.store.read, type, id);
      return row && (await toItems(sources, [row]))[0];
    },
  };
}

/** Rows that a filter looks at in one turn of the event loop. */
const WINDOW = 2_000;

/** The next rows that a filter lets through, however many it does not. */
async function readOn<Type extends 'user' | 'group'>(
  db: Db,
  type: Type,
  { from, limit, ...filter }: ResourceQuery,
) {
  const end = await findLastSeq(db);
  const rows: Remarked<Type>[] = [];
  for (let afterSeq = from; afterSeq < end && rows.length < limit; afterSeq += WINDOW) {
    const part = { afterSeq, untilSeq: afterSeq + WINDOW, limit: limit - rows.length };
    rows.push(...(await listRemarked(db, type, { ...filter, ...part })));
    await nextTurn();
  }
  return rows;
}

/** A row of a user as an operator is shown it. */
function toUserItem(row: UserRow & Remarks, deactivation: Deactivation): UserItem {
  const { upstreamId, desired, observed, cells } = toUserState(row);
  const differing = observed ? listUserDifferences(desired, observed, cells, deactivation) : [];
  const isAddressKept =
    row.origin !== null && differing.includes('address') && !isWaiting(cells.address);
  const kept = listKept(row, HELD_OF_USER).map(({ field }) => field);
  return {
    ...toItem(row, { observed }),
    name: row.name,
    upstreamId: upstreamId ?? null,
    active: {
      desired: row.origin === null ? null : desired.active,
      observed: observed === undefined ? null : isObservedActive(observed, deactivation),
    },
    pending: listWaiting(cells),
    bridgeOnly: [...(isAddressKept ? ['address'] : []), ...kept],
  };
}

/** A row of a group as an operator is shown it. */
function toGroupItem(row: GroupRow & Remarks, waiting: readonly WaitingCount[] = []): GroupItem {
  const { ids, observed, cells } = toGroupState(row);
  return {
    ...toItem(row, { observed }),
    name: row.name,
    upstreamIds: {
      scimId: ids.scimId ?? null,
      restId: ids.restId ?? null,
      uid: ids.uid ?? null,
    },
    pending: [
      ...listWaiting(cells),
      ...new Set(waiting.map(({ kind }) => (kind.startsWith('member.') ? 'members' : 'admins'))),
    ],
    bridgeOnly: listKept(row, HELD_OF_GROUP).map(({ field }) => field),
  };
}

function toItem(row: ResourceRow & Remarks, state: Parameters<typeof toHead>[1]) {
  const { id, provider, deleted, version, seen, dueAt, problem } = toHead(row, state);
  return {
    ...{ id, deleted, version, dueAt, problem },
    ...{ origin: row.origin, provider },
    createdAt: toMoment(row.created_at),
    modifiedAt: toMoment(row.modified_at),
    seenAt: seen?.at ?? null,
    attempts: row.attempts,
    stuckSince: toMoment(row.stuck_at),
    drifts: row.drifts,
    disputed: row.disputes > 0,
  };
}
