import { type CallClass, callClasses } from './call-class.ts';
import type { Clock } from './clock.ts';
import { UpstreamError } from './errors.ts';
import { createRateWindow, type RateWindow } from './rate-window.ts';
import { createWaitingRoom, type Place } from './waiting-room.ts';

/** One token, one budget: who may send when. */
export interface Budget {
  /**
   * The permission to send one request; at once when nobody waits and the rate allows.
   * @throws UpstreamError `overloaded`, `aborted` or `closed`; nothing was sent then.
   */
  take(request: TurnRequest): Turn | Promise<Turn>;
  /** The service said "too many": nobody sends until `untilMs`, then one request as a probe, the rest after its answer. */
  pause(untilMs: number): void;
  /** Roughly how long a new call of this class would wait behind what waits and `others` more, in milliseconds. */
  queueAheadMs(callClass: CallClass, others?: number): number;
  /** What waits for this resource stands in the way of taking access away: it goes as if it did that itself. */
  hasten(key: string): void;
  state(): BudgetState;
  /** Refuses everybody who waits and all who come. */
  close(): void;
}

/** Who asks for a turn. `again` keeps the place of a call that had a turn before. */
interface TurnRequest {
  readonly operation: string;
  readonly callClass: CallClass;
  readonly key: string | undefined;
  readonly signal: AbortSignal | undefined;
  readonly again: boolean;
}

/** Permission for one request: `sent()` when it leaves, `end()` always and last. */
export interface Turn {
  sent(): void;
  end(): void;
}

/** What the budget is doing, for status pages. */
export interface BudgetState {
  readonly waiting: Readonly<Record<CallClass, number>>;
  readonly inFlight: number;
  /** Milliseconds until a pause asked for by the service ends; 0 when there is none. */
  readonly pausedForMs: number;
}

/** How fast, how many at once, how many may wait. */
export interface BudgetOptions {
  readonly requestsPerSecond: number;
  readonly marginMs: number;
  readonly inFlightMax: number;
  readonly queueMax: number;
  readonly clock: Clock;
}

interface Waiter {
  readonly resolve: (turn: Turn) => void;
  readonly reject: (error: UpstreamError) => void;
  readonly operation: string;
}

/** A budget that nobody has used yet. */
export function createBudget(options: BudgetOptions): Budget {
  return new TurnBudget(options);
}

class TurnBudget implements Budget {
  readonly #clock: Clock;
  readonly #inFlightMax: number;
  readonly #queueMax: number;
  readonly #window: RateWindow;
  readonly #room = createWaitingRoom<Waiter>();
  readonly #closing = new AbortController();
  #inFlight = 0;
  #pumping = false;
  #pausedUntilMs = 0;
  #probe: 'none' | 'due' | 'out' = 'none'; // After a pause one request goes first.

  constructor({ clock, inFlightMax, queueMax, requestsPerSecond, marginMs }: BudgetOptions) {
    this.#clock = clock;
    this.#inFlightMax = inFlightMax;
    this.#queueMax = queueMax;
    this.#window = createRateWindow(requestsPerSecond, marginMs);
  }

