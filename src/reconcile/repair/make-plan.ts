import { findGrant } from '../../domain/change.ts';
import { exceedsLimit, GRANT_NAMES, HARM_WINDOW_MS, type HarmKind } from '../../domain/harm.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { changeDrifts, type DriftRow, listDrifts, toRepair } from '../../store/drifts.ts';
import { dropPlanAction } from '../../store/plans/actions.ts';
import {
  type AutomaticChange,
  countPopulation,
  listAutomaticChanges,
} from '../../store/plans/harm.ts';
import { discardEmpty, lockPlan, type PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { addPlan, type NewPlan } from '../add-plan.ts';
import type { DecisionDeps } from './deps.ts';

/** Stores a plan that repairs these drifts, which name it from then on. */
export async function planRepairs(
  tx: Db,
  drifts: readonly DriftRow[],
  standing: NewPlan,
): Promise<PlanRow> {
  const plan = await addPlan(tx, toRepairs(drifts), standing);
  await changeDrifts(tx, drifts, { plan_id: plan.id });
  return plan;
}

/** Lists the changes that repair these drifts. */
export function toRepairs(drifts: readonly DriftRow[]): PlanAction[] {
  return drifts.flatMap((drift) => toRepair(drift) ?? []);
}

/**
 * Lists the limits that these repairs would exceed together with the last 24 hours, in words; empty when
 * none. What repairs grant has the limits of what they take. The same change of the same user counts once.
 */
export async function listExceeded(
  tx: Db,
  { repair: { limit }, clock }: Pick<DecisionDeps, 'repair' | 'clock'>,
  actions: readonly PlanAction[],
): Promise<string[]> {
  const planned = gatherSubjects(actions);
  if (planned.size === 0) return [];
  const done = await listAutomaticChanges(tx, clock.now() - HARM_WINDOW_MS);
  const all = gatherSubjects([...actions, ...done]);
  const exceeded: string[] = [];
  for (const [name, { harm }] of planned) {
    const count = all.get(name)?.subjects.size ?? 0;
    const population = await countPopulation(tx, harm);
    if (!exceedsLimit(limit, { count, population })) continue;
    exceeded.push(
      `${name}: ${count} in 24 hours of ${population}, more than ${limit.count} or ${limit.percent} %`,
    );
  }
  return exceeded;
}

/** Gathers whom changes concern, by the name of the harm that they do, or of the opposite, which has the same limit. */
function gatherSubjects(
  changes: readonly (Omit<AutomaticChange, 'harm'> & {
    readonly harm: HarmKind | null | undefined;
  })[],
) {
  const gathered = new Map<string, { harm: HarmKind; subjects: Set<string> }>();
  for (const { kind, harm: done, resourceId, memberId } of changes) {
    const harm = done ?? findGrant(kind);
    if (harm === undefined) continue;
    const name = done ?? GRANT_NAMES[harm];
    const { subjects } = gathered.get(name) ?? { subjects: new Set<string>() };
    gathered.set(name, { harm, subjects: subjects.add(`${resourceId} ${memberId}`) });
  }
  return gathered;
}

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
