import { type Cells, done, listWaiting } from '../domain/cell.ts';
import { countAttempts, exhaust, findNextRetryAt } from '../domain/failure.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import type { WritesRefused } from '../upstream/transport.ts';
import { backoffMs } from './backoff.ts';
import type { Problem } from './outcome.ts';

/** `must_look`: the next step is a look. */
const LOOK_FIRST = 1;
/** `must_look`: look first, also for a worker that is looking right now. The next run makes it 1. */
export const LOOK_AGAIN = 2;

/** Step that has to be repeated, or whose effect is unknown. */
export interface Postponed {
  readonly kind: 'later' | 'unknown';
  readonly problem: Problem;
  readonly retryAfterMs?: number;
  readonly lookNow?: true;
}

/** Columns of a row that a postponed step changes. */
type RetryColumns = Pick<
  ResourceRow,
  'attempts' | 'failing_since' | 'must_look' | 'last_error' | 'stuck_at' | 'due_class'
>;

/** Columns after a postponed step: the next attempt, its reason, and the look before it. */
export function toRetryColumns(
  row: RetryColumns,
  outcome: Postponed,
  { now, random }: { now: number; random: number },
) {
  if (isHeldBack(outcome.problem)) return toWaitingColumns(row, now);
  const attempts = row.attempts + 1;
  const lookNow = outcome.lookNow === true;
  const delayMs = lookNow ? 0 : backoffMs(attempts, outcome.retryAfterMs, random);
  return {
    attempts,
    failing_since: row.failing_since ?? now,
    must_look: outcome.kind === 'unknown' ? LOOK_FIRST : row.must_look,
    // The reason why it is stuck is shown until it is not: a pause of the service comes and goes.
    last_error: (row.stuck_at === null ? null : row.last_error) ?? toLastError(outcome.problem),
    due_at: now + delayMs,
  };
}

/** Columns after a call that may still take effect; a look changes nothing, however it ends. */
export function toUnsureColumns(
  { unsure_since }: { readonly unsure_since: number | null },
  outcome: Postponed,
  planned: { readonly version: number; readonly mustLook: boolean },
) {
  if (planned.mustLook || !isUnfinished(outcome)) return {};
  return { unsure_since: unsure_since ?? planned.version };
}

/** Statuses of a gateway that did not hear from the service. */
const UNHEARD: ReadonlySet<number | undefined> = new Set([502, 504]);

/** Outcome of a step, with its problem where it failed. */
interface Ended {
  readonly kind: string;
  readonly problem?: Problem;
}

/** True when the service may still be at work on a call: it has answered nothing, or what it showed before. */
function isUnfinished({ kind, problem }: Ended): boolean {
  if (kind !== 'unknown' || problem === undefined) return false;
  return problem.status === undefined || UNHEARD.has(problem.status);
}

function isHeldBack({ code }: Problem): boolean {
  const codes: readonly (WritesRefused | 'closed')[] = ['observe-mode', 'writes-paused', 'closed'];
  const held: ReadonlySet<string> = new Set(codes);
  return held.has(code);
}

/** Columns of a change that waits without a failure; it is not taken before changes are sent again. */
function toWaitingColumns(
  { attempts, failing_since, must_look, last_error, due_class }: RetryColumns,
  now: number,
) {
  return {
    attempts,
    failing_since,
    must_look,
    last_error,
    due_at: now,
    due_class: due_class === 2 ? (1 as const) : due_class,
  };
}

/** Columns after success, beside those of stuck fields. */
export function toSuccessColumns(row: { readonly must_look: number }) {
  return { ...toLookedColumns(row), attempts: 0, last_error: null };
}

/** Columns after a step that worked; a step without a look keeps a look that was requested meanwhile. */
export function toDoneColumns(
  row: { readonly must_look: number },
  { planned }: { readonly planned: { readonly mustLook: boolean } },
) {
  if (planned.mustLook) return toLookedColumns(row);
  return { must_look: row.must_look === 0 ? 0 : LOOK_FIRST, attempts: 0, last_error: null };
}

/** Columns of a row of which nothing waits: nothing of it fails. */
export const NOTHING_FAILS = { attempts: 0, failing_since: null, last_error: null } as const;

/** Rest of the work after a successful step. */
interface Waiting {
  /** Attempts at the change that failed most often by its own fault. */
  readonly attempts: number;
  readonly problem: Problem | undefined;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Columns of the trouble of what still waits, with its own reason: failing changes have failed for some time. */
export function toFailureColumns(
  row: Pick<RetryColumns, 'attempts' | 'failing_since' | 'last_error'>,
  { attempts: failed, problem, now }: Waiting,
) {
  const attempts = Math.max(row.attempts, failed);
  const failing_since = attempts === 0 ? null : (row.failing_since ?? now);
  return { attempts, failing_since, last_error: toLastError(problem) ?? row.last_error };
}

/** Columns after a look: its success says nothing of the change that failed before. */
function toLookedColumns(row: { readonly must_look: number }) {
  return { must_look: isStale(row) ? LOOK_FIRST : 0 };
}

/**
 * Columns of a resource that another call may have changed. A run of its own may have looked before that call had its
 * effect, so the record of that run keeps the look.
 */
export function toStaleColumns(now: number) {
  return { must_look: LOOK_AGAIN, due_at: now };
}

/** True when another call may have changed the resource since the run planned. */
export function isStale({ must_look }: { readonly must_look: number }): boolean {
  return must_look === LOOK_AGAIN;
}

/** Column with the reason of a failure. */
function toLastError(problem: Problem | undefined): string | null {
  return problem === undefined ? null : JSON.stringify(problem);
}

/** Finds what waits after a step, and since when it fails; `held` are the fields that hold by now. */
export function toLeftCells<Field extends string>(
  asked: Cells<Field>,
  held: readonly Field[],
  { attemptsMax, now }: { readonly attemptsMax: number; readonly now: number },
) {
  if (listWaiting(asked).length === 0) return { cells: asked, attempts: 0, retryAt: undefined };
  const cells = exhaust(done(asked, asked, held), attemptsMax, now);
  return { cells, attempts: countAttempts(cells), retryAt: findNextRetryAt(cells, now) };
}
