import type { PlanOrigin } from '../../domain/plan.ts';
import { lockUntilCommit, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { findOne, type Row, updateWhere } from '../tables.ts';
import { countPlanActions } from './actions.ts';

/** A plan as stored. */
export type PlanRow = Row<'plans'>;

const NOTHING_LEFT = 'nothing was left of it';

/** Locks the making of plans, and finds the one of these sources that waits: nobody decides about it meanwhile. */
export async function lockHeld(
  tx: Db,
  sources: readonly PlanOrigin[],
): Promise<PlanRow | undefined> {
  await lockUntilCommit(tx, 'plans');
  return findOne(tx, 'plans', { status: 'held', source: sources }, { lock: true });
}

/** A plan that waits for an operator, with its number of changes that are still to be made. */
export type WaitingPlan = Pick<PlanRow, 'id' | 'source' | 'created_at' | 'reason'> & {
  readonly waiting: number;
};

/** Counts the changes of the plans that wait for an operator. */
export async function countWaitingPlans(db: Db): Promise<WaitingPlan[]> {
  const rows = await select<WaitingPlan>(db)`
    select plan.id, plan.source, plan.created_at, plan.reason,
      (select count(*) from plan_actions as action
        where action.plan_id = plan.id and action.status = 'planned') as waiting
    from plans as plan where plan.status = 'held' order by plan.seq`;
  return rows.map((row) => ({ ...row, waiting: Number(row.waiting) }));
}

/**
 * Discards those of these plans that wait and of which nothing is left, since nobody approved them, and returns them.
 * `now` is epoch milliseconds.
 */
export async function discardEmpty(tx: Db, ids: Iterable<string>, now: number): Promise<PlanRow[]> {
  const ended: PlanRow[] = [];
  for (const id of ids) {
    const plan = await findOne(tx, 'plans', { id }, { lock: true });
    if (plan?.status !== 'held' || (await countPlanActions(tx, id)).has('planned')) continue;
    const end = { reason: NOTHING_LEFT, decided_at: now, ended_at: now };
    ended.push(...(await updateWhere(tx, 'plans', { id }, { status: 'discarded', ...end })));
  }
  return ended;
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
