import { findGrant, findHarm } from '../../domain/change.ts';
import { BridgeError } from '../../domain/errors.ts';
import { exceedsLimit, GRANT_NAMES, HARM_WINDOW_MS, type HarmKind } from '../../domain/harm.ts';
import type { JsonValue } from '../../domain/json.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { changeDrifts, type DriftRow } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  type AutomaticChange,
  countPopulation,
  listAutomaticChanges,
} from '../../store/plans/harm.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { addPlan, type NewPlan } from '../add-plan.ts';
import type { DecisionDeps } from './deps.ts';

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
  await changeDrifts(tx, drifts, { plan_id: plan.id });
  return plan;
}

/**
 * Lists the limits that the repair of these drifts would exceed together with the last 24 hours, in words; empty when
 * none. What repairs grant has the limits of what they take. The same change of the same user counts once.
 */
export async function listExceeded(
  tx: Db,
  { repair: { limits }, clock }: Pick<DecisionDeps, 'repair' | 'clock'>,
  drifts: readonly DriftRow[],
): Promise<string[]> {
  const actions = drifts.map(toPlanAction);
  const planned = gatherSubjects(actions);
  if (planned.size === 0) return [];
  const done = await listAutomaticChanges(tx, clock.now() - HARM_WINDOW_MS);
  const all = gatherSubjects([...actions, ...done]);
  const exceeded: string[] = [];
  for (const [name, { harm }] of planned) {
    const count = all.get(name)?.subjects.size ?? 0;
    const population = await countPopulation(tx, harm);
    if (!exceedsLimit(limits, harm, { count, population })) continue;
    const limit = limits.kinds[harm];
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
