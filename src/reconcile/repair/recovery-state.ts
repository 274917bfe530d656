import { isOfRecovery } from '../../domain/plan.ts';
import { createFact } from '../../store/facts.ts';
import { countPlanActions, type PlanRow } from '../../store/plans.ts';
import type { ProcessDeps } from '../deps.ts';

/**
 * Reason for holding pending changes: an operator or the audit log says that the store is older than the service, or it was
 * only used to observe.
 */
export type RecoveryCode = 'restored' | 'audit' | 'first-run';

/**
 * State of recovery; undefined in the store when there is none.
 * - `requested`: an operator says that a backup was restored; the next start begins
 * - `reading`: all pending changes are held, the whole service is being read
 * - `waiting`: the plan waits for an operator, or is followed
 */
export type RecoveryState =
  | { readonly phase: 'requested'; readonly since: number }
  | {
      readonly phase: 'reading' | 'waiting';
      readonly since: number;
      readonly reason: { readonly code: RecoveryCode };
      readonly planId: string;
    };

/** The state of recovery, as processes share it. */
export const RECOVERY = createFact<RecoveryState>('recovery');

/** Ends the recovery that a plan was made for, if it was: nothing of it is held any more. */
export async function endRecovery(
  { store, events }: Pick<ProcessDeps, 'store' | 'events'>,
  { id, source, status }: Pick<PlanRow, 'id' | 'source' | 'status'>,
): Promise<void> {
  if (!isOfRecovery(source)) return;
  const actions = await store.write(async (tx) => {
    const state = await RECOVERY.lock(tx);
    if (state?.phase !== 'waiting' || state.planId !== id) return undefined;
    await RECOVERY.delete(tx);
    return (await countPlanActions(tx, id)).get('released') ?? 0;
  });
  if (actions === undefined) return;
  events.recovery({ phase: 'over', code: status, actions });
  store.bell.ring('decided');
}
