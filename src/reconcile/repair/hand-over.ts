import type { JsonObject } from '../../domain/json.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { parseStored, toGroupColumns, toUserColumns } from '../../store/engine/columns.ts';
import { type PlanActionRow, updatePlanActions } from '../../store/plans/actions.ts';
import { lockHeldPlanOf, type PlanRow } from '../../store/plans/plans.ts';
import { isUserRow, lockRow, type ResourceRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { addPlan, growPlan, tellPlan } from '../add-plan.ts';
import type { ProcessDeps } from '../deps.ts';

/** The provider whose a user or group is, and the id by which that one knows it. */
interface Ownership {
  readonly provider: string;
  /** null: it gave none, or is yet to give it. */
  readonly externalId: string | null;
}

/** A user or group that goes from one provider to another. */
export interface HandOver {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly from: Ownership;
  readonly to: Ownership;
}

/** Result of planning a handover: a plan that waits for an operator, or the one that waits already. */
export type PlannedHandover =
  | { readonly kind: 'planned'; readonly plan: PlanRow }
  | { readonly kind: 'waits'; readonly plan: PlanRow };

/** Actions that are added at once. */
const PART = 200;
/** Stores a plan that hands over, for an operator to approve. @param reason in words */
export async function planHandover(
  { store, clock, events }: Pick<ProcessDeps, 'store' | 'clock' | 'events'>,
  handovers: readonly HandOver[],
  reason: string,
): Promise<PlannedHandover> {
  const planned = await store.write(async (tx): Promise<PlannedHandover> => {
    const waiting = await lockHeldPlanOf(tx, 'handover');
    if (waiting !== undefined) return { kind: 'waits', plan: waiting };
    const now = clock.now();
    const first = handovers.slice(0, PART).map(toAction);
    const standing = { status: 'held', source: 'handover', reason, automatic: 0, now } as const;
    let plan = await addPlan(tx, first, standing);
    for (let at = PART; at < handovers.length; at += PART) {
      const actions = handovers.slice(at, at + PART).map(toAction);
      plan = await growPlan(tx, plan, { actions, reason, now });
    }
    return { kind: 'planned', plan };
  });
  if (planned.kind === 'planned') {
    tellPlan(events, planned.plan);
  }
  return planned;
}

function toAction({ type, id, from, to }: HandOver): PlanAction {
  return {
    kind: `${type}.hand-over`,
    ...{ type, resourceId: id, memberId: '' },
    ...{ desired: { ...to }, observed: { ...from }, harm: undefined },
  };
}

/** Does actions of an approved plan, each as far as nothing of it has changed since. Nothing of it reaches the service. */
export async function handOverAll(
  tx: Db,
  deps: Pick<ProcessDeps, 'clock'>,
  actions: readonly PlanActionRow[],
): Promise<void> {
  const done: number[] = [];
  const dropped: number[] = [];
  for (const action of actions) {
    const isDone = await handOver(tx, deps, action);
    (isDone ? done : dropped).push(action.id);
  }
  await updatePlanActions(tx, done, { status: 'done' });
  await updatePlanActions(tx, dropped, { status: 'dropped' });
}

async function handOver(
  tx: Db,
  { clock }: Pick<ProcessDeps, 'clock'>,
  { resource_type: type, resource_id: id, desired, observed }: PlanActionRow,
): Promise<boolean> {
  const { provider, externalId } = parseStored<Ownership>(desired);
  const row = await lockRow(tx, { type, id });
  if (row === undefined || !isOwnedAs(row, observed)) return false;
  if (!(await isProvider(tx, provider))) return false;
  const { externalId: _, ...others } = parseStored<JsonObject>(row.attributes);
  const attributes = externalId === null ? others : { ...others, externalId };
  const change = { provider, version: row.version + 1, modified_at: clock.now() };
  const columns = isUserRow(row) ? toUserColumns(attributes) : toGroupColumns(attributes);
  await updateRow(tx, row, { ...change, ...toNewIds(columns) });
  return true;
}

/** No name changes, so nobody is followed by one. */
function toNewIds({ attributes, external_id }: Pick<ResourceRow, 'attributes' | 'external_id'>) {
  return { attributes, external_id };
}

/** True when a user or group is still whose it was, under the same id. @param owned as a plan has it */
export function isOwnedAs(row: ResourceRow, owned: string): boolean {
  const { provider, externalId } = parseStored<Ownership>(owned);
  if (row.origin === null || row.deleted_at !== null) return false;
  return row.provider === provider && row.external_id === externalId;
}
