import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { PlanAction, PlanOrigin, PlanStatus } from '../../domain/plan.ts';
import { lockUntilCommit } from '../commit-lock.ts';
import type { PlansTable } from '../schema.ts';
import type { Db } from '../store.ts';
import { countPlanActions, deletePlanActions, insertPlanActions } from './actions.ts';

/** A plan as stored. */
export type PlanRow = Selectable<PlansTable>;

/** Reason of a plan that was discarded because nothing was left of it. */
const NOTHING_LEFT = 'nothing was left of it';

/** Adds a plan with its actions, and returns it as stored. */
export async function insertPlan(
  tx: Db,
  plan: Omit<PlanRow, 'seq'>,
  actions: readonly PlanAction[],
): Promise<PlanRow> {
  const stored = await tx.insertInto('plans').values(plan).returningAll().executeTakeFirstOrThrow();
  await insertPlanActions(tx, { id: plan.id, now: plan.created_at }, actions);
  return stored;
}

/** The plan with this id. */
export async function findPlan(db: Db, id: string): Promise<PlanRow | undefined> {
  return db.selectFrom('plans').selectAll().where('id', '=', id).executeTakeFirst();
}

/** Finds a plan and locks it until the transaction ends. */
export async function lockPlan(tx: Db, id: string): Promise<PlanRow | undefined> {
  return tx.selectFrom('plans').selectAll().where('id', '=', id).forUpdate().executeTakeFirst();
}

/** Plan that undoes another one and is not done. */
export async function findUndoing(db: Db, id: string): Promise<PlanRow | undefined> {
  const plans = db.selectFrom('plans').selectAll().where('undoes', '=', id);
  return plans.where('status', '=', 'approved').executeTakeFirst();
}

/** Locks the making of plans, and finds the one of these sources that waits: nobody decides about it meanwhile. */
export async function lockHeld(
  tx: Db,
  sources: readonly PlanOrigin[],
): Promise<PlanRow | undefined> {
  await lockUntilCommit(tx, 'plans');
  const held = tx.selectFrom('plans').selectAll().where('status', '=', 'held');
  return held.where('source', 'in', sources).forUpdate().executeTakeFirst();
}

/** A plan that waits for an operator, with its number of changes that are still to be made. */
export type WaitingPlan = Pick<PlanRow, 'id' | 'source' | 'created_at' | 'reason'> & {
  readonly waiting: number;
};

/** Counts the changes of the plans that wait for an operator. */
export async function countWaitingPlans(db: Db): Promise<WaitingPlan[]> {
  const { rows } = await sql<WaitingPlan>`
    select plan.id, plan.source, plan.created_at, plan.reason,
      (select count(*) from plan_actions as action
        where action.plan_id = plan.id and action.status = 'planned') as waiting
    from plans as plan where plan.status = 'held' order by plan.seq`.execute(db);
  return rows.map((row) => ({ ...row, waiting: Number(row.waiting) }));
}

/** Plans, the newest first. */
export async function listPlans(
  db: Db,
  query: { status: PlanStatus | undefined; beforeSeq: number; limit: number },
): Promise<PlanRow[]> {
  let plans = db.selectFrom('plans').selectAll().where('seq', '<', query.beforeSeq);
  if (query.status !== undefined) plans = plans.where('status', '=', query.status);
  return plans.orderBy('seq', 'desc').limit(query.limit).execute();
}

/** Plans that were decided and are not over, the oldest first. */
export async function listDecidedPlans(db: Db): Promise<PlanRow[]> {
  const decided = db
    .selectFrom('plans')
    .selectAll()
    .where('status', 'in', ['approved', 'discarded']);
  return decided.where('ended_at', 'is', null).orderBy('seq').execute();
}

/** Users and groups of an approved plan of going live or of recovery. */
interface ReleasedCounts {
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly total: number;
  readonly waiting: number;
  /** Those that wait and that the service refuses, or has no seat for. */
  readonly stuck: number;
}

/** Counts of how many users and groups something was released; undefined: no such plan is under way. */
export async function countReleased(db: Db): Promise<ReleasedCounts | undefined> {
  const count = (which: RawBuilder<unknown>) =>
    sql`count(distinct case when ${which} then action.resource_id end)`;
  const waits = sql`action.status = 'released'`;
  const isStuck = sql`action.resource_id in (
    select id from resources where stuck_at is not null or seat_since is not null)`;
  const { rows } = await sql<ReleasedCounts>`
    select plan.decided_at as "startedAt", count(distinct action.resource_id) as total,
      ${count(waits)} as waiting, ${count(sql`${waits} and ${isStuck}`)} as stuck
    from plans as plan join plan_actions as action on action.plan_id = plan.id
    where plan.status = 'approved' and plan.source in ('first-run', 'restore')
      and action.status in ('released', 'done')
    group by plan.seq, plan.decided_at order by plan.seq desc limit 1`.execute(db);
  const [row] = rows;
  if (row === undefined) return undefined;
  const { startedAt, total, waiting, stuck } = row;
  return { startedAt, total: Number(total), waiting: Number(waiting), stuck: Number(stuck) };
}

/** Changes the status of a plan. */
export async function updatePlan(
  tx: Db,
  id: string,
  change: Partial<Omit<PlanRow, 'seq' | 'id' | 'source' | 'undoes'>>,
): Promise<void> {
  await tx.updateTable('plans').set(change).where('id', '=', id).execute();
}

/**
 * Discards those of these plans that wait and of which nothing is left, since nobody approved them, and returns them.
 * `now` is epoch milliseconds.
 */
export async function discardEmpty(tx: Db, ids: Iterable<string>, now: number): Promise<PlanRow[]> {
  const ended: PlanRow[] = [];
  for (const id of ids) {
    const plan = await lockPlan(tx, id);
    if (plan?.status !== 'held' || (await countPlanActions(tx, id)).has('planned')) continue;
    const end = { reason: NOTHING_LEFT, decided_at: now, ended_at: now };
    const change = { status: 'discarded', ...end } as const;
    await updatePlan(tx, id, change);
    ended.push({ ...plan, ...change });
  }
  return ended;
}

/** Finds the plan of this source that is being made or waits. */
export async function findOpenPlan(tx: Db, source: PlanOrigin): Promise<PlanRow | undefined> {
  const plans = tx.selectFrom('plans').selectAll().where('source', '=', source);
  return plans.where('status', 'in', ['making', 'held']).forUpdate().executeTakeFirst();
}

/** Forgets a plan that was never shown. */
export async function deletePlan(tx: Db, id: string): Promise<void> {
  await deletePlanActions(tx, id);
  await tx.deleteFrom('plans').where('id', '=', id).execute();
}

/**
 * Forgets at most `limit` actions of plans that ended before `before` (epoch milliseconds), and those of the plans that
 * have none left; returns how many actions.
 */
export async function prunePlans(
  tx: Db,
  { before, limit }: { before: number; limit: number },
): Promise<number> {
  const old = tx.selectFrom('plans').select('id').where('ended_at', '<', before);
  const actions = tx.selectFrom('plan_actions').select('id').where('plan_id', 'in', old);
  const some = actions.orderBy('id').limit(limit);
  const result = await tx.deleteFrom('plan_actions').where('id', 'in', some).executeTakeFirst();
  const left = tx.selectFrom('plan_actions').select('plan_id').where('plan_id', 'in', old);
  const done = tx.deleteFrom('plans').where('ended_at', '<', before);
  await done.where('id', 'not in', left).execute();
  return Number(result.numDeletedRows);
}
