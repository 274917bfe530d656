import { createHash } from 'node:crypto';
import { newId } from '../domain/ids.ts';
import type { JsonObject } from '../domain/json.ts';
import type { PlanAction } from '../domain/plan.ts';
import { parseStored } from '../store/engine/columns.ts';
import { insertPlanActions, type PlanRow } from '../store/plans.ts';
import type { Db } from '../store/store.ts';
import { insertOne, updateWhere } from '../store/tables.ts';
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

const NOTHING: PlanSum = { hash: '', counts: { total: 0, kinds: {}, harm: {} } };

/** Sums up actions. @param before the sum of the plan to which they are added */
export function sumUp(actions: readonly PlanAction[], { hash, counts } = NOTHING): PlanSum {
  const lines = actions.map(({ kind, resourceId, memberId, desired, observed }) =>
    JSON.stringify([kind, resourceId, memberId, desired, observed]),
  );
  const text = [hash, ...lines.toSorted()].join('\n');
  const kinds = { ...counts.kinds };
  const harms = { ...counts.harm };
  for (const { kind, harm } of actions) {
    kinds[kind] = (kinds[kind] ?? 0) + 1;
    if (harm !== undefined) harms[harm] = (harms[harm] ?? 0) + 1;
  }
  return {
    hash: createHash('sha256').update(text).digest('hex').slice(0, 32),
    counts: { total: counts.total + actions.length, kinds, harm: harms },
  };
}

/** The columns of a sum. */
export const toSumColumns = ({ hash, counts }: PlanSum) => ({
  hash,
  counts: JSON.stringify(counts),
});

/** Standing of a new plan, which by default counts for no limit. */
export interface NewPlan
  extends Pick<PlanRow, 'status' | 'source'>,
    Partial<Pick<PlanRow, 'reason' | 'automatic' | 'undoes'>> {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Operator who asked for it. */
  readonly by?: string;
}

/** Stores a plan of these actions. */
export async function addPlan(
  tx: Db,
  actions: readonly PlanAction[],
  { now, by, reason = null, automatic = 0, undoes = null, status, source }: NewPlan,
): Promise<PlanRow> {
  const isDecided = status !== 'held' && status !== 'making';
  const row = {
    status,
    source,
    reason,
    automatic,
    undoes,
    decided_by: by ?? null,
    ...toSumColumns(sumUp(actions)),
    id: newId(),
    created_at: now,
    decided_at: isDecided ? now : null,
    ended_at: status === 'discarded' ? now : null,
  };
  const stored = await insertOne(tx, 'plans', row);
  await insertPlanActions(tx, { id: row.id, now }, actions);
  return stored;
}

/** Adds actions to a plan that waits. It has another hash from then on, so nobody approves what was not shown. */
export async function growPlan(
  tx: Db,
  plan: PlanRow,
  actions: readonly PlanAction[],
  { reason, now }: { readonly reason: string; readonly now: number },
): Promise<PlanRow> {
  await insertPlanActions(tx, { id: plan.id, now }, actions);
  const before = { hash: plan.hash, counts: parseStored<PlanCounts>(plan.counts) };
  const change = { ...toSumColumns(sumUp(actions, before)), reason };
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
