import type { KnownPause } from './budget.ts';
import { type ClassCounts, callClasses } from './call-class.ts';
import type { Clock } from './clock.ts';
import { type RateShape, toRateShape } from './rate-window.ts';
import { applyNews } from './shared-news.ts';
import { addNoted, isNothing, type Noted, nothingNoted, toNews } from './shared-noted.ts';
import type { SharedCell, SharedRate, SharedReading } from './shared-rate.ts';
import { countBusy, parseSharedState, type SharedState, toStateAt } from './shared-state.ts';
import { isLive, type SharedAsk, type SharedGrant, shareOut } from './shared-turns.ts';

/** The shared state of a rate as one process knows it, and its news that the others do not know yet. */
export interface SharedBook {
  /** Sends the news and asks for places; undefined: the state cannot be reached now. */
  exchange(asked: Omit<SharedAsk, 'owner'>): Promise<SharedPlaces | undefined>;
  /** Records news, for the next exchange. */
  note(noted: Partial<Noted>): void;
  /** True when the others know of a call as urgent as the most urgent of these, or when none waits. */
  isToldOf(waiting: ClassCounts): boolean;
  /** True when there are news although no call waits here. */
  isTellingDue(): boolean;
  view(): SharedView;
  /** The last pause that a process met; undefined: the service has answered since. */
  findPause(): KnownPause | undefined;
  /** Milliseconds that one request takes of the rate. */
  readonly costMs: number;
}

/** Places that this process got. */
export interface SharedPlaces
  extends Pick<SharedGrant, 'classes' | 'untilMs' | 'isProbe' | 'waitMs'> {
  /** The moment before they were requested, by the clock of this process: their time runs from then at the latest. */
  readonly askedAtMs: number;
}

/** Other processes, as last heard. */
interface SharedView {
  /** Calls that could leave at once. */
  readonly free: number;
  /** Calls that wait in other processes. */
  readonly elsewhere: ClassCounts;
  readonly pausedForMs: number;
}

/** Options of a book. */
export interface BookOptions extends SharedRate {
  readonly requestsPerSecond: number;
  readonly marginMs: number;
  readonly clock: Clock;
}

/** The state, with the moments of its reading by the common clock and by the clock of this process. */
interface Sight {
  readonly state: SharedState;
  readonly nowMs: number;
  readonly atMs: number;
}

/** Age from which the known state is read again on demand, in milliseconds. */
const REFRESH_MS = 1_000;
/** Age up to which the waiting calls of others are believed, in milliseconds. */
const BELIEVED_MS = 2_000;
/** Times that others may be quicker before a process pauses. */
const ATTEMPTS_MAX = 20;
const nobody: ClassCounts = { remove: 0, change: 0, look: 0, pass: 0 };

/** Creates the book of a process that has sent nothing yet. */
export function createSharedBook(options: BookOptions): SharedBook {
  return new Book(options);
}

class Book implements SharedBook {
  readonly #clock: Clock;
  readonly #cell: SharedCell;
  readonly #owner: string;
  readonly #shape: RateShape;
  #noted = nothingNoted;
  /** Waiting calls of this process, as the others know them. */
  #told = nobody;
  #seen: Sight | undefined;
  #isReading = false;

  constructor({ cell, owner, clock, requestsPerSecond, marginMs }: BookOptions) {
    this.#clock = clock;
    this.#cell = cell;
    this.#owner = owner;
    this.#shape = toRateShape(requestsPerSecond, marginMs);
  }

  get costMs(): number {
    return this.#shape.windowMs / this.#shape.places;
  }

  note(noted: Partial<Noted>): void {
    this.#noted = addNoted(this.#noted, noted);
  }

