import type { Budget } from './budget.ts';
import { type Clock, readSteady } from './clock.ts';
import type { Answer } from './exchange.ts';
import { pauseAfter429Ms } from './pause.ts';
import type { TransportHooks } from './transport-options.ts';

/** Turns 429 answers into pauses of the whole budget. */
export interface RateLimit {
  /** Learns from an answer to a request sent at `sentAtMs` of the steady time. Returns the pause in milliseconds when it is a 429. */
  note(answer: Answer, sentAtMs: number): number | undefined;
}

/** Creates a rate limit that has not been met yet. */
export function createRateLimit(
  budget: Pick<Budget, 'pause'>,
  clock: Clock,
  { onPause }: Pick<TransportHooks, 'onPause'> = {},
): RateLimit {
  let streak = 0;
  let pausedAtMs = Number.NEGATIVE_INFINITY;
  let firstAtMs = 0;

  return {
    note({ status, headers }, sentAtMs) {
      // Requests that left before the pause say nothing about the time after it: five answers to one burst are one
      // 429.
      const isNews = sentAtMs > pausedAtMs;
      if (status !== 429) {
        if (!isNews || streak === 0) return undefined;
        streak = 0;
        onPause?.({ kind: 'over', afterMs: readSteady(clock) - firstAtMs });
        return undefined;
      }
      const steadyMs = readSteady(clock);
      if (isNews) {
        streak += 1;
        if (streak === 1) firstAtMs = steadyMs;
        pausedAtMs = steadyMs;
      }
      const pauseMs = pauseAfter429Ms(headers, {
        nowMs: clock.now(),
        streak: Math.max(streak, 1),
      });
      budget.pause(steadyMs + pauseMs);
      if (isNews) onPause?.({ kind: 'paused', forMs: pauseMs, streak });
      return pauseMs;
    },
  };
}
