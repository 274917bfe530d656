import type { SandboxShape } from './shape.ts';

/** Decision about one more call in the current second. */
export interface RateDecision {
  readonly allowed: boolean;
  /** Calls that still fit. */
  readonly remaining: number;
  /** Beginning of the next second, in milliseconds since 1970. */
  readonly resetAtMs: number;
}

/** Counts calls in whole seconds of the clock, as a service with `X-RateLimit-Reset` in epoch seconds seems to. */
export class RateWindow {
  #second = 0;
  #used = 0;

  take(requestsPerSecond: number, nowMs: number): RateDecision {
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#used = 0;
    }
    this.#used += 1;
    return {
      allowed: this.#used <= requestsPerSecond,
      remaining: Math.max(0, requestsPerSecond - this.#used),
      resetAtMs: (second + 1) * 1_000,
    };
  }
}

/** Decision about a call, and the rate headers of its answer. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts a call against the limit; undefined is no limit. `Retry-After` is in seconds, `X-RateLimit-Reset` in epoch seconds. */
export function countCall(
  window: RateWindow,
  requestsPerSecond: number | undefined,
  { nowMs, headers }: { nowMs: number; headers: SandboxShape['rateLimitHeaders'] },
): RateVerdict {
  if (requestsPerSecond === undefined) return { allowed: true, headers: {} };
  const { allowed, remaining, resetAtMs } = window.take(requestsPerSecond, nowMs);
  switch (headers) {
    case 'none':
      return { allowed, headers: {} };
    case 'retry-after': {
      const seconds = String(Math.ceil((resetAtMs - nowMs) / 1_000));
      return { allowed, headers: allowed ? {} : { 'retry-after': seconds } };
    }
    case 'reset': {
      const reset = String(resetAtMs / 1_000);
      const left = String(remaining);
      return {
        allowed,
        headers: { 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset },
      };
    }
  }
}
