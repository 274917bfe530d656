import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  countWaitingLinks,
  findLastSeq,
  findRemarked,
  listRemarked,
  type Remarked,
  type ResourceFilter,
} from '../../store/resources/lists.ts';
import type { Db } from '../../store/store.ts';
import { type ListAnswer, type PartQuery, readPage } from '../http/list-query.ts';
import type { OpsSources } from '../sources.ts';
import { toGroupItem, toUserItem } from './items.ts';

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
export const users = toSource('user', 'users', async ({ deactivation }, rows) =>
  rows.map((row) => toUserItem(row, deactivation)),
);

/** Groups as operators ask for them. */
export const groups = toSource('group', 'groups', async ({ store }, rows) => {
  const ids = rows.map(({ id }) => id);
  const waiting = await countWaitingLinks(store.read, ids);
  return rows.map((row) => toGroupItem(row, waiting.get(row.id)));
});

function toSource<Table extends 'users' | 'groups', Item>(
  type: 'user' | 'group',
  table: Table,
  toItems: (sources: OpsSources, rows: readonly Remarked<Table>[]) => Promise<Item[]>,
): ResourceSource<Item> {
  return {
    type,
    list: (sources, { from, limit, ...filter }) =>
      readPage(
        { from, limit },
        (part) => readOn(sources.store.read, table, { ...filter, ...part }),
        (rows) => toItems(sources, rows),
      ),
    async find(sources, id) {
      const row = await findRemarked(sources.store.read, table, id);
      return row && (await toItems(sources, [row]))[0];
    },
  };
}

/** Rows that a filter looks at in one turn of the event loop. */
const WINDOW = 2_000;

/** The next rows that a filter lets through, however many it does not. */
async function readOn<Table extends 'users' | 'groups'>(
  db: Db,
  table: Table,
  { from, limit, ...filter }: ResourceQuery,
) {
  const end = await findLastSeq(db, table);
  const rows: Remarked<Table>[] = [];
  for (let afterSeq = from; afterSeq < end && rows.length < limit; afterSeq += WINDOW) {
    const part = { afterSeq, untilSeq: afterSeq + WINDOW, limit: limit - rows.length };
    rows.push(...(await listRemarked(db, table, { ...filter, ...part })));
    await nextTurn();
  }
  return rows;
}
