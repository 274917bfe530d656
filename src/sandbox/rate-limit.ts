/** Whether one call more fits into the current second. */
export interface RateDecision {
  readonly allowed: boolean;
  /** Calls that still fit. */
  readonly remaining: number;
  /** When the next second begins, in milliseconds since 1970. */
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
    const allowed = this.#used < requestsPerSecond;
    if (allowed) this.#used += 1;
    return {
      allowed,
      remaining: Math.max(0, requestsPerSecond - this.#used),
      resetAtMs: (second + 1) * 1_000,
    };
  }
}
