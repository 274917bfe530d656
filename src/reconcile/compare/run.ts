import { BridgeError } from '../../domain/errors.ts';
import { findNewestOwnCallFor } from '../../store/audit/own-calls.ts';
import type { Db } from '../../store/store.ts';
import type { ReadDeps } from '../read/reading.ts';

/** Counts of one sweep. */
export interface SweepCounts {
  /** Users and groups that were compared. */
  users: number;
  groups: number;
  /** Numbers of drifts that are new, that were seen again, and that are gone. */
  opened: number;
  confirmed: number;
  gone: number;
  /** Users and groups that could not be compared: at work, just written, or not to be looked at. */
  unknown: number;
}

/** Dependencies of the reads of a sweep. */
export interface SweepReadDeps extends ReadDeps {
  /** Tells the workers that a resource became due. */
  readonly notify: () => void;
}

/** State that the parts of one sweep share. */
export interface SweepRun {
  readonly deps: SweepReadDeps;
  /** Time after a write of our own in which a difference is not drift yet, in milliseconds. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
  readonly counts: SweepCounts;
  /** Reasons why something was not concluded. */
  readonly reasons: Set<string>;
}

/** Failure of a sweep whose lists were not complete, so that nothing may be concluded. */
export class IncompleteSweep extends BridgeError {
  constructor(reason: string) {
    super('sweep-incomplete', reason);
  }
}

/** Finds when a difference may be drift (epoch milliseconds): `settleMs` after a write of our own, which the service may show late. */
export async function findQuietAt(db: Db, id: string, settleMs: number): Promise<number> {
  return ((await findNewestOwnCallFor(db, id)) ?? 0) + settleMs;
}
