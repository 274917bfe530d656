import { deleteHeldActions, deleteHeldWishes } from '../../store/plans/held.ts';
import type { Db } from '../../store/store.ts';
import type { RecoveryDecisionDeps } from './recovery-begin.ts';
import { type Released, releasePlan } from './recovery-release.ts';
import { endRecovery, findRecovery, type PlannedRecovery, saveRecovery } from './recovery-state.ts';

/** Result of an operator's decision. */
export type Decision =
  | ({ readonly kind: 'done' } & Released)
  /** There is no plan that waits. */
  | { readonly kind: 'no-plan' }
  /** The plan that waits has another hash. */
  | { readonly kind: 'other-plan'; readonly hash: string };

/** Makes the plan with this hash pending again, as far as it still holds. */
export async function approvePlan(deps: RecoveryDecisionDeps, hash: string): Promise<Decision> {
  const { store, clock } = deps;
  return decide(deps, hash, async (state) => {
    const now = clock.now();
    await store.write((tx) => saveRecovery(tx, { ...state, phase: 'releasing' }, now));
    return releaseApproved(deps, state);
  });
}

/** Continues an approved plan, and ends recovery. */
export async function releaseApproved(
  deps: RecoveryDecisionDeps,
  { plan: { readSince }, reason }: PlannedRecovery,
): Promise<Released> {
  const released = await releasePlan(deps, { readSince, reason });
  await deps.store.write(finish);
  deps.events.recovery({ phase: 'over', code: 'approved', actions: released.released });
  deps.notify();
  return released;
}

/** Ends recovery without a plan: the changes accepted while observing are in the service already. */
export async function endEmpty({ store, events }: RecoveryDecisionDeps): Promise<void> {
  await store.write(finish);
  events.recovery({ phase: 'over', code: 'empty', actions: 0 });
}

/** Ends recovery, and holds nothing any more. */
async function finish(tx: Db): Promise<void> {
  await deleteHeldWishes(tx);
  await endRecovery(tx);
}

/** Leaves the service as it is: nothing of the plan with this hash is done. */
export async function discardPlan(deps: RecoveryDecisionDeps, hash: string): Promise<Decision> {
  return decide(deps, hash, async ({ plan }) => {
    await deps.store.write(async (tx) => {
      await deleteHeldActions(tx, Number.MAX_SAFE_INTEGER);
      await finish(tx);
    });
    deps.events.recovery({ phase: 'over', code: 'discarded', actions: 0 });
    return { released: 0, dropped: plan.actions };
  });
}

async function decide(
  { store }: RecoveryDecisionDeps,
  hash: string,
  act: (state: PlannedRecovery) => Promise<Released>,
): Promise<Decision> {
  const state = await findRecovery(store.read);
  if (state?.phase !== 'waiting') return { kind: 'no-plan' };
  if (state.plan.hash !== hash) return { kind: 'other-plan', hash: state.plan.hash };
  return { kind: 'done', ...(await act(state)) };
}