  isToldOf(waiting: ClassCounts): boolean {
    const urgent = callClasses.findIndex((callClass) => waiting[callClass] > 0);
    const asUrgent = callClasses.slice(0, urgent + 1);
    return urgent < 0 || asUrgent.some((callClass) => this.#told[callClass] > 0);
  }

  isTellingDue(): boolean {
    return !isNothing(this.#noted) || Object.values(this.#told).some((count) => count > 0);
  }

  async exchange({ waiting, usable }: Omit<SharedAsk, 'owner'>): Promise<SharedPlaces | undefined> {
    const noted = this.#noted;
    this.#noted = nothingNoted;
    this.#told = usable > 0 ? waiting : nobody;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const askedAtMs = this.#clock.now();
      const reading = await this.#cell.read().catch(() => undefined);
      if (reading === undefined) break;
      const grant = this.#plan(
        reading,
        { waiting, usable, owner: this.#owner },
        { noted, askedAtMs },
      );
      const outcome = await this.#cell
        .replace(reading.version, JSON.stringify(grant.state))
        .catch(() => 'unknown' as const);
      if (outcome === 'unknown') {
        // Sent again, a place would be taken for another one. Unsent it is given back late, which does no harm.
        this.note({ ...noted, places: [] });
        return undefined;
      }
      if (outcome) return this.#accept(grant, { askedAtMs, nowMs: reading.nowMs });
    }
    this.note(noted);
    return undefined;
  }

  #plan(
    { text, nowMs }: SharedReading,
    ask: SharedAsk,
    { noted, askedAtMs }: { noted: Noted; askedAtMs: number },
  ): SharedGrant {
    const moment = { nowMs, shape: this.#shape };
    const telling = { ...moment, owner: this.#owner };
    const before = parseSharedState(text, moment);
    return shareOut(applyNews(before, toNews(noted, askedAtMs), telling), ask, moment);
  }

  #accept(
    { state, ...grant }: SharedGrant,
    { askedAtMs, nowMs }: { askedAtMs: number; nowMs: number },
  ): SharedPlaces {
    this.#seen = { state, nowMs, atMs: askedAtMs };
    this.#told = state.members[this.#owner]?.waiting ?? nobody;
    return { ...grant, askedAtMs };
  }

  view(): SharedView {
    void this.#refresh();
    const pendingMs = (this.#noted.pausedUntilMs ?? 0) - this.#clock.now();
    if (this.#seen === undefined) {
      const { places: free } = this.#shape;
      return { free, elsewhere: nobody, pausedForMs: Math.max(0, pendingMs) };
    }
    const { nowMs, atMs, state } = this.#seen;
    const ageMs = this.#clock.now() - atMs;
    const { pause, ...rest } = toStateAt(state, nowMs + ageMs, this.#shape);
    return {
      free: Math.max(0, this.#shape.places - countBusy({ ...rest, pause })),
      elsewhere: ageMs > BELIEVED_MS ? nobody : this.#countElsewhere(this.#seen),
      pausedForMs: Math.max(0, pendingMs, (pause?.untilMs ?? 0) - nowMs - ageMs),
    };
  }

  #countElsewhere({ state, nowMs }: Sight): ClassCounts {
    const { [this.#owner]: _, ...others } = state.members;
    return Object.values(others)
      .filter((member) => isLive(member, nowMs, this.#shape.spaceMs))
      .reduce((sum, { waiting }) => addCounts(sum, waiting), nobody);
  }

  findPause(): KnownPause | undefined {
    const { state, nowMs = 0, atMs = 0 } = this.#seen ?? {};
    if (!state?.pause) return undefined;
    return { atMs: atMs + state.pause.atMs - nowMs, streak: state.pause.streak };
  }

  /** Reads for the next caller. A state that cannot be read stays as it was known. */
  async #refresh(): Promise<void> {
    const atMs = this.#clock.now();
    if (this.#isReading || (this.#seen && atMs - this.#seen.atMs < REFRESH_MS)) return;
    this.#isReading = true;
    const reading = await this.#cell.read().catch(() => undefined);
    this.#isReading = false;
    if (reading === undefined || (this.#seen && this.#seen.atMs > atMs)) return;
    const { nowMs, text } = reading;
    const state = parseSharedState(text, { nowMs, shape: this.#shape });
    this.#seen = { state, nowMs, atMs };
  }
}

/** The sum of both. */
export function addCounts(a: ClassCounts, b: ClassCounts): ClassCounts {
  return {
    remove: a.remove + b.remove,
    change: a.change + b.change,
    look: a.look + b.look,
    pass: a.pass + b.pass,
  };
}
