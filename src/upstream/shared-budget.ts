import type { Budget, BudgetOptions, BudgetState, KnownPause } from './budget.ts';
import type { CallClass } from './call-class.ts';
import type { Clock } from './clock.ts';
import { estimateQueueMs } from './queue-estimate.ts';
import { addCounts, createSharedBook, type SharedBook, type SharedPlaces } from './shared-book.ts';
import type { SharedRate } from './shared-rate.ts';
import { LEASE_MS } from './shared-state.ts';
import { createTurnLine, type TurnLine } from './turn-line.ts';
import type { Turn, TurnRequest } from './turns.ts';
import { createWakeableSleep, type WakeableSleep } from './wakeable-sleep.ts';

/** Pause after the shared state could not be reached, in milliseconds; doubling. */
const TROUBLE_FIRST_MS = 100;
const TROUBLE_MAX_MS = 1_000;

/**
 * Creates the budget of one process among several with the same token: no request leaves without a place that the
 * shared state gave out. While the state cannot be reached, all calls wait.
 * @throws RangeError for a rate that is not above 0.
 */
export function createSharedBudget(options: BudgetOptions, shared: SharedRate): Budget {
  return new SharedBudget(options, shared);
}

class SharedBudget implements Budget {
  readonly #clock: Clock;
  readonly #inFlightMax: number;
  readonly #book: SharedBook;
  readonly #line: TurnLine;
  readonly #sleep: WakeableSleep;
  #inFlight = 0;
  #isRunning = false;
  #troubles = 0;

  constructor({ clock, inFlightMax, queueMax, ...rate }: BudgetOptions, shared: SharedRate) {
    this.#clock = clock;
    this.#inFlightMax = inFlightMax;
    this.#line = createTurnLine(queueMax, () => this.#wakeIfUrgent());
    this.#book = createSharedBook({ ...rate, ...shared, clock });
    this.#sleep = createWakeableSleep(clock, this.#line.closed);
  }

  take(request: TurnRequest): Promise<Turn> {
    this.#line.assertOpen(request);
    return this.#line.join(request);
  }

  pause(untilMs: number): void {
    this.#book.note({ pausedUntilMs: untilMs });
    this.#wake();
  }

  findPause(): KnownPause | undefined {
    return this.#book.findPause();
  }

  queueAheadMs(callClass: CallClass, others = 0): number {
    const { room } = this.#line;
    const { free, elsewhere, pausedForMs } = this.#book.view();
    const waiting = addCounts(room.counts(), elsewhere);
    const isQueue = Object.values(waiting).some((count) => count > 0);
    return estimateQueueMs({
      ...{ callClass, others, waiting },
      free: isQueue ? 0 : free,
      pauseMs: pausedForMs,
      costMs: this.#book.costMs,
    });
  }

  prioritise(key: string): void {
    this.#line.room.prioritise(key);
    this.#wakeIfUrgent();
  }

  state(): BudgetState {
    const { elsewhere, pausedForMs } = this.#book.view();
    const waiting = this.#line.room.counts();
    return { waiting, elsewhere, inFlight: this.#inFlight, pausedForMs };
  }

  close(): void {
    this.#line.close();
  }

  #usable(): number {
    return Math.max(0, Math.min(this.#line.room.size, this.#inFlightMax - this.#inFlight));
  }

  /** Ends the sleep: the shared state has to know an event at once. */
  #wake(): void {
    this.#sleep.wake();
    if (!this.#isRunning) void this.#run();
  }

  /** A call that is no more urgent than the waiting ones is reported with their next request. */
  #wakeIfUrgent(): void {
    if (!this.#isTold() && this.#usable() > 0) this.#wake();
  }

  #isTold(): boolean {
    return this.#book.isToldOf(this.#line.room.counts());
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    while (!this.#line.closed.aborted && (this.#usable() > 0 || this.#book.isTellingDue())) {
      const waitMs = await this.#ask();
      // New calls are reported first, and an event meanwhile ends the sleep at once.
      if (this.#usable() > 0 && this.#isTold()) await this.#sleep.sleep(waitMs);
    }
    this.#isRunning = false;
  }

  /** Asks the shared state once; milliseconds until it is of use to ask again. */
  async #ask(): Promise<number> {
    this.#sleep.arm();
    const waiting = this.#line.room.counts();
    const places = await this.#book.exchange({ waiting, usable: this.#usable() });
    if (places === undefined) {
      // The keeper of the shared state reports what is wrong with it; here the calls go on waiting.
      await this.#sleep.sleepThrough(
        Math.min(TROUBLE_FIRST_MS * 2 ** this.#troubles, TROUBLE_MAX_MS),
      );
      this.#troubles += 1;
      return 0;
    }
    this.#troubles = 0;
    this.#give(places);
    return places.waitMs;
  }

  #give({ classes, ...place }: SharedPlaces): void {
    for (const callClass of classes) {
      const turn = this.#grant(place);
      const waiter = turn.isLapsed() ? undefined : this.#nextOf(callClass);
      if (waiter === undefined) turn.end();
      else waiter.resolve(turn);
    }
  }

  /** The calls for which the place was meant may have given up meanwhile. */
  #nextOf(callClass: CallClass) {
    return this.#line.room.nextOf(callClass) ?? this.#line.room.next();
  }

  #grant({ untilMs, askedAtMs, isProbe }: Omit<SharedPlaces, 'classes'>): Turn {
    this.#inFlight += 1;
    let left = false;
    return {
      isLapsed: () => this.#clock.now() >= askedAtMs + LEASE_MS,
      sent: () => {
        left = true;
        this.#book.note({ places: [{ untilMs, sentAtMs: this.#clock.now() }] });
        this.#wake();
      },
      end: () => {
        this.#inFlight -= 1;
        if (!left) this.#book.note({ places: [{ untilMs, sentAtMs: undefined }] });
        if (isProbe) this.#book.note({ probe: left ? 'answered' : 'unsent' });
        // A call may have waited for one to be less under way.
        if (!left || isProbe || !this.#isRunning) this.#wake();
      },
    };
  }
}
