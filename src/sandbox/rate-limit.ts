import type { SandboxShape } from './shape.ts';

/** Decision about a call, and the rate headers of its answer. */
export interface RateVerdict {
  readonly allowed: boolean;
  readonly headers: Readonly<Record<string, string>>;
}

/** Counts calls in whole seconds of the clock, as a service with `X-RateLimit-Reset` in epoch seconds seems to. */
export class RateWindow {
  #second = 0;
  #used = 0;

  /** Counts a call against the limit; undefined is no limit. */
  count(
    requestsPerSecond: number | undefined,
    { nowMs, headers }: { nowMs: number; headers: SandboxShape['rateLimitHeaders'] },
  ): RateVerdict {
    if (requestsPerSecond === undefined) return { allowed: true, headers: {} };
    const second = Math.floor(nowMs / 1_000);
    if (second !== this.#second) this.#used = 0;
    this.#second = second;
    this.#used += 1;
    const allowed = this.#used <= requestsPerSecond;
    const remaining = String(Math.max(0, requestsPerSecond - this.#used));
    const reset = String(second + 1);
    const waitSeconds = String(Math.ceil(second + 1 - nowMs / 1_000));
    switch (headers) {
      case 'none':
        return { allowed, headers: {} };
      case 'retry-after':
        return { allowed, headers: allowed ? {} : { 'retry-after': waitSeconds } };
      case 'reset':
        return {
          allowed,
          headers: { 'x-ratelimit-remaining': remaining, 'x-ratelimit-reset': reset },
        };
    }
  }
}
