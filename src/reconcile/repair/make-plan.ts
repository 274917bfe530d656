import { createHash } from 'node:crypto';
import {
  exceedsLimit,
  findHarm,
  HARM_WINDOW_MS,
  type HarmKind,
  type HarmLimits,
} from '../../domain/harm.ts';
import { newId } from '../../domain/ids.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { PlanAction } from '../../domain/plan.ts';
import type { DriftRow } from '../../store/drifts.ts';
import { parseStored } from '../../store/engine/columns.ts';
import {
  countPopulation,
  type HarmSubject,
  insertPlan,
  listHarmed,
  type PlanRow,
} from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';

/** Action that repairs one drift. */
export function toPlanAction(row: DriftRow): PlanAction {
  const { kind, resource_type: type, resource_id: resourceId, member_id: memberId } = row;
  const desired = parseStored<JsonValue>(row.desired);
  const observed = parseStored<JsonValue>(row.observed);
  const harm = findHarm({ kind, desired, observed });
  return { kind, type, resourceId, memberId, desired, observed, harm };
}

/** Stores a plan of these actions. */
export async function addPlan(
  tx: Db,
  actions: readonly PlanAction[],
  plan: Pick<PlanRow, 'status' | 'source' | 'reason' | 'automatic'> & {
    readonly now: number;
    readonly undoes?: string;
    /** Operator who asked for it. */
    readonly by?: string;
  },
): Promise<PlanRow> {
  const { now, undoes, by, ...rest } = plan;
  const isDecided = plan.status !== 'held';
  const row = {
    ...rest,
    id: newId(),
    hash: toHash(actions),
    counts: JSON.stringify(countActions(actions)),
    undoes: undoes ?? null,
    created_at: now,
    decided_at: isDecided ? now : null,
    decided_by: by ?? null,
    ended_at: plan.status === 'discarded' ? now : null,
  };
  return insertPlan(tx, row, actions);
}

/** Hash over the actions and their preconditions, in any order. */
export function toHash(actions: readonly PlanAction[]): string {
  const lines = actions.map(({ kind, resourceId, memberId, desired, observed }) =>
    JSON.stringify([kind, resourceId, memberId, desired, observed]),
  );
  return createHash('sha256').update(lines.toSorted().join('\n')).digest('hex').slice(0, 32);
}

/** Counts the actions of each kind, and of each kind of harm. */
function countActions(actions: readonly PlanAction[]): JsonObject {
  const count = (names: readonly string[]) =>
    Object.fromEntries(
      Map.groupBy(names, (name) => name)
        .entries()
        .map(([name, all]) => [name, all.length]),
    );
  const harms = actions.flatMap(({ harm }) => harm ?? []);
  return {
    total: actions.length,
    kinds: count(actions.map(({ kind }) => kind)),
    harm: count(harms),
  };
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
