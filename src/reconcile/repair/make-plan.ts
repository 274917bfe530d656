import { findHarm } from '../../domain/change.ts';
import { BridgeError } from '../../domain/errors.ts';
import { exceedsLimit, HARM_WINDOW_MS, type HarmKind, type HarmLimits } from '../../domain/harm.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { changeDrifts, type DriftRow } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import { countPopulation, type HarmSubject, listHarmed } from '../../store/plans/harm.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { addPlan, type NewPlan } from '../add-plan.ts';

/** Makes the action that repairs one drift. @throws BridgeError `bug` for a drift of something unmanaged */
export function toPlanAction(row: DriftRow): PlanAction {
  const { change: kind, resource_type: type, resource_id: resourceId, member_id: memberId } = row;
  if (kind === null) throw new BridgeError('bug', `no change repairs ${row.kind}`);
  const desired = parseStored<JsonValue>(row.desired);
  const observed = parseStored<JsonValue>(row.observed);
  const harm = findHarm({ kind, desired, observed });
  return { kind, type, resourceId, memberId, desired, observed, harm };
}

/** Stores a plan that repairs these drifts, which name it from then on. */
export async function planRepairs(
  tx: Db,
  drifts: readonly DriftRow[],
  standing: NewPlan,
): Promise<PlanRow> {
  const plan = await addPlan(tx, drifts.map(toPlanAction), standing);
  await changeDrifts(
    tx,
    drifts.map(({ id }) => id),
    { plan_id: plan.id },
  );
  return plan;
}

/**
 * Lists the limits that a plan would exceed together with the last 24 hours, in words; empty when none. The same loss
 * of the same user counts once.
 */
export async function listExceeded(
  tx: Db,
  limits: HarmLimits,
  { actions, now, waiting }: Harming,
): Promise<string[]> {
  const planned = countSubjects([...actions, ...waiting]);
  if (planned.size === 0) return [];
  const done = await listHarmed(tx, now - HARM_WINDOW_MS);
  const counts = countSubjects([...actions, ...waiting, ...done]);
  const exceeded: string[] = [];
  for (const harm of planned.keys()) {
    const count = counts.get(harm) ?? 0;
    const population = await countPopulation(tx, harm);
    if (!exceedsLimit(limits, harm, { count, population })) continue;
    const limit = limits.kinds[harm];
    exceeded.push(
      `${harm}: ${count} in 24 hours of ${population}, more than ${limit.count} or ${limit.percent} %`,
    );
  }
  return exceeded;
}

/** Actions of a new plan, and those of the plan that waits already. */
interface Harming {
  readonly actions: readonly PlanAction[];
  readonly waiting: readonly PlanAction[];
  /** Epoch milliseconds. */
  readonly now: number;
}

function countSubjects(
  actions: readonly (Pick<PlanAction, 'harm'> & Omit<HarmSubject, 'harm'>)[],
): Map<HarmKind, number> {
  const subjects = new Map<HarmKind, Set<string>>();
  for (const { harm, resourceId, memberId } of actions) {
    if (harm === undefined) continue;
    const known = subjects.get(harm) ?? new Set();
    subjects.set(harm, known.add(`${resourceId} ${memberId}`));
  }
  return new Map([...subjects].map(([harm, { size }]) => [harm, size]));
}
