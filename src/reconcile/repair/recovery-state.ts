import { deleteFact, findFact, saveFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';

/** Reason for holding pending changes: the store is taken to be older than the service, or was only used to observe. */
export type RecoveryReason =
  | { readonly code: 'restored' }
  | { readonly code: 'first-run' }
  | {
      readonly code: 'audit';
      /** Number of changes by our own account that no call of the ledger explains. */
      readonly events: number;
      /** Time of the last of them (epoch milliseconds). */
      readonly lastEventAt: number;
    };

/** Plan that waits for approval. */
export interface HeldPlan {
  /** Hash over the actions and their preconditions: exactly these are approved. */
  readonly hash: string;
  readonly actions: number;
  /** Beginning of the complete read that it rests on, and the time of its making (epoch milliseconds). */
  readonly readSince: number;
  readonly at: number;
}

/** Recovery whose plan is made. */
export interface PlannedRecovery {
  readonly phase: 'waiting' | 'releasing';
  /** Epoch milliseconds. */
  readonly since: number;
  readonly reason: RecoveryReason;
  readonly plan: HeldPlan;
}

/**
 * State of recovery; undefined in the store when there is none.
 * - `requested`: an operator says that a backup was restored; the next start begins
 * - `reading`: all pending changes are held, the whole service is being read
 * - `waiting`: the plan waits for an operator
 * - `releasing`: it was approved, and its actions become pending again
 */
export type RecoveryState =
  | { readonly phase: 'requested'; readonly since: number }
  | { readonly phase: 'reading'; readonly since: number; readonly reason: RecoveryReason }
  | PlannedRecovery;

const FACT = 'recovery';

/** Finds the state of recovery, undefined when there is none. */
export async function findRecovery(db: Db): Promise<RecoveryState | undefined> {
  return findFact<RecoveryState>(db, FACT);
}

/** Stores the state of recovery. `now` is epoch milliseconds. */
export async function saveRecovery(tx: Db, value: RecoveryState, now: number): Promise<void> {
  await saveFact(tx, { name: FACT, value, now });
}

/** Ends recovery. */
export async function endRecovery(tx: Db): Promise<void> {
  await deleteFact(tx, FACT);
}
