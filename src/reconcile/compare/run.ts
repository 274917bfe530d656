import { BridgeError } from '../../domain/errors.ts';
import type { Db } from '../../store/store.ts';
import { isSweepHeld, type SweepRow } from '../../store/sweeps.ts';
import type { FirstReadDeps } from '../read/step.ts';

/** Counts of one sweep. */
export interface SweepCounts {
  /** Users and groups that were compared. */
  users: number;
  groups: number;
  /** Drifts that are new, that were seen again, and that are gone. */
  opened: number;
  confirmed: number;
  gone: number;
  /** Users and groups that could not be compared: at work, just written, or not to be looked at. */
  unknown: number;
}

/** Nothing was found yet. */
export function createCounts(): SweepCounts {
  return { users: 0, groups: 0, opened: 0, confirmed: 0, gone: 0, unknown: 0 };
}

/** Dependencies of the reads of a sweep. */
export interface SweepReadDeps extends FirstReadDeps {
  /** Tells the workers that a resource became due. */
  readonly notify: () => void;
}

/** State that the parts of one sweep share. */
export interface SweepRun {
  readonly deps: SweepReadDeps;
  readonly sweep: Pick<SweepRow, 'id' | 'started_at' | 'reads_admins'>;
  /** How long after a write of our own a difference is none yet, in milliseconds. */
  readonly settleMs: number;
  readonly signal: AbortSignal;
  readonly counts: SweepCounts;
  /** Why something was not concluded. */
  readonly reasons: Set<string>;
}

/** The lists did not prove what they left out, so nothing may be concluded from any of them. */
export class IncompleteSweep extends BridgeError {
  constructor(reason: string) {
    super('sweep-incomplete', reason);
  }
}

/** Writes under the sweep that this process holds. @throws BridgeError `sweep-lost` when another one has it by now */
export async function writeHeld<T>(
  { deps, sweep }: SweepRun,
  work: (tx: Db) => Promise<T>,
): Promise<T> {
  return deps.store.write(async (tx) => {
    if (!(await isSweepHeld(tx, { id: sweep.id, owner: deps.owner }))) throw toLost();
    return work(tx);
  });
}

/** Another process goes on with the sweep. */
export function toLost(): BridgeError {
  return new BridgeError('sweep-lost', 'another process goes on with this sweep');
}
