import type { UpstreamError, UpstreamErrorCode } from './errors.ts';

/** Facts about a failed attempt. */
export interface FailedAttempt {
  readonly error: UpstreamError;
  /** 1 for the first. */
  readonly attempt: number;
  readonly attemptsMax: number;
  readonly repeat: 'safe' | 'unsafe';
  /** Milliseconds left of the call's time. */
  readonly remainingMs: number;
  /** Uniform in [0, 1). */
  readonly random: number;
}

const BACKOFF_FIRST_MS = 500;
const BACKOFF_MAX_MS = 20_000;
/** Failures after which the service may or may not have done the work. */
const lost: ReadonlySet<UpstreamErrorCode> = new Set(['unavailable', 'connection', 'timeout']);

/**
 * Milliseconds until the next attempt, or undefined to give up. A call is repeated when it cannot have had an effect
 * (a 429, a connection never made) and, where a repeat is safe, when it may have had one. Full jitter, never beyond
 * the call's time.
 * After a 429 the whole budget pauses, so this call itself needs no delay.
 */
export function planRepeatMs(failed: FailedAttempt): number | undefined {
  const { error, attempt, attemptsMax, repeat, remainingMs } = failed;
  if (attempt >= attemptsMax) return undefined;
  if (error.code === 'rate-limited') {
    return (error.retryAfterMs ?? 0) < remainingMs ? 0 : undefined;
  }
  const harmless = error.code === 'connection' && error.outcome === 'not-sent';
  if (!harmless && !(repeat === 'safe' && lost.has(error.code))) return undefined;
  const delayMs = error.retryAfterMs ?? backoffMs(attempt, failed.random);
  return delayMs < remainingMs ? delayMs : undefined;
}

function backoffMs(attempt: number, random: number): number {
  return Math.floor(random * Math.min(BACKOFF_FIRST_MS * 2 ** (attempt - 1), BACKOFF_MAX_MS));
}
