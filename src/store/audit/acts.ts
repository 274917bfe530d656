import { type Selectable, sql } from 'kysely';
import type { ActsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** Acts that are kept; the oldest go first. */
const KEPT_MAX = 20_000;

/** A decision of an operator, or an outage of the service, as stored. */
export type ActRow = Selectable<ActsTable>;

/** Decision of an operator. */
export type NewAct = Pick<ActRow, 'at' | 'act' | 'operator' | 'target'>;

/** Stores a decision of an operator. */
export async function insertAct(tx: Db, act: NewAct): Promise<void> {
  await insert(tx, { ...act, kind: 'operator' });
}

/** Stores the beginning of an outage, unless another process has; `at` is epoch milliseconds. */
export async function beginOutage(tx: Db, act: string, at: number): Promise<void> {
  const open = tx.selectFrom('acts').select('id').where('target', '=', '');
  const known = await open
    .where('kind', '=', 'outage')
    .where('act', '=', act)
    .where('ended_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  if (known === undefined) await insert(tx, { kind: 'outage', act, operator: '', target: '', at });
}

/** Stores the end of an outage; `at` is epoch milliseconds. */
export async function endOutage(tx: Db, act: string, at: number): Promise<void> {
  const ended = tx.updateTable('acts').set({ ended_at: at }).where('target', '=', '');
  await ended
    .where('kind', '=', 'outage')
    .where('act', '=', act)
    .where('ended_at', 'is', null)
    .execute();
}

async function insert(tx: Db, row: Omit<ActRow, 'id' | 'ended_at'>): Promise<void> {
  const { id } = await tx.insertInto('acts').values(row).returning('id').executeTakeFirstOrThrow();
  await tx
    .deleteFrom('acts')
    .where('id', '<=', id - KEPT_MAX)
    .execute();
}

/**
 * Lists the newest decisions about a user or group, about a drift or plan that names it, and about everything since
 * `since` (epoch milliseconds), with the outages since then.
 */
export async function listActsOf(
  db: Db,
  { id, since, limit }: { id: string; since: number; limit: number },
): Promise<ActRow[]> {
  const ofDrift = sql`select id from drifts where resource_id = ${id}
    union select id from drifts where member_id = ${id} and member_id <> ''`;
  const ofPlan = sql`select plan_id from plan_actions where resource_id = ${id}
    union select plan_id from plan_actions where member_id = ${id} and member_id <> ''`;
  // Each part has an index of its own.
  const { rows } = await sql<ActRow>`
    select * from (
      select * from acts where target = ${id}
      union select * from acts where target = '' and at >= ${since}
      union select * from acts where target in (${ofDrift})
      union select * from acts where target in (${ofPlan})) as told
    order by at desc, id desc limit ${limit}`.execute(db);
  return rows;
}
