/** How many requests may leave in any one window of time; exact, whatever happens between permission and sending. */
export interface RateWindow {
  /** Milliseconds until a request may leave, 0 for now; undefined when that depends on requests not sent yet. */
  waitMs(nowMs: number): number | undefined;
  /** Holds a place in the window for a request that is about to leave. */
  hold(): void;
  /** The held request leaves now: its place is free again one window later. */
  sent(nowMs: number): void;
  /** The held request never left. */
  release(): void;
  /** Places free at `nowMs`. */
  free(nowMs: number): number;
  /** Milliseconds that one request takes of the rate, on average; 0 without a limit. */
  readonly costMs: number;
}

/**
 * A sliding window: never more than `requestsPerSecond` in any second. A rate below 1 is one request in a longer window.
 * @param requestsPerSecond 0 means no limit.
 * @param marginMs added to the window, because requests arrive a little closer together than they leave.
 * @throws RangeError for a negative rate or margin.
 */
export function createRateWindow(requestsPerSecond: number, marginMs: number): RateWindow {
  if (!(requestsPerSecond >= 0) || !(marginMs >= 0)) {
    throw new RangeError(`rate ${requestsPerSecond}/s with margin ${marginMs} ms is not a rate`);
  }
  if (requestsPerSecond === 0) return unlimited;
  const places = Math.max(1, Math.floor(requestsPerSecond));
  const windowMs = Math.ceil((places / requestsPerSecond) * 1_000) + marginMs;
  const freeAt: number[] = []; // Times at which places become free again, oldest first; at most `places` of them.
  let held = 0;

  function free(nowMs: number): number {
    while (freeAt[0] !== undefined && freeAt[0] <= nowMs) freeAt.shift();
    return places - held - freeAt.length;
  }

  return {
    waitMs(nowMs) {
      if (free(nowMs) > 0) return 0;
      const [next] = freeAt;
      return next === undefined ? undefined : next - nowMs;
    },
    hold() {
      held += 1;
    },
    sent(nowMs) {
      held -= 1;
      freeAt.push(nowMs + windowMs);
    },
    release() {
      held -= 1;
    },
    free,
    costMs: windowMs / places,
  };
}

const unlimited: RateWindow = {
  waitMs: () => 0,
  hold: () => undefined,
  sent: () => undefined,
  release: () => undefined,
  free: () => Number.POSITIVE_INFINITY,
  costMs: 0,
};
