import type { IncomingHttpHeaders } from 'node:http';

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
