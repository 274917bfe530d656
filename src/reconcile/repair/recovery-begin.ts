import { countActions, toHash } from '../../plan/plan-summary.ts';
import { countDueChanges } from '../../store/due.ts';
import { insertPlanActions } from '../../store/plans/actions.ts';
import { endAllPlans, holdEverything } from '../../store/plans/held.ts';
import { findOpenPlan, updatePlan } from '../../store/plans/plans.ts';
import type { Db } from '../../store/store.ts';
import { UpstreamError } from '../../upstream/errors.ts';
import { addPlan } from '../add-plan.ts';
import { findLearnedAccount } from '../audit/origin.ts';
import type { FirstRead } from '../read/first-read.ts';
import type { ReadDeps } from '../read/reading.ts';
import { isAnswering } from '../read/service.ts';
import { type Mode, OBSERVING } from '../write-guard.ts';
import { type Detection, detectRestore } from './recovery-detect.ts';
import { RECOVERY, type RecoveryReason, type RecoveryState } from './recovery-state.ts';

/** Times that the audit log may fail while other reads work, before the bridge goes on without it. */
const AUDIT_FAILURES_MAX = 3;

/** Dependencies of recovery; `notify` tells the workers that a resource became due. */
export interface RecoveryDeps extends ReadDeps {
  readonly mode: Mode;
  readonly firstRead: FirstRead;
  readonly notify: () => void;
}

/** Attempts to find out the state of recovery: the number of those that failed. */
interface Attempts {
  readonly signal: AbortSignal;
  readonly failures: number;
}

/** Result of a start. */
interface Beginning {
  /** Undefined when the store is current, as far as can be told. */
  readonly state: RecoveryState | undefined;
  /** Undefined when there was no need to ask. */
  readonly detection: Detection | undefined;
}

/**
 * Finds the state of recovery, and begins recovery where the store is older than the service.
 * @throws UpstreamError, StoreError when it cannot be found out now
 */
export async function beginRecovery(deps: RecoveryDeps, attempts: Attempts): Promise<Beginning> {
  const state = await RECOVERY.find(deps.store.read);
  if (state?.phase === 'requested') {
    return { state: await enter(deps, { code: 'restored' }), detection: undefined };
  }
  // Before the first read is finished nothing is managed, so nothing can be done again.
  if (state !== undefined || !deps.firstRead.finished) return { state, detection: undefined };
  const detection = await detect(deps, attempts);
  const code = detection.kind === 'unknown' ? detection.code : 'audit';
  deps.events.recovery({ phase: detection.kind, code });
  if (detection.kind !== 'stale') return { state: undefined, detection };
  const { events, lastEventAt } = detection;
  return { state: await enter(deps, { code: 'audit', events, lastEventAt }), detection };
}

/**
 * Holds the changes that were accepted while observing, where the bridge is to be live now. It runs before the first
 * request is answered, because later changes are not held. @throws StoreError
 */
export async function goLive(deps: RecoveryDeps): Promise<void> {
  const { store, mode } = deps;
  if (mode === 'observe' || (await OBSERVING.find(store.read)) === undefined) return;
  const due = await countDueChanges(store.read, Number.MAX_SAFE_INTEGER, 1);
  const state = await RECOVERY.find(store.read);
  // A restored backup, told by an operator, holds everything in any case.
  if (due === 0 || state?.phase === 'requested') await store.write(OBSERVING.delete);
  else await enter(deps, state?.reason ?? { code: 'first-run' });
}

/** Finds out the age of the store. An audit log that fails for ever, while the rest works, must not hold every change. */
async function detect(deps: RecoveryDeps, { signal, failures }: Attempts): Promise<Detection> {
  try {
    const told = deps.firstRead.ownAccount();
    // Events of what the bridge created may tell the account, where the service does not.
    const ownAccount = told ?? (await findLearnedAccount(deps.store.read));
    return await detectRestore(deps, ownAccount, signal);
  } catch (error) {
    const isOften = error instanceof UpstreamError && failures + 1 >= AUDIT_FAILURES_MAX;
    if (isOften && (await isAnswering(deps))) return { kind: 'unknown', code: error.code };
    throw error;
  }
}

/** Holds the pending changes, and distrusts the observations, in one transaction. */
async function enter(
  { store, clock, events, mode }: RecoveryDeps,
  reason: RecoveryReason,
): Promise<RecoveryState> {
  const now = clock.now();
  const isFirstRun = reason.code === 'first-run';
  const entered = await store.write(async (tx) => {
    // Where another process has gone live, changes since then are not held again.
    const isLate = isFirstRun && (await OBSERVING.lock(tx)) === undefined;
    const begun = isLate ? await RECOVERY.find(tx) : undefined;
    if (begun !== undefined) return begun;
    const planId = await (isFirstRun ? openFirstRun(tx, now) : openRestore(tx, now));
    const held = await holdEverything(tx);
    if (isFirstRun) await insertPlanActions(tx, { id: planId, now }, held);
    const state = { phase: 'reading', since: now, reason, planId } as const;
    await RECOVERY.save(tx, state, now);
    // All pending changes are held now, for whichever reason they waited.
    if (mode === 'live') await OBSERVING.delete(tx);
    return state;
  });
  events.recovery({ phase: 'reading', code: reason.code });
  return entered;
}

/** Parts of a plan that is made once the service was read. */
const MAKING = { status: 'making', automatic: 0 } as const;

/** Ends all plans, because the store that they were made from is older than the service, and opens one. */
async function openRestore(tx: Db, now: number): Promise<string> {
  await endAllPlans(tx, { reason: 'a backup was restored', now });
  const reason = 'the store is older than what was done in the service';
  return (await addPlan(tx, [], { ...MAKING, source: 'restore', reason, now })).id;
}

/** Opens the plan of what waits after observing, again where one is open already. */
async function openFirstRun(tx: Db, now: number): Promise<string> {
  const source = 'first-run';
  const reason = 'it was asked for while the bridge observed';
  const open = await findOpenPlan(tx, source);
  if (open === undefined) return (await addPlan(tx, [], { ...MAKING, source, reason, now })).id;
  const empty = { hash: toHash([]), counts: JSON.stringify(countActions([])) };
  await updatePlan(tx, open.id, { ...empty, status: 'making', reason, created_at: now });
  return open.id;
}
