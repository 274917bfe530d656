import { BridgeError } from '../domain/errors.ts';
import { newId } from '../domain/ids.ts';
import type { PlanAction } from '../domain/plan.ts';
import {
  addCounts,
  countActions,
  type PlanCounts,
  toGrownHash,
  toHash,
} from '../plan/plan-summary.ts';
import { parseStored } from '../store/engine/columns.ts';
import { insertPlanActions, type PlanRow } from '../store/plans.ts';
import type { Db } from '../store/store.ts';
import { insertAll, updateWhere } from '../store/tables.ts';
import type { Events } from '../telemetry/events.ts';

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
  plan: NewPlan,
): Promise<PlanRow> {
  const { now, undoes, by, ...rest } = plan;
  const isDecided = plan.status !== 'held' && plan.status !== 'making';
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
  const [stored] = await insertAll(tx, 'plans', [row]);
  if (stored === undefined) throw new BridgeError('bug', 'a new plan is not there');
  await insertPlanActions(tx, { id: row.id, now }, actions);
  return stored;
}

/** Adds actions to a plan that waits. It has another hash from then on, so nobody approves what was not shown. */
export async function growPlan(
  tx: Db,
  plan: PlanRow,
  {
    actions,
    reason,
    now,
  }: Pick<PlanRow, 'reason'> & {
    readonly actions: readonly PlanAction[];
    readonly now: number;
  },
): Promise<PlanRow> {
  await insertPlanActions(tx, { id: plan.id, now }, actions);
  const counts = addCounts(parseStored<PlanCounts>(plan.counts), countActions(actions));
  const change = {
    hash: toGrownHash(plan.hash, actions),
    counts: JSON.stringify(counts),
    reason,
  };
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
