import { sql } from 'kysely';
import { endRest } from '../../domain/failure.ts';
import { type GivenKey, groupId, type ResourceKey, toResourceKey } from '../../domain/ids.ts';
import { DUE_CLASSES } from '../due.ts';
import { parseCells } from '../engine/columns.ts';
import { select } from '../engine/dialect.ts';
import type { Db, Store } from '../store.ts';
import { updateWhere } from '../tables.ts';
import { lockRow, updateRow } from './rows.ts';

/** Rows that one transaction changes, so that no write waits for long. */
const CHUNK = 500;
/** The same of a retry, which locks each row. */
const RETRIED_AT_ONCE = 100;

/** Condition of a row with work to do. A deleted row with a lost create has times of its own. */
const HAS_WORK = sql`(sent_creates = '[]' or deleted_at is null)`;

/**
 * Makes every resource due that waits for its next attempt: the service answers again. What is stuck of it, or failed by
 * its own fault, keeps its time. `now` is epoch milliseconds.
 */
export async function prioritiseWaiting(store: Pick<Store, 'write'>, now: number): Promise<void> {
  let changed = CHUNK;
  while (changed === CHUNK) {
    changed = await store.write(async (tx) => {
      const rows = await select(tx)`update resources set due_at = ${now} where id in (
        select id from resources where due_class in (${sql.join(DUE_CLASSES)})
          and due_at > ${now} and ${HAS_WORK} limit ${CHUNK})
        returning id`;
      return rows.length;
    });
  }
}

/** Moments of a retry, in epoch milliseconds. */
interface Retry {
  readonly now: number;
  /** Resources with an attempt after it are tried; `now`: all that wait for one. */
  readonly beyond: number;
}

/** Makes users and groups due now that wait for their next attempt, stuck or not; `tried` is told how many, part by part. */
export async function retryResting(
  store: Pick<Store, 'read' | 'write'>,
  { now, beyond }: Retry,
  tried: (count: number) => void,
): Promise<void> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    // By a text that has no index: SQLite would walk everybody in the order of the ids, of whom few rest.
    const { rows }: { rows: GivenKey[] } = await sql<GivenKey>`
      select type, id from resources where due_at > ${beyond} and ${HAS_WORK} and id || '' > ${after}
      order by id || '' limit ${RETRIED_AT_ONCE}`.execute(store.read);
    const keys = rows.map(toResourceKey);
    if (keys.length > 0) tried(await store.write((tx) => retryEach(tx, keys, now)));
    after = keys.length < RETRIED_AT_ONCE ? undefined : keys.at(-1)?.id;
  }
}

/** Makes these due now as far as something of them waits; gives their number. `now` is epoch milliseconds. */
export async function retryEach(
  tx: Db,
  keys: readonly ResourceKey[],
  now: number,
): Promise<number> {
  let count = 0;
  for (const key of keys) if (await retryNow(tx, key, now)) count += 1;
  return count;
}

/** Groups in which a change of this user waits for its next attempt. */
export async function listRestingGroupsOf(db: Db, id: string, now: number): Promise<ResourceKey[]> {
  const rows = await select<{ id: string }>(db)`
    select distinct home.id from resources as person join links as link on link.target = person.seq
      join resources as home on home.seq = link.group_id
    where person.id = ${id} and link.pending is not null and link.retry_at > ${now}`;
  return rows.map((row) => ({ type: 'group', id: groupId(row.id) }));
}

/** Makes a user or group due now, stuck or not; false: nothing of it waits. `now` is epoch milliseconds. */
async function retryNow(tx: Db, key: ResourceKey, now: number): Promise<boolean> {
  const row = await lockRow(tx, key);
  if (row === undefined || row.due_at === null) return false;
  // A deleted row with a lost create is looked for.
  if (row.sent_creates !== '[]' && row.deleted_at !== null) return false;
  await updateRow(tx, row, {
    cells: JSON.stringify(endRest(parseCells<string>(row), now, 'all')),
    due_at: Math.min(row.due_at, now),
    // An attempt that is under way does not count.
    steps: row.steps + 1,
  });
  const { seq, type } = row;
  if (type === 'group') {
    await updateWhere(tx, 'links', { group_id: seq, pending: { '<>': null } }, { retry_at: null });
  }
  return true;
}
