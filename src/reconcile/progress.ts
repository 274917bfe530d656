import { listWaiting } from '../domain/cell.ts';
import type { ResourceKey } from '../domain/ids.ts';
import { listProgress } from '../store/due.ts';
import { parseCells } from '../store/engine/columns.ts';
import type { Db } from '../store/store.ts';
import type { Problem } from './outcome.ts';

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
  oldestLink: number | null = null,
): Progress {
  const cells = parseCells(row);
  const versions = [...listWaiting(cells).map((field) => cells[field]?.pending), oldestLink];
  const waiting = versions.filter((one) => typeof one === 'number');
  return {
    version: row.version,
    oldestPending: waiting.length === 0 ? undefined : Math.min(...waiting),
  };
}

/** Reads the progress of a resource. */
export async function readProgress(db: Db, key: ResourceKey): Promise<Progress> {
  const [row] = await listProgress(db, [key]);
  return row === undefined ? GONE : toProgress(row, row.oldestLink);
}
