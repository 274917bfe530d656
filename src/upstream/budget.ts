import type { AnswerHeaders } from './answer-body.ts';
import { type Clock, readSteady } from './clock.ts';
import { notSent, type UpstreamError } from './errors.ts';
import { RateWindow } from './rate-window.ts';
import { pauseAfter429Ms } from './retry.ts';
import type { TransportHooks } from './transport-options.ts';
import type { CallClass, ClassCounts } from './waiting-room.ts';
import { type Place, WaitingRoom } from './waiting-room.ts';

/** State of the budget, for status pages. */
export interface BudgetState {
  readonly waiting: ClassCounts;
  readonly inFlight: number;
  /** Milliseconds until a pause asked for by the service ends; 0 when there is none. */
  readonly pausedForMs: number;
}

/** Limits of a budget: rate, calls at once, waiting calls. */
export interface BudgetOptions {
  readonly requestsPerSecond: number;
  readonly marginMs: number;
  /** Until then (epoch milliseconds) other processes may have used all of it. */
  readonly spentAt?: number | undefined;
  readonly inFlightMax: number;
  readonly queueMax: number;
  readonly clock: Clock;
  readonly onPause?: TransportHooks['onPause'];
}

/** Request of a turn. `again` keeps the place of a call that had a turn before. */
export interface TurnRequest {
  readonly operation: string;
  readonly callClass: CallClass;
  readonly key: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly again: boolean;
}

/** Permission for one request: `sent()` is called when it leaves, `end()` always and last. */
export interface Turn {
  sent(): void;
  end(): void;
}

/** A caller that waits for a turn. */
interface Waiter {
  readonly resolve: (turn: Turn) => void;
  readonly reject: (error: UpstreamError) => void;
  readonly operation: string;
}

/** Budget of one token: it decides which call leaves when. */
export class Budget {
  readonly #options: BudgetOptions;
  readonly #clock: Clock;
  readonly #window: RateWindow;
  readonly #room = new WaitingRoom<Waiter>();
  readonly #closing = new AbortController();
  #inFlight = 0;
  #isPumping = false;
  #pausedUntilMs = 0;
  #probe: 'none' | 'due' | 'out' = 'none'; // After a pause one request goes first.
  /** 429 answers in a row, each to a request that left after the one before; the times of the first and the last. */
  #limited = { streak: 0, firstAtMs: 0, lastAtMs: Number.NEGATIVE_INFINITY };

  constructor(options: BudgetOptions) {
    const { clock, requestsPerSecond, marginMs, spentAt } = options;
    this.#options = options;
    this.#clock = clock;
    // A moment that lies ahead, by a clock that was set back since, is now.
    const agoMs = spentAt === undefined ? undefined : Math.max(0, clock.now() - spentAt);
    const steadyAt = agoMs === undefined ? undefined : readSteady(clock) - agoMs;
    this.#window = new RateWindow(requestsPerSecond, marginMs, steadyAt);
  }

  /**
   * Gives the permission to send one request; at once when no call waits and the rate allows.
   * @throws UpstreamError `overloaded`, `aborted` or `closed`; nothing was sent then.
   */
  take(request: TurnRequest): Turn | Promise<Turn> {
    const { operation, signal } = request;
    if (this.#closing.signal.aborted) throw toRefusal('closed', operation);
    if (signal?.aborted) throw toRefusal('aborted', operation, signal.reason);
    const isFree = this.#room.size === 0 && this.#waitMs('waitMs') === 0;
    return isFree ? this.#grant() : this.#join(request);
  }

  /** Stops all calls until `untilMs` of the steady time, after a 429; then one request goes as a probe, the rest after its answer. */
  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#probe = 'due';
  }

