import { type Selectable, sql } from 'kysely';
import type { ActsTable } from '../schema.ts';
import type { Db } from '../store.ts';

/** An act of an operator, or an outage of the service, as stored. */
export type ActRow = Selectable<ActsTable>;

/** Act of an operator that is to be stored. */
export type NewAct = Omit<ActRow, 'id' | 'kind' | 'ended_at'>;

/** Stores acts of an operator. One that is there already is completed, once. */
export async function saveActs(tx: Db, acts: readonly NewAct[]): Promise<void> {
  for (const act of acts) {
    const inserted = tx.insertInto('acts').values({ ...act, kind: 'operator' });
    await inserted
      .onConflict((on) => on.column('entry').doUpdateSet(act).where('acts.status', 'is', null))
      .execute();
  }
}

/** Deletes the record of a request that was no act after all. */
export async function deleteAct(tx: Db, entry: string): Promise<void> {
  await tx.deleteFrom('acts').where('entry', '=', entry).execute();
}

/** Condition of an outage that goes on. */
const isOpenOutage = (act: string) =>
  sql`target = '' and kind = 'outage' and act = ${act} and ended_at is null`;

/** Stores the beginning of an outage, unless another process has; `at` is epoch milliseconds. */
export async function beginOutage(tx: Db, act: string, at: number): Promise<void> {
  await sql`insert into acts (kind, act, operator, target, at, everyone)
    select 'outage', ${act}, '', '', cast(${at} as bigint), 1
    where not exists (select 1 from acts where ${isOpenOutage(act)})`.execute(tx);
}

/** Stores the end of an outage; `at` is epoch milliseconds. */
export async function endOutage(tx: Db, act: string, at: number): Promise<void> {
  await sql`update acts set ended_at = ${at} where ${isOpenOutage(act)}`.execute(tx);
}

/** Selection of acts of operators, and the page of it to read. */
export interface ActQuery {
  /** Name or id of the credential. */
  readonly operator: string | undefined;
  /** Id that they were about, or that a drift or plan names that they were about. */
  readonly target: string | undefined;
  /** Statuses from the first to the last. */
  readonly status: readonly [number, number] | undefined;
  readonly beforeSeq: number;
  readonly limit: number;
}

/** Lists acts of operators, the newest first. */
export async function listActs(
  db: Db,
  { operator, target, status, beforeSeq, limit }: ActQuery,
): Promise<(ActRow & { readonly seq: number })[]> {
  let query = db.selectFrom('acts').selectAll().select('id as seq').where('kind', '=', 'operator');
  query = query.where('id', '<', beforeSeq);
  if (operator !== undefined) {
    query = query.where((where) =>
      where.or([where('operator', '=', operator), where('credential', '=', operator)]),
    );
  }
  if (target !== undefined) {
    query = query.where(
      'target',
      'in',
      sql<string>`(select ${target} union ${driftsOf(target)} union ${plansOf(target)})`,
    );
  }
  if (status !== undefined)
    query = query.where('status', '>=', status[0]).where('status', '<=', status[1]);
  return query.orderBy('id', 'desc').limit(limit).execute();
}

/**
 * Lists the newest acts that were done about a user or group, about a drift or plan that names it, and about everything
 * since `since` (epoch milliseconds), with the outages since then.
 */
export async function listActsOf(
  db: Db,
  { id, since, limit }: { id: string; since: number; limit: number },
): Promise<ActRow[]> {
  // Each part has an index of its own.
  const { rows } = await sql<ActRow>`
    select * from (
      select * from acts where target = ${id}
      union select * from acts where everyone = 1 and at >= ${since}
      union select * from acts where target in (${driftsOf(id)})
      union select * from acts where target in (${plansOf(id)})) as shown
    where status is null or status < 400
    order by at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

/** Finds the ids of the drifts that name a user or group. */
function driftsOf(id: string) {
  return sql`select id from drifts where resource_id = ${id}
    union select id from drifts where member_id = ${id} and member_id <> ''`;
}

/** Finds the ids of the plans that name a user or group. */
function plansOf(id: string) {
  return sql`select plan_id from plan_actions where resource_id = ${id}
    union select plan_id from plan_actions where member_id = ${id} and member_id <> ''`;
}
