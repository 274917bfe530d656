import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely';
import type { ResourceKey } from '../domain/ids.ts';
import { HOLDING_SOURCES } from '../domain/plan.ts';
import { waits } from './engine/columns.ts';
import type { ChangesTable } from './schema.ts';
import type { Db } from './store.ts';

/** Accepted change as stored. */
export type ChangeRow = Selectable<ChangesTable>;

/** Remembers an accepted change until the service holds it. */
export async function insertChange(tx: Db, change: ChangeRow): Promise<void> {
  await tx.insertInto('changes').values(change).execute();
}

/** Progress of a resource whose changes are compared with it. */
interface ChangeProgress {
  /** Version that was read: nothing is said of later changes. */
  readonly version: number;
  /** Oldest version that still waits; undefined: nothing does. */
  readonly oldestPending: number | undefined;
}

/** Condition of a user who is to be out and whom the service was last seen to let work, whatever keeps the change back. */
const IS_STILL_IN = sql`origin is not null and (active = 0 or deleted_at is not null)
  and observed like '%"active":true%' and observed not like '%"temporarilyInactive":true%'`;
/** Condition of a change that nothing is done about now, and that has not come true. */
const IS_HELD_LEAVER = sql<SqlBool>`kind = 'leaver' and exists (select 1 from users
  where users.id = changes.resource_id and ${IS_STILL_IN})`;

/** Forgets the changes that wait no more, and returns them, the oldest first. */
export async function takeDoneChanges(
  tx: Db,
  { id }: ResourceKey,
  { version, oldestPending }: ChangeProgress,
): Promise<ChangeRow[]> {
  let done = tx.deleteFrom('changes').where('resource_id', '=', id);
  if (Number.isFinite(version)) {
    done = done.where('version', '<=', version).where(sql<SqlBool>`not (${IS_HELD_LEAVER})`);
  }
  if (oldestPending !== undefined) done = done.where(isDone(id, oldestPending));
  const rows = await done.returningAll().execute();
  return rows.toSorted((a, b) => a.version - b.version);
}

/** Forgets removals up to this version: an operator decides, or has decided against them. */
export async function forgetRemovals(tx: Db, { id }: ResourceKey, version: number): Promise<void> {
  const removals = tx.deleteFrom('changes').where('resource_id', '=', id);
  const kinds = ['leaver', 'member-removed'] as const;
  await removals.where('version', '<=', version).where('kind', 'in', kinds).execute();
}

/** Somebody is out, or in, also while another part of the same request still waits. */
function isDone(id: string, oldestPending: number): RawBuilder<SqlBool> {
  const access = sql`kind in ('leaver', 'joiner')`;
  const isOpen = sql`exists (select 1 from users where users.id = ${id}
    and (${waits('cells', 'active')} or ${waits('cells', 'account')}))`;
  return sql`((${access} and not ${isOpen}) or (not ${access} and version < ${oldestPending}))`;
}

const isDue = (table: 'users' | 'groups') => sql`exists (select 1 from ${sql.table(table)} as home
  where home.id = changes.resource_id and home.due_at is not null)`;
/** Condition of a change that the service does not hold: somebody who is to be out counts also while that is held. */
const WAITS = sql`(${isDue('users')} or ${isDue('groups')} or (${IS_HELD_LEAVER}))`;

/** Forgets at most `limit` changes that wait for nothing any more; returns how many. */
export async function pruneChanges(tx: Db, { limit }: { readonly limit: number }): Promise<number> {
  const over = sql`select resource_id, version from changes where not ${WAITS} limit ${limit}`;
  const result = await sql`delete from changes
    where (resource_id, version) in (${over})`.execute(tx);
  return Number(result.numAffectedRows ?? 0);
}

/** Oldest accepted time (epoch milliseconds) and number of the changes of one kind that wait. */
interface WaitingChanges {
  readonly kind: string;
  readonly oldestAt: number;
  readonly count: number;
}

/** Counts the accepted changes that the service does not hold yet, by kind. */
export async function countWaitingChanges(db: Db): Promise<WaitingChanges[]> {
  const { rows } = await sql<{ kind: string; oldest: number; count: number }>`
    select kind, min(accepted_at) as oldest, count(*) as count from changes
    where ${WAITS} group by kind`.execute(db);
  return rows.map(({ kind, oldest, count }) => ({
    kind,
    oldestAt: Number(oldest),
    count: Number(count),
  }));
}

/** Traces of the changes of one resource that wait, the oldest first. */
export async function listTraces(db: Db, id: string, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('changes')
    .select('trace')
    .where('resource_id', '=', id)
    .where('trace', 'is not', null)
    .orderBy('version')
    .limit(limit)
    .execute();
  return rows.flatMap(({ trace }) => (trace === null ? [] : [trace]));
}

/** Somebody whose deactivation waits. */
export interface LateLeaver {
  readonly id: string;
  readonly version: number;
  /** Epoch milliseconds. */
  readonly acceptedAt: number;
  readonly userName: string;
  /** Plan that holds the deactivation until an operator decides; null: none does. */
  readonly plan: string | null;
}

/** Leavers who are not out. */
export interface LateLeavers {
  readonly count: number;
  /** The oldest of them first. */
  readonly some: readonly LateLeaver[];
}

/** Finds the leavers accepted before a time (epoch milliseconds) who are not out, whatever keeps them in. */
export async function findLateLeavers(
  db: Db,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<LateLeavers> {
  const { rows } = await sql<LateLeaver & { readonly count: number }>`
    select users.id, changes.version, changes.accepted_at as "acceptedAt",
      users.user_name as "userName", count(*) over () as count,
      (select min(action.plan_id) from plan_actions as action
        join plans as plan on plan.id = action.plan_id
        where action.resource_id = users.id and action.status = 'planned'
          and action.kind in ('user.deactivate', 'user.access')
          and plan.source in (${sql.join([...HOLDING_SOURCES])})) as plan
    from changes join users on users.id = changes.resource_id
    where changes.kind = 'leaver' and changes.accepted_at <= ${before} and ${WAITS}
    order by changes.accepted_at, users.id limit ${limit}`.execute(db);
  const some = rows.map(({ count: _, ...row }) => ({
    ...row,
    version: Number(row.version),
    acceptedAt: Number(row.acceptedAt),
  }));
  return { count: Number(rows[0]?.count ?? 0), some };
}
