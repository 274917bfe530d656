import { toChangeKey } from '../../domain/change.ts';
import type { PlanAction } from '../../domain/plan.ts';
import { forgetRemoval } from '../../store/changes.ts';
import { type DriftRow, endDrifts, toRepair } from '../../store/drifts.ts';
import type { PlanRow } from '../../store/plans/plans.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { isLinked, toObservation } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import type { ProcessDeps } from '../deps.ts';
import { type Current, isStillSo, lockCurrent, toOwnPart } from './current.ts';
import { desire, restore } from './desire.ts';

/** Dependencies of accepting. */
type AcceptDeps = Pick<ProcessDeps, 'clock' | 'rules' | 'policy'>;

/** Reason why a drift is left as it is. */
export const IS_CHANGED = 'The service holds something else by now.';

/**
 * Accepts the observed value as the desired one. The caller has entered the rules (`enterRules`, `names`). Returns the
 * reason why it is not accepted.
 */
export async function acceptDrift(
  tx: Db,
  deps: AcceptDeps,
  drift: DriftRow,
): Promise<string | undefined> {
  const repair = toRepair(drift);
  if (repair === undefined) return 'It is unmanaged: take it over instead.';
  const current = await lockCurrent(tx, deps, { type: repair.type, id: repair.resourceId });
  if (current === undefined || !isStillSo(current, repair)) return IS_CHANGED;
  if (!(await desire(tx, deps, current.row, { ...repair, value: repair.observed })))
    return 'It was deleted, or another group has its name.';
  await endDrifts(tx, [drift], { status: 'accepted', now: deps.clock.now() });
  return undefined;
}

/**
 * Makes what the service holds the desired state of a change of a discarded plan that held it back, so that no policy
 * makes the change after all. The caller has entered the rules.
 */
export async function acceptHeld(
  tx: Db,
  deps: AcceptDeps,
  {
    plan,
    action,
    current: { row, changes },
  }: { readonly plan: PlanRow; readonly action: PlanAction; readonly current: Current },
): Promise<void> {
  if (action.kind.endsWith('.create') && isStillMissing(row, plan)) {
    await desire(tx, deps, row, { ...action, value: null });
    return;
  }
  const known = changes.get(toChangeKey(action));
  if (known === undefined) return;
  if (row.type === 'user') await forgetRemoval(tx, row, row.version);
  if (row.deleted_at !== null) return restore(tx, deps, row, action);
  await desire(tx, deps, row, { ...action, value: toOwnPart(known.observed, action.desired) });
}

/** True for a user or group that the service had, and that the read for the plan did not show. */
function isStillMissing(row: ResourceRow, { created_at: readSince }: PlanRow): boolean {
  const seenAt = toObservation(row)?.at ?? 0;
  return row.deleted_at === null && isLinked(row) && seenAt < readSince;
}
