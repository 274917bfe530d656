/** Limit of the requests that leave in any one window of time; exact, whatever happens between permission and sending. */
export interface RateWindow {
  /** Milliseconds until a request may leave, 0 for now; undefined when that depends on requests not sent yet. */
  waitMs(nowMs: number): number | undefined;
  /**
   * The same for a request that had to wait: such requests leave evenly spaced instead of all at once, so that a more
   * urgent one waits for one space and not for a whole window.
   */
  waitSpacedMs(nowMs: number): number | undefined;
  /** Takes a place in the window for a request that is about to leave. */
  hold(nowMs: number): HeldPlace;
  /** Places free at `nowMs`. */
  free(nowMs: number): number;
  /** Milliseconds that one request takes of the rate, on average; 0 without a limit. */
  readonly costMs: number;
}

/** A place in the window. Exactly one of the two functions is called, once. */
export interface HeldPlace {
  /** The request leaves now: its place is free again one window later. */
  sent(nowMs: number): void;
  /** The request never left. */
  giveBack(): void;
}

/**
 * Creates a sliding window: never more than `requestsPerSecond` in any second. A rate below 1 is one request in a
 * longer window.
 * @param requestsPerSecond 0 means no limit.
 * @param marginMs added to the window, because requests arrive a little closer together than they leave.
 * @param spentAt until then other senders may have used all of the rate; when left out, none has.
 * @throws RangeError for a negative rate or margin.
 */
export function createRateWindow(
  requestsPerSecond: number,
  marginMs: number,
  spentAt?: number,
): RateWindow {
  if (!isAmount(requestsPerSecond) || !isAmount(marginMs)) {
    throw new RangeError(`rate ${requestsPerSecond}/s with margin ${marginMs} ms is not a rate`);
  }
  if (requestsPerSecond === 0) return unlimited;
  const places = Math.max(1, Math.floor(requestsPerSecond));
  const rateMs = Math.ceil((places / requestsPerSecond) * 1_000);
  const windowMs = rateMs + marginMs;
  // Without the margin: spaces that add up to less than the window never make it longer.
  const spaceMs = rateMs / places;
  const lateMs = spaceMs / 8; // A timer that fires late by no more than this costs nothing of the rate.
  // Times at which places become free again, oldest first; at most `places` of them.
  const freeAt: number[] =
    spentAt === undefined ? [] : Array.from({ length: places }, () => spentAt + windowMs);
  let held = 0;
  let lastTurnAt = Number.NEGATIVE_INFINITY;

  function free(nowMs: number): number {
    while (freeAt[0] !== undefined && freeAt[0] <= nowMs) freeAt.shift();
    return places - held - freeAt.length;
  }

  function waitMs(nowMs: number): number | undefined {
    if (free(nowMs) > 0) return 0;
    const [next] = freeAt;
    return next === undefined ? undefined : next - nowMs;
  }

  return {
    waitMs,
    waitSpacedMs(nowMs) {
      const windowWaitMs = waitMs(nowMs);
      if (windowWaitMs === undefined) return undefined;
      return Math.max(windowWaitMs, Math.ceil(lastTurnAt + spaceMs - nowMs));
    },
    hold(heldAt) {
      const before = lastTurnAt;
      const turnAt = Math.max(lastTurnAt + spaceMs, heldAt - lateMs);
      lastTurnAt = turnAt;
      held += 1;
      return {
        sent(nowMs) {
          held -= 1;
          freeAt.push(nowMs + windowMs);
        },
        giveBack() {
          held -= 1;
          // The next request keeps no distance from one that never left.
          if (lastTurnAt === turnAt) lastTurnAt = before;
        },
      };
    },
    free,
    costMs: windowMs / places,
  };
}

function isAmount(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

const unlimited: RateWindow = {
  waitMs: () => 0,
  waitSpacedMs: () => 0,
  hold: () => ({ sent: () => undefined, giveBack: () => undefined }),
  free: () => Number.POSITIVE_INFINITY,
  costMs: 0,
};
