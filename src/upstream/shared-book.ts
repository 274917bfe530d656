import type { KnownPause } from './budget.ts';
import { type ClassCounts, callClasses } from './call-class.ts';
import type { Clock } from './clock.ts';
import { type RateShape, toRateShape } from './rate-window.ts';
import { applyNews } from './shared-news.ts';
import { addNoted, isNothing, type Noted, nothingNoted, toNews } from './shared-noted.ts';
import type { SharedCell, SharedRate, SharedReading } from './shared-rate.ts';
import { countBusy, parseSharedState, type SharedState, toStateAt } from './shared-state.ts';
import { isLive, type SharedAsk, type SharedGrant, shareOut } from './shared-turns.ts';

/** What one process knows of the shared state of a rate, and what it still has to tell. */
export interface SharedBook {
  /** Tells what was noted and asks for places; undefined: the state cannot be reached now. */
  exchange(asked: Omit<SharedAsk, 'owner'>): Promise<SharedPlaces | undefined>;
  /** Notes what happened, for the next exchange. */
  note(noted: Partial<Noted>): void;
  /** True when others know that somebody as urgent as the most urgent of these waits here, or nobody does. */
  isToldOf(waiting: ClassCounts): boolean;
  /** True when there is something to tell although nobody waits here. */
  isTellingDue(): boolean;
  view(): SharedView;
  /** The last pause that a process met; undefined: the service has answered since. */
  findPause(): KnownPause | undefined;
  /** Milliseconds that one request takes of the rate. */
  readonly costMs: number;
}

/** Places that were given to this process. */
export interface SharedPlaces
  extends Pick<SharedGrant, 'classes' | 'untilMs' | 'isProbe' | 'waitMs'> {
  /** Before they were asked for, by the clock of this process: their time runs from then at the latest. */
  readonly askedAtMs: number;
}

/** What other processes do, as last heard. */
interface SharedView {
  /** Calls that could leave at once. */
  readonly free: number;
  /** Who waits in other processes. */
  readonly elsewhere: ClassCounts;
  readonly pausedForMs: number;
}

/** How to open a book. */
export interface BookOptions extends SharedRate {
  readonly requestsPerSecond: number;
  readonly marginMs: number;
  readonly clock: Clock;
}

/** The state as it was seen, when that was by the common clock, and by the clock of this process. */
interface Sight {
  readonly state: SharedState;
  readonly nowMs: number;
  readonly atMs: number;
}

/** What is known is read again, for whoever wants to know, after so long; in milliseconds. */
const REFRESH_MS = 1_000;
/** How long what others wait for is believed, in milliseconds. */
const BELIEVED_MS = 2_000;
/** How often others may be quicker before a process takes a rest. */
const ATTEMPTS_MAX = 20;
const nobody: ClassCounts = { remove: 0, change: 0, look: 0, pass: 0 };

/** The book of a process that has told nothing yet. */
export function createSharedBook(options: BookOptions): SharedBook {
  return new Book(options);
}

class Book implements SharedBook {
  readonly #clock: Clock;
  readonly #cell: SharedCell;
  readonly #owner: string;
  readonly #shape: RateShape;
  #noted = nothingNoted;
  /** Who waits here, as others know it. */
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
        // Told again, a place would be taken for another one. Untold it is given back late, which does no harm.
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

  /** For the next one who wants to know. A state that cannot be read stays as it was known. */
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
