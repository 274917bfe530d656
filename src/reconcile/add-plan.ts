import { createHash } from 'node:crypto';
import { BridgeError } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { PlanAction } from '../domain/plan.ts';
import { parseStored } from '../store/engine/columns.ts';
import { insertPlanActions, type PlanRow } from '../store/plans.ts';
import type { Db } from '../store/store.ts';
import { insertAll, updateWhere } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';

/** Numbers of actions: all, of each kind, and of each kind of harm. */
export interface PlanCounts extends JsonObject {
  readonly total: number;
  readonly kinds: Readonly<Record<string, number>>;
  readonly harm: Readonly<Record<string, number>>;
}

/** What tells a plan from others, and its size. */
export interface PlanSum {
  /** Hash over the actions and their preconditions, in any order. */
  readonly hash: string;
  readonly counts: PlanCounts;
}

/** Sums up actions. @param before the sum of the plan to which they are added */
export function sumUp(actions: readonly PlanAction[], before?: PlanSum): PlanSum {
  const lines = actions.map(({ kind, resourceId, memberId, desired, observed }) =>
    JSON.stringify([kind, resourceId, memberId, desired, observed]),
  );
  const added = digest(lines.toSorted().join('\n'));
  const { total = 0, kinds, harm } = before?.counts ?? {};
  return {
    hash: before === undefined ? added : digest(`${before.hash}\n${added}`),
    counts: {
      total: total + actions.length,
      kinds: count(
        actions.map(({ kind }) => kind),
        kinds,
      ),
      harm: count(
        actions.flatMap((action) => action.harm ?? []),
        harm,
      ),
    },
  };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function count(names: readonly string[], before: PlanCounts['kinds'] = {}): PlanCounts['kinds'] {
  const counts: Record<string, number> = { ...before };
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

/** The columns of a sum. */
export const toSumColumns = ({ hash, counts }: PlanSum) => ({
  hash,
  counts: JSON.stringify(counts),
});

/** Standing of a new plan. */
export interface NewPlan extends Pick<PlanRow, 'status' | 'source' | 'reason' | 'automatic'> {
  /** Epoch milliseconds. */
  readonly now: number;
  readonly undoes?: string;
  /** Operator who asked for it. */
  readonly by?: string;
}

/** Stores a plan of these actions. */
export async function addPlan(
  tx: Db,
  actions: readonly PlanAction[],
  { now, undoes, by, ...standing }: NewPlan,
): Promise<PlanRow> {
  const isDecided = standing.status !== 'held' && standing.status !== 'making';
  const row = {
    ...standing,
    ...toSumColumns(sumUp(actions)),
    id: newId(),
    undoes: undoes ?? null,
    created_at: now,
    decided_at: isDecided ? now : null,
    decided_by: by ?? null,
    ended_at: standing.status === 'discarded' ? now : null,
  };
  const [stored] = await insertAll(tx, 'plans', [row]);
  if (stored === undefined) throw new BridgeError('bug', 'a new plan is not there');
  await insertPlanActions(tx, { id: row.id, now }, actions);
  return stored;
}

/** Adds actions to a plan that waits. It has another hash from then on, so nobody approves what was not shown. */
export async function growPlan(
  tx: Db,
  plan: PlanRow,
  actions: readonly PlanAction[],
  { reason, now }: Pick<NewPlan, 'reason' | 'now'>,
): Promise<PlanRow> {
  await insertPlanActions(tx, { id: plan.id, now }, actions);
  const { hash, counts } = plan;
  const sum = sumUp(actions, { hash, counts: parseStored<PlanCounts>(counts) });
  const change = { ...toSumColumns(sum), reason };
  await updateWhere(tx, 'plans', { id: plan.id }, change);
  return { ...plan, ...change };
}

/** Tells telemetry of a plan that was made, has grown or has another status now. @param actions by default all of it */
export function tellPlan(
  events: Pick<Events, 'plan'>,
  { id, status, source, counts }: PlanRow,
  actions = parseStored<PlanCounts>(counts).total,
): void {
  events.plan({ planId: id, status, source, actions });
}
