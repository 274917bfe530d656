/** A place in the window. Exactly one of the two functions is called, once. */
export interface TakenPlace {
  /** The request leaves now: its place is free again one window later. */
  sent(nowMs: number): void;
  /** The request never left. */
  giveBack(): void;
}

/**
 * Limit of the requests that leave in any one window of time; exact, whatever happens between permission and sending: never
 * more than `requestsPerSecond` in any second. A rate below 1 is one request in a longer window, a rate of 0 is no limit.
 */
export class RateWindow {
  readonly #places: number;
  readonly #windowMs: number;
  /** Without the margin: spaces that add up to less than the window never make it longer. */
  readonly #spaceMs: number;
  /** Times at which places become free again, oldest first; at most as many as there are places. */
  readonly #freeAt: number[];
  #taken = 0;
  #lastTurnAt = Number.NEGATIVE_INFINITY;

  /**
   * @param marginMs added to the window, because requests arrive a little closer together than they leave.
   * @param spentAt until then other senders may have used all of the rate; when left out, none has.
   * @throws RangeError for a negative rate or margin.
   */
  constructor(requestsPerSecond: number, marginMs: number, spentAt?: number) {
    const amounts = [requestsPerSecond, marginMs];
    if (!amounts.every((amount) => Number.isFinite(amount) && amount >= 0)) {
      throw new RangeError(`rate ${requestsPerSecond}/s with margin ${marginMs} ms is not a rate`);
    }
    const isLimited = requestsPerSecond > 0;
    this.#places = isLimited ? Math.max(1, Math.floor(requestsPerSecond)) : Infinity;
    const rateMs = isLimited ? Math.ceil((this.#places / requestsPerSecond) * 1_000) : 0;
    this.#windowMs = isLimited ? rateMs + marginMs : 0;
    this.#spaceMs = rateMs / this.#places;
    const isSpent = isLimited && spentAt !== undefined;
    this.#freeAt = isSpent ? Array(this.#places).fill(spentAt + this.#windowMs) : [];
  }

  /** Milliseconds that one request takes of the rate, on average; 0 without a limit. */
  get costMs(): number {
    return this.#windowMs / this.#places;
  }

  /** Places free at `nowMs`. */
  free(nowMs: number): number {
    while (this.#freeAt[0] !== undefined && this.#freeAt[0] <= nowMs) this.#freeAt.shift();
    return this.#places - this.#taken - this.#freeAt.length;
  }

  /** Milliseconds until a request may leave, 0 for now; undefined when that depends on requests not sent yet. */
  waitMs(nowMs: number): number | undefined {
    if (this.free(nowMs) > 0) return 0;
    const [next] = this.#freeAt;
    return next === undefined ? undefined : next - nowMs;
  }

  /**
   * The same for a request that had to wait: such requests leave evenly spaced instead of all at once, so that a more
   * urgent one waits for one space and not for a whole window.
   */
  waitSpacedMs(nowMs: number): number | undefined {
    const windowWaitMs = this.waitMs(nowMs);
    if (windowWaitMs === undefined) return undefined;
    return Math.max(windowWaitMs, Math.ceil(this.#lastTurnAt + this.#spaceMs - nowMs));
  }

  /** Takes a place in the window for a request that is about to leave. */
  take(takenAt: number): TakenPlace {
    const before = this.#lastTurnAt;
    // A timer that fires late by no more than an eighth of a space costs nothing of the rate.
    const turnAt = Math.max(before + this.#spaceMs, takenAt - this.#spaceMs / 8);
    this.#lastTurnAt = turnAt;
    this.#taken += 1;
    return {
      sent: (nowMs) => {
        this.#taken -= 1;
        this.#freeAt.push(nowMs + this.#windowMs);
      },
      giveBack: () => {
        this.#taken -= 1;
        // The next request keeps no distance from one that never left.
        if (this.#lastTurnAt === turnAt) this.#lastTurnAt = before;
      },
    };
  }
}
