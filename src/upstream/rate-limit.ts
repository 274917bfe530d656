import type { IncomingHttpHeaders } from 'node:http';
import type { Budget } from './budget.ts';
import { type Clock, readSteady } from './clock.ts';
import type { Answer } from './exchange.ts';
import type { TransportHooks } from './transport-options.ts';

/** Turns 429 answers into pauses of the whole budget. */
export type RateLimit = ReturnType<typeof createRateLimit>;

/** Creates a rate limit that has not been met yet. */
export function createRateLimit(
  budget: Pick<Budget, 'pause'>,
  clock: Clock,
  { onPause }: Pick<TransportHooks, 'onPause'> = {},
) {
  let streak = 0;
  let pausedAtMs = Number.NEGATIVE_INFINITY;
  let firstAtMs = 0;

  return {
    /** Learns from an answer to a request sent at `sentAtMs` of the steady time. Returns the pause in milliseconds when it is a 429. */
    note({ status, headers }: Answer, sentAtMs: number): number | undefined {
      const steadyMs = readSteady(clock);
      // Requests that left before the pause say nothing of the time after it: five answers to one burst are one 429.
      const isNews = sentAtMs > pausedAtMs;
      if (status !== 429) {
        if (isNews && streak > 0) {
          streak = 0;
          onPause?.({ kind: 'over', afterMs: steadyMs - firstAtMs });
        }
        return undefined;
      }
      if (isNews) {
        streak += 1;
        if (streak === 1) firstAtMs = steadyMs;
        pausedAtMs = steadyMs;
      }
      const forMs = pauseAfter429Ms(headers, { nowMs: clock.now(), streak: Math.max(streak, 1) });
      budget.pause(steadyMs + forMs);
      if (isNews) onPause?.({ kind: 'paused', forMs, streak });
      return forMs;
    },
  };
}

const PAUSE_MAX_MS = 60_000;
const PAUSE_FIRST_MS = 1_000;
/** Epoch numbers above this are milliseconds: as seconds they would lie in the year 5138. */
const EPOCH_SECONDS_MAX = 100_000_000_000;

/**
 * Pause of all calls after a 429, in milliseconds: as its headers say, else 1 s doubling, at most 60 s.
 * @param streak 1 for the first 429 in a row.
 */
export function pauseAfter429Ms(
  headers: IncomingHttpHeaders,
  { nowMs, streak }: { nowMs: number; streak: number },
): number {
  const askedMs = parseRetryAfterMs(headers, nowMs) ?? parseResetMs(headers, nowMs);
  return Math.min(askedMs ?? PAUSE_FIRST_MS * 2 ** Math.min(streak - 1, 6), PAUSE_MAX_MS);
}

/**
 * `Retry-After` in milliseconds from now: seconds or a date (RFC 9110 §10.2.3).
 * Undefined when it is absent, unreadable or not in the future.
 */
export function parseRetryAfterMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const text = first(headers['retry-after']) ?? '';
  const delayMs = /^\d+(\.\d+)?$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - nowMs;
  return positive(delayMs);
}

/** `X-RateLimit-Reset` in milliseconds from now: UTC epoch in seconds, or in milliseconds where it is that large. */
function parseResetMs(headers: IncomingHttpHeaders, nowMs: number): number | undefined {
  const epoch = Number(first(headers['x-ratelimit-reset']));
  return positive((epoch > EPOCH_SECONDS_MAX ? epoch : epoch * 1_000) - nowMs);
}

function first(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.trim();
}

function positive(ms: number): number | undefined {
  return Number.isFinite(ms) && ms > 0 ? Math.ceil(ms) : undefined;
}
