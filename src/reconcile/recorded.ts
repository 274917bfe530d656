import { assertNever } from '../domain/errors.ts';
import type { GroupId, UserId } from '../domain/ids.ts';
import { oldestPending, type Pending } from '../domain/pending.ts';
import type { SentCreate } from '../domain/sent-create.ts';
import { parseStored } from '../store/engine/columns.ts';
import { LOST_CREATE } from '../store/resources/sent-creates.ts';
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

/**
 * Makes the progress of a stored resource; `oldestLink` is the oldest version that waits among its members and admins.
 */
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

/** Result of recording a step. */
export type Recorded<State> =
  | {
      /** There is a next step and the lane is still held. */
      readonly finished: false;
      readonly state: State;
      readonly undone: readonly Undone[];
      readonly notified: readonly (GroupId | UserId)[];
    }
  | (Progress & {
      readonly finished: true;
      /** When what failed is tried again (epoch milliseconds). */
      readonly retryAt?: number;
      /** Versions of writes that were taken back. */
      readonly undone: readonly Undone[];
      readonly notified: readonly (GroupId | UserId)[];
    });

/** One recorder for each way in which a step can end. */
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

/** How long to wait before the second and the last look, in milliseconds: the create may arrive late. */
const DELAYS_MS = [60_000, 15 * 60_000];

/** When to look next for what an undone create may have left (epoch milliseconds), or undefined: never again. */
export function planNextLostLook(looksLeft: number, now: number): number | undefined {
  if (looksLeft <= 0) return undefined;
  const made = LOST_CREATE.lost_looks - looksLeft;
  return made <= 0 ? now : now + (DELAYS_MS[made - 1] ?? 0);
}

/**
 * The row without the create of a step that ended and surely created nothing. What earlier ones were sent with
 * stays: they may have left something.
 */
export function withoutFailedCreate<Row extends { readonly sent_creates: string }>(
  row: Row,
  {
    planned,
    outcome,
  }: {
    readonly planned: { readonly sentCreates: readonly SentCreate[] };
    readonly outcome: Outcome<unknown, unknown>;
  },
): Row {
  const isKnown = outcome.kind === 'refused' || outcome.kind === 'later';
  return isKnown ? { ...row, sent_creates: JSON.stringify(planned.sentCreates) } : row;
}
