import { assertNever } from '../domain/errors.ts';
import type { GroupId, UserId } from '../domain/ids.ts';
import { oldestPending, type Pending } from '../domain/pending.ts';
import { parseStored } from '../store/engine/columns.ts';
import type { Outcome, Problem } from './outcome.ts';

/** A write that was taken back, and what the service said of it. */
export interface Undone {
  readonly version: number;
  readonly problem: Problem;
}

/** How far the service has come with a resource, as of one reading of it. */
export interface Progress {
  /** The version that was read: of later writes nothing is said. */
  readonly version: number;
  /** The oldest version that still waits; undefined: everything holds. */
  readonly oldestPending: number | undefined;
}

/** There is no such resource, so nothing of it waits. */
export const GONE: Progress = { version: Number.POSITIVE_INFINITY, oldestPending: undefined };

/** How far a stored resource has come; `oldestLink` is the oldest version that waits among its people. */
export function toProgress(
  row: { readonly version: number; readonly pending: string },
  oldestLink?: number,
): Progress {
  const own = oldestPending(parseStored<Pending<string>>(row.pending));
  const isBoth = own !== undefined && oldestLink !== undefined;
  return {
    version: row.version,
    oldestPending: isBoth ? Math.min(own, oldestLink) : (own ?? oldestLink),
  };
}

/** What recording a step led to. */
export type Recorded<State> =
  | {
      /** There is a next step and the lane is still held. */
      readonly finished: false;
      readonly state: State;
      readonly undone: readonly Undone[];
      readonly woken: readonly (GroupId | UserId)[];
    }
  | (Progress & {
      readonly finished: true;
      /** When what failed is tried again (epoch milliseconds). */
      readonly retryAt?: number;
      /** Versions of writes that were taken back. */
      readonly undone: readonly Undone[];
      readonly woken: readonly (GroupId | UserId)[];
    });

/** What recording does with each way in which a step can end. */
export interface Recorders<Known, Part, Result> {
  done(known: Known): Result;
  refused(outcome: Extract<Outcome<Known, Part>, { kind: 'refused' }>): Result;
  /** Nothing is known to have changed: repeated later, after a look where the effect is unknown. */
  postponed(outcome: Extract<Outcome<Known, Part>, { kind: 'later' | 'unknown' }>): Result;
}

/** Hands an outcome to its recorder. */
export function recordOutcome<Known, Part, Result>(
  outcome: Outcome<Known, Part>,
  recorders: Recorders<Known, Part, Result>,
): Result {
  switch (outcome.kind) {
    case 'done':
      return recorders.done(outcome.known);
    case 'refused':
      return recorders.refused(outcome);
    case 'later':
    case 'unknown':
      return recorders.postponed(outcome);
    default:
      return assertNever(outcome);
  }
}
