import { backoffMs } from './backoff.ts';
import type { Problem } from './outcome.ts';

/** The columns of a lane that nobody holds. */
export const FREE_LANE = { lane_owner: null, lane_until: null } as const;

/** A step that has to be repeated, or whose effect is unknown. */
export interface Postponed {
  readonly kind: 'later' | 'unknown';
  readonly problem: Problem;
  readonly retryAfterMs?: number;
  readonly lookNow?: true;
}

/** What a postponed step leaves in the row: when to try again, why, and whether to look first. */
export function toRetryColumns(
  row: { readonly attempts: number; readonly must_look: number },
  outcome: Postponed,
  { now, random }: { now: number; random: number },
) {
  const attempts = row.attempts + 1;
  const lookNow = outcome.lookNow === true;
  const delayMs = lookNow ? 0 : backoffMs(attempts, outcome.retryAfterMs, random);
  return {
    attempts,
    must_look: outcome.kind === 'unknown' ? 1 : row.must_look,
    last_error: JSON.stringify(outcome.problem),
    due_at: now + delayMs,
  };
}

/** What a refusal after the acknowledgement leaves in the row; when it is tried again is the caller's. */
export function toStuckColumns(
  row: { readonly attempts: number; readonly stuck_at: number | null },
  problem: Problem,
  now: number,
) {
  return {
    stuck_at: row.stuck_at ?? now,
    last_error: JSON.stringify(problem),
    attempts: row.attempts + 1,
  };
}

/** What success leaves in the row. */
export const NO_TROUBLE = { must_look: 0, attempts: 0, last_error: null, stuck_at: null } as const;
