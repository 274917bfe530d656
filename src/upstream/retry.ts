import type { AnswerHeaders } from './answer-body.ts';
import type { UpstreamError, UpstreamErrorCode } from './errors.ts';

/** Facts about a failed attempt. */
export interface FailedAttempt {
  readonly error: UpstreamError;
  readonly attempt: number; // 1 for the first.
  readonly attemptsMax: number;
  readonly repeat: 'safe' | 'unsafe';
  /** Left of the call's time. */
  readonly remainingMs: number;
  readonly random: number; // Uniform in [0, 1).
}

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 20_000;
/** Failures after which the service may or may not have done the work. */
const lost: ReadonlySet<UpstreamErrorCode> = new Set(['unavailable', 'connection', 'timeout']);

/**
 * Milliseconds until the next attempt, or undefined to give up. A call is repeated when it cannot have had an effect
 * (a 429, a connection never made) and, where a repeat is safe, when it may have had one. Full jitter, never beyond
 * the call's time. After a 429 the whole budget pauses, so this call itself needs no delay.
 */
export function planRepeatMs(failed: FailedAttempt): number | undefined {
  const { error, attempt, attemptsMax, repeat, remainingMs, random } = failed;
  if (attempt >= attemptsMax) return undefined;
  if (error.code === 'rate-limited') return (error.retryAfterMs ?? 0) < remainingMs ? 0 : undefined;
  const harmless = error.code === 'connection' && error.outcome === 'not-sent';
  if (!harmless && !(repeat === 'safe' && lost.has(error.code))) return undefined;
  const backoffMs = Math.min(BACKOFF_FIRST_MS * 2 ** (attempt - 1), BACKOFF_MAX_MS);
  const delayMs = error.retryAfterMs ?? Math.floor(random * backoffMs);
  return delayMs < remainingMs ? delayMs : undefined;
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
  headers: AnswerHeaders,
  { nowMs, streak }: { nowMs: number; streak: number },
): number {
  const askedMs = parseRetryAfterMs(headers, nowMs) ?? parseResetMs(headers, nowMs);
  return Math.min(askedMs ?? PAUSE_FIRST_MS * 2 ** Math.min(streak - 1, 6), PAUSE_MAX_MS);
}

/**
 * `Retry-After` in milliseconds from now: seconds or a date (RFC 9110 §10.2.3).
 * Undefined when it is absent, unreadable or not in the future.
 */
export function parseRetryAfterMs(headers: AnswerHeaders, nowMs: number): number | undefined {
  const text = first(headers['retry-after']) ?? '';
  const isDelay = /^\d+(\.\d+)?$/.test(text);
  return positive(isDelay ? Number(text) * 1_000 : Date.parse(text) - toTheirNow(headers, nowMs));
}

/** How far the service's clock is ahead of `nowMs`, in milliseconds, at least: a date is the second of an answer that took `tookMs`. */
export function findAheadMs(headers: AnswerHeaders, nowMs: number, tookMs: number): number {
  const leastMs = toTheirNow(headers, nowMs) - nowMs;
  return Math.min(Math.max(leastMs, 0), leastMs + 1_000 + tookMs);
}

/** The time by the clock of the service, in which it names a moment; by ours where it does not tell. */
const toTheirNow = ({ date }: AnswerHeaders, nowMs: number) =>
  Date.parse(first(date) ?? '') || nowMs;

/** `X-RateLimit-Reset` in milliseconds from now: UTC epoch in seconds, or in milliseconds where it is that large. */
function parseResetMs(headers: AnswerHeaders, nowMs: number): number | undefined {
  const epoch = Number(first(headers['x-ratelimit-reset']));
  const unitMs = epoch > EPOCH_SECONDS_MAX ? 1 : 1_000;
  return positive(epoch * unitMs - toTheirNow(headers, nowMs));
}

function first(header: string | string[] | undefined): string | undefined {
  return (Array.isArray(header) ? header[0] : header)?.trim();
}

function positive(ms: number): number | undefined {
  return Number.isFinite(ms) && ms > 0 ? Math.ceil(ms) : undefined;
}
