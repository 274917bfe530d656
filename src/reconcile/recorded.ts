import { oldestPending } from '../domain/cell.ts';
import type { GroupId, ResourceKey, UserId } from '../domain/ids.ts';
import { parseCells, parseStored } from '../store/engine/columns.ts';
import { listProgress } from '../store/resources/progress.ts';
import type { Db } from '../store/store.ts';
import type { Problem } from './outcome.ts';

/** Problem as stored with a refused write. */
export function parseProblem(text: string): Problem {
  return parseStored<Problem>(text);
}

/** Write that was taken back, with the words of the service. */
export interface Undone {
  readonly version: number;
  readonly problem: Problem;
}

/** Progress of the service with a resource, as of one reading of it. */
export interface Progress {
  /** Version that was read: nothing is said of later writes. */
  readonly version: number;
  /** Oldest version that still waits; undefined when everything holds. */
  readonly oldestPending: number | undefined;
}

/** Progress of a missing resource: nothing waits. */
export const GONE: Progress = { version: Number.POSITIVE_INFINITY, oldestPending: undefined };

/**
 * Makes the progress of a stored resource; `oldestLink` is the oldest version that waits among its members and admins.
 */
export function toProgress(
  row: { readonly version: number; readonly cells: string },
  oldestLink?: number,
): Progress {
  const own = oldestPending(parseCells(row));
  const isBoth = own !== undefined && oldestLink !== undefined;
  return {
    version: row.version,
    oldestPending: isBoth ? Math.min(own, oldestLink) : (own ?? oldestLink),
  };
}

/** Reads the progress of a resource. */
export async function readProgress(db: Db, key: ResourceKey): Promise<Progress> {
  const [row] = await listProgress(db, [key]);
  return row === undefined ? GONE : toProgress(row, row.oldestLink);
}

/** Result of recording a step. */
export type Recorded<State> = Going<State> | Finished;

/** A step after which the same run takes another one. */
interface Going<State> {
  readonly finished: false;
  readonly state: State;
  readonly undone: readonly Undone[];
  readonly notified: readonly (GroupId | UserId)[];
}

/** The last step of a run. */
interface Finished extends Progress {
  readonly finished: true;
  /** Time of the next attempt at a failed step (epoch milliseconds). */
  readonly retryAt?: number;
  /** Writes that were taken back. */
  readonly undone: readonly Undone[];
  readonly notified: readonly (GroupId | UserId)[];
}
