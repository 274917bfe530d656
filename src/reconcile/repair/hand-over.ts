import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { isProvider } from '../../store/credentials/providers.ts';
import { parseStored, toGroupColumns, toUserColumns } from '../../store/engine/columns.ts';
import { lockHeld, type PlanRow } from '../../store/plans/plans.ts';
import { type ResourceRow, updateRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import { addPlan, tellPlan } from '../add-plan.ts';
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

/** Stores a plan that hands over, for an operator to approve. @param reason in words */
export async function planHandover(
  { store, clock, events }: Pick<ProcessDeps, 'store' | 'clock' | 'events'>,
  handovers: readonly HandOver[],
  reason: string,
): Promise<PlannedHandover> {
  const planned = await store.write(async (tx): Promise<PlannedHandover> => {
    const waiting = await lockHeld(tx, ['handover']);
    if (waiting !== undefined) return { kind: 'waits', plan: waiting };
    const standing = { status: 'held', source: 'handover', reason, automatic: 0 } as const;
    const actions = handovers.map(toAction);
    const plan = await addPlan(tx, actions, { ...standing, now: clock.now() });
    return { kind: 'planned', plan };
  });
  if (planned.kind === 'planned') tellPlan(events, planned.plan);
  return planned;
}

function toAction({ type, id, from, to }: HandOver): PlanAction {
  return {
    kind: `${type}.hand-over`,
    ...{ type, resourceId: id, memberId: '' },
    ...{ desired: { ...to }, observed: { ...from }, harm: undefined },
  };
}

/** Gives a user or group to another provider, unless it has changed hands since. Nothing of it reaches the service. */
export async function handOver(
  tx: Db,
  { clock }: Pick<ProcessDeps, 'clock'>,
  row: ResourceRow,
  { desired, observed }: PlanAction,
): Promise<boolean> {
  const { provider, externalId } = toOwnership(desired);
  if (!isOwnedAs(row, observed) || !(await isProvider(tx, provider))) return false;
  const { externalId: _, ...others } = parseStored<JsonObject>(row.attributes);
  const attributes = externalId === null ? others : { ...others, externalId };
  const columns = row.type === 'user' ? toUserColumns(attributes) : toGroupColumns(attributes);
  // No name changes, so nobody is followed by one.
  await updateRow(tx, row, {
    provider,
    version: row.version + 1,
    modified_at: clock.now(),
    attributes: columns.attributes,
    external_id: columns.external_id,
  });
  return true;
}

/** True when a user or group is still whose it was, under the same id. @param owned as a plan has it */
export function isOwnedAs(row: ResourceRow, owned: JsonValue): boolean {
  const { provider, externalId } = toOwnership(owned);
  if (row.origin === null || row.deleted_at !== null) return false;
  return row.provider === provider && row.external_id === externalId;
}

function toOwnership(owned: JsonValue): Ownership {
  const { provider, externalId } = isJsonObject(owned) ? owned : {};
  return {
    provider: String(provider),
    externalId: typeof externalId === 'string' ? externalId : null,
  };
}
