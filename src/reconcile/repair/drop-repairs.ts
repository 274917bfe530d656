import { type DriftRow, listDrifts } from '../../store/drifts.ts';
import { dropPlanAction } from '../../store/plans/actions.ts';
import { discardEmpty, lockPlan, type PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { tellPlan } from '../add-plan.ts';
import type { ProcessDeps } from '../deps.ts';

/**
 * Finds the drifts with these ids, and locks the plans of their repairs: nothing of them is released until the
 * transaction ends. Comes before the users and groups are locked, as in all that release plans.
 */
export async function lockDrifts(
  tx: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DriftRow>> {
  const before = await listDrifts(tx, ids);
  const planIds = new Set(before.flatMap(({ plan_id }) => plan_id ?? []));
  for (const planId of [...planIds].toSorted()) await lockPlan(tx, planId);
  // A plan may have been released before it was locked.
  const drifts = planIds.size === 0 ? before : await listDrifts(tx, ids);
  return new Map(drifts.map((drift) => [drift.id, drift]));
}

/**
 * Drops the repairs of these drifts from the plans that wait, or of which they are not released yet. Plans that wait and
 * of which nothing is left are discarded and returned. `now` is epoch milliseconds.
 */
export async function dropRepairs(
  tx: Db,
  drifts: readonly DriftRow[],
  now: number,
): Promise<PlanRow[]> {
  const shrunk: string[] = [];
  for (const [planId, some] of Map.groupBy(drifts, ({ plan_id }) => plan_id)) {
    const status = planId === null ? undefined : (await lockPlan(tx, planId))?.status;
    if (planId === null || (status !== 'held' && status !== 'approved')) continue;
    for (const { change: kind, resource_id, member_id } of some) {
      if (kind !== null) await dropPlanAction(tx, planId, { kind, resource_id, member_id });
    }
    shrunk.push(planId);
  }
  return discardEmpty(tx, shrunk, now);
}

/** Tells telemetry of plans that were discarded because nothing is left of them. */
export function tellDiscarded(
  events: Pick<ProcessDeps['events'], 'plan'>,
  plans: readonly PlanRow[],
): void {
  for (const plan of plans) tellPlan(events, plan, 0);
}