  /**
   * Learns from an answer to a request sent at `sentAtMs` of the steady time. Returns the pause in milliseconds when it
   * is a 429.
   */
  noteAnswer(
    { status, headers }: { status: number; headers: AnswerHeaders },
    sentAtMs: number,
  ): number | undefined {
    const nowMs = readSteady(this.#clock);
    const { streak, firstAtMs, lastAtMs } = this.#limited;
    // Requests that left before the pause say nothing of the time after it: five answers to one burst are one 429.
    const isNews = sentAtMs > lastAtMs;
    if (status !== 429) {
      if (!isNews || streak === 0) return undefined;
      this.#limited = { ...this.#limited, streak: 0 };
      this.#options.onPause?.({ kind: 'over', afterMs: nowMs - firstAtMs });
      return undefined;
    }
    const met = isNews ? streak + 1 : Math.max(streak, 1);
    const forMs = pauseAfter429Ms(headers, { nowMs: this.#clock.now(), streak: met });
    this.pause(nowMs + forMs);
    if (!isNews) return forMs;
    this.#limited = { streak: met, firstAtMs: met === 1 ? nowMs : firstAtMs, lastAtMs: nowMs };
    this.#options.onPause?.({ kind: 'paused', forMs, streak: met });
    return forMs;
  }

  /** Estimated wait of a new call of this class behind the waiting calls and `others` more, in milliseconds. */
  queueAheadMs(callClass: CallClass, others = 0): number {
    const nowMs = readSteady(this.#clock);
    const pauseMs = Math.max(0, this.#pausedUntilMs - nowMs);
    // A call that has to wait cannot use several free places at once: they are given out one after the other.
    const free = this.#room.size === 0 ? Math.max(0, this.#window.free(nowMs)) : 0;
    const missing = this.#room.countAhead(callClass) + others + 1 - free;
    return missing <= 0 ? pauseMs : pauseMs + Math.ceil(missing * this.#window.costMs);
  }

  /** Gives the waiting calls of this resource the most urgent class, because a removal of access waits behind them. */
  prioritise(key: string): void {
    this.#room.prioritise(key);
  }

  state(): BudgetState {
    return {
      waiting: this.#room.counts(),
      inFlight: this.#inFlight,
      pausedForMs: Math.max(0, this.#pausedUntilMs - readSteady(this.#clock)),
    };
  }

  /** Refuses all waiting and all later calls. */
  close(): void {
    this.#closing.abort();
    for (const { reject, operation } of this.#room.clear()) reject(toRefusal('closed', operation));
  }

  #join({ operation, callClass, key, again, signal }: TurnRequest): Promise<Turn> {
    if (this.#room.size >= this.#options.queueMax) throw toRefusal('overloaded', operation);
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const place: Place<Waiter> = { callClass, key, again, waiter: { operation, resolve, reject } };
    this.#room.add(place);
    this.#pumpIfWaiting();
    if (!signal) return promise;
    const leave = () => {
      if (this.#room.remove(place)) reject(toRefusal('aborted', operation, signal.reason));
    };
    signal.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  /** Milliseconds until a call may go, or undefined when the end of a turn decides. */
  #waitMs(ofRate: 'waitMs' | 'waitSpacedMs'): number | undefined {
    const nowMs = readSteady(this.#clock);
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs - nowMs;
    if (this.#probe === 'out' || this.#inFlight >= this.#options.inFlightMax) return undefined;
    return this.#window[ofRate](nowMs);
  }

  #grant(): Turn {
    const isProbe = this.#probe === 'due';
    if (isProbe) this.#probe = 'out';
    this.#inFlight += 1;
    const place = this.#window.take(readSteady(this.#clock));
    let left = false;
    return {
      sent: () => {
        left = true;
        place.sent(readSteady(this.#clock));
        this.#pumpIfWaiting();
      },
      end: () => {
        this.#inFlight -= 1;
        if (!left) place.giveBack();
        // Still out: its answer brought no new pause. A probe that never left proves nothing.
        if (isProbe && this.#probe === 'out') this.#probe = left ? 'none' : 'due';
        this.#pumpIfWaiting();
      },
    };
  }

  #pumpIfWaiting(): void {
    if (!this.#isPumping && this.#room.size > 0) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    while (this.#room.size > 0) {
      const delayMs = this.#waitMs('waitSpacedMs');
      if (delayMs === undefined) break;
      if (delayMs === 0) this.#room.next()?.resolve(this.#grant());
      // Rejected at the end, when the room is empty.
      else await this.#clock.sleep(delayMs, this.#closing.signal).catch(() => undefined);
    }
    this.#isPumping = false;
  }
}

const DETAILS = {
  aborted: 'given up by the caller while waiting for its turn',
  closed: 'the client is closed',
  overloaded: 'too many calls are waiting',
} as const;

function toRefusal(code: keyof typeof DETAILS, operation: string, cause?: unknown): UpstreamError {
  return notSent(code, operation, DETAILS[code], { cause });
}