  take(request: TurnRequest): Turn | Promise<Turn> {
    const { operation, signal } = request;
    if (this.#closing.signal.aborted) throw closed(operation);
    if (signal?.aborted) throw aborted(operation, signal.reason);
    if (this.#room.size === 0 && this.#waitMs((nowMs) => this.#window.waitMs(nowMs)) === 0) {
      return this.#grant();
    }
    if (this.#room.size >= this.#queueMax) throw overloaded(operation, this.#queueMax);
    return this.#wait(request);
  }

  pause(untilMs: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, untilMs);
    this.#probe = 'due';
  }

  queueAheadMs(callClass: CallClass, others = 0): number {
    const nowMs = this.#clock.now();
    const pauseMs = Math.max(0, this.#pausedUntilMs - nowMs);
    const urgent = callClasses.slice(0, callClasses.indexOf(callClass) + 1);
    const ahead = urgent.reduce((sum, each) => sum + this.#room.count(each), others);
    // Free places are of no use to who has to wait: they are given out one after the other.
    const free = this.#room.size === 0 ? Math.max(0, this.#window.free(nowMs)) : 0;
    const missing = ahead + 1 - free;
    if (missing <= 0) return pauseMs;
    // A waiting look gets a tenth of the turns of those before it.
    const share = this.#room.count('look') > 0 && !urgent.includes('look') ? 10 / 9 : 1;
    return pauseMs + Math.ceil(missing * share * this.#window.costMs);
  }

  hasten(key: string): void {
    this.#room.hasten(key);
  }

  state(): BudgetState {
    const [remove, change, look, pass] = callClasses.map((each) => this.#room.count(each));
    return {
      waiting: { remove: remove ?? 0, change: change ?? 0, look: look ?? 0, pass: pass ?? 0 },
      inFlight: this.#inFlight,
      pausedForMs: Math.max(0, this.#pausedUntilMs - this.#clock.now()),
    };
  }

  close(): void {
    this.#closing.abort();
    for (const waiter of this.#room.clear()) waiter.reject(closed(waiter.operation));
  }

  /** Milliseconds until somebody may go, or undefined when the end of a turn will tell. */
  #waitMs(rateWaitMs: (nowMs: number) => number | undefined): number | undefined {
    const nowMs = this.#clock.now();
    if (nowMs < this.#pausedUntilMs) return this.#pausedUntilMs - nowMs;
    if (this.#probe === 'out' || this.#inFlight >= this.#inFlightMax) return undefined;
    return rateWaitMs(nowMs);
  }

  #grant(): Turn {
    const isProbe = this.#probe === 'due';
    if (isProbe) this.#probe = 'out';
    this.#inFlight += 1;
    const place = this.#window.hold(this.#clock.now());
    let left = false;
    return {
      sent: () => {
        left = true;
        place.sent(this.#clock.now());
        this.#wake();
      },
      end: () => {
        this.#inFlight -= 1;
        if (!left) place.release();
        // Still out: its answer brought no new pause. A probe that never left proves nothing.
        if (isProbe && this.#probe === 'out') this.#probe = left ? 'none' : 'due';
        this.#wake();
      },
    };
  }

  #wait({ operation, callClass, key, again, signal }: TurnRequest): Promise<Turn> {
    const { promise, resolve, reject } = Promise.withResolvers<Turn>();
    const waiter: Waiter = { operation, resolve, reject };
    const place: Place<Waiter> = { callClass, key, again, waiter };
    this.#room.add(place);
    this.#wake();
    if (!signal) return promise;
    const leave = () => {
      if (this.#room.remove(place)) reject(aborted(operation, signal.reason));
    };
    signal.addEventListener('abort', leave, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', leave));
  }

  #wake(): void {
    if (!this.#pumping && this.#room.size > 0) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#pumping = true;
    while (this.#room.size > 0) {
      const delayMs = this.#waitMs((nowMs) => this.#window.waitSpacedMs(nowMs));
      if (delayMs === undefined) break;
      if (delayMs === 0) this.#room.next()?.resolve(this.#grant());
      else if (!(await slept(this.#clock, delayMs, this.#closing.signal))) break;
    }
    this.#pumping = false;
  }
}

/** False when the sleep was cut short. */
function slept(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  return clock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
}

function aborted(operation: string, cause: unknown): UpstreamError {
  return notSent('aborted', operation, 'given up by the caller while waiting for its turn', cause);
}

function closed(operation: string): UpstreamError {
  return notSent('closed', operation, 'the client is closed');
}

function overloaded(operation: string, queueMax: number): UpstreamError {
  return notSent('overloaded', operation, `more than ${queueMax} calls are waiting`);
}

function notSent(
  code: 'aborted' | 'closed' | 'overloaded',
  operation: string,
  detail: string,
  cause?: unknown,
): UpstreamError {
  return new UpstreamError(code, { operation, detail, cause, retry: 'later', outcome: 'not-sent' });
}
