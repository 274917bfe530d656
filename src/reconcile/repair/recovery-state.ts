import { deleteFact, findFact, saveFact } from '../../store/facts.ts';
import type { Db } from '../../store/store.ts';

/** Why what waits is held: the store is taken to be older than what was done, or was only used to observe. */
export type RecoveryReason =
  | { readonly code: 'restored' }
  | { readonly code: 'first-run' }
  | {
      readonly code: 'audit';
      /** Changes by our own account that no call of the ledger explains. */
      readonly events: number;
      /** When the last of them happened (epoch milliseconds). */
      readonly lastEventAt: number;
    };

/** Plan that waits for approval. */
export interface HeldPlan {
  /** Over the actions and their preconditions: what is approved is exactly this. */
  readonly hash: string;
  readonly actions: number;
  /** When the complete read that it rests on began, and when it was made (epoch milliseconds). */
  readonly readSince: number;
  readonly at: number;
}

/** A recovery whose plan is made. */
export interface PlannedRecovery {
  readonly phase: 'waiting' | 'releasing';
  /** Epoch milliseconds. */
  readonly since: number;
  readonly reason: RecoveryReason;
  readonly plan: HeldPlan;
}

/**
 * Where recovery stands; undefined in the store: there is none.
 * - `requested`: an operator says that a backup was restored; the next start begins
 * - `reading`: everything that waited is held, the whole service is being read
 * - `waiting`: the plan waits for an operator
 * - `releasing`: it was approved, and its actions become pending again
 */
export type RecoveryState =
  | { readonly phase: 'requested'; readonly since: number }
  | { readonly phase: 'reading'; readonly since: number; readonly reason: RecoveryReason }
  | PlannedRecovery;

const FACT = 'recovery';

/** Where recovery stands, undefined: there is none. */
export async function findRecovery(db: Db): Promise<RecoveryState | undefined> {
  return findFact<RecoveryState>(db, FACT);
}

/** Stores where recovery stands. `now` is epoch milliseconds. */
export async function saveRecovery(tx: Db, value: RecoveryState, now: number): Promise<void> {
  await saveFact(tx, { name: FACT, value, now });
}

/** Ends recovery. */
export async function endRecovery(tx: Db): Promise<void> {
  await deleteFact(tx, FACT);
}
