import type { ClassCounts } from './call-class.ts';
import type { RateShape } from './rate-window.ts';

/** State of the rate of one token, shared by all processes. Moments are milliseconds of their common clock. */
export interface SharedState {
  /** Another format is not understood, and no call leaves for as long as it may hold. */
  readonly format: typeof FORMAT;
  /** Places that were given out and are not reported yet: the end of their use, and their number. */
  readonly held: readonly Batch[];
  /** Places whose request has left: the moment when they are free again, and their number. */
  readonly sent: readonly Batch[];
  /** Moment of the last place, kept apart by the space of the rate. */
  readonly lastTurnAtMs: number;
  /** Number of other calls that went while a look waited. */
  readonly lookPassed: number;
  /** The same of a call that is passed through. */
  readonly passPassed: number;
  /** Pause after a 429; null: the service has answered since. */
  readonly pause: SharedPause | null;
  /** The processes with waiting calls. */
  readonly members: Readonly<Record<string, Member>>;
}

type Batch = readonly [atMs: number, count: number];

/** No call leaves until `untilMs`, then one process alone. */
export interface SharedPause {
  readonly atMs: number;
  readonly untilMs: number;
  /** 1 for the first, one more each time the probe was answered in the same way. */
  readonly streak: number;
  /** The process that goes first, and how long it is waited for. */
  readonly probe: { readonly owner: string; readonly untilMs: number } | null;
}

/** A process with waiting calls. */
export interface Member {
  readonly waiting: ClassCounts;
  /** Moment at which it is to ask again. */
  readonly comesAtMs: number;
  /** Moment of its last place, or of its arrival. */
  readonly servedAtMs: number;
}

/**
 * Time that a place may be used after it was given out. A process that dies with one keeps it from others for no
 * longer.
 */
export const LEASE_MS = 5_000;
/** A pause is at most this long, so a longer one is from before the clock was set. */
const PAUSE_MAX_MS = 60_000;
const FORMAT = 1;

const unused: SharedState = {
  format: FORMAT,
  held: [],
  sent: [],
  lastTurnAtMs: 0,
  lookPassed: 0,
  passPassed: 0,
  pause: null,
  members: {},
};

/** Parses the state. A lost or unknown text counts as the worst that it may have been. */
export function parseSharedState(
  text: string | null | undefined,
  { nowMs, shape }: { nowMs: number; shape: RateShape },
): SharedState {
  if (text === null) return unused;
  const state = text === undefined ? undefined : findState(text);
  if (state !== undefined) return toStateAt(state, nowMs, shape);
  return { ...unused, sent: [[nowMs + LEASE_MS + shape.windowMs, shape.places]] };
}

function findState(text: string): SharedState | undefined {
  try {
    const state = JSON.parse(text) as SharedState;
    return state.format === FORMAT ? { ...unused, ...state } : undefined;
  } catch {
    return undefined;
  }
}

/** The state without expired entries, and with no impossible moment: the common clock may have been set back. */
export function toStateAt(state: SharedState, nowMs: number, { windowMs }: RateShape): SharedState {
  const { held, sent, pause, members } = state;
  const longestMs = Math.max(LEASE_MS, windowMs);
  return {
    ...state,
    held: clamp(held, nowMs + LEASE_MS).filter(([untilMs]) => untilMs + windowMs > nowMs),
    sent: clamp(sent, nowMs + LEASE_MS + windowMs).filter(([freeAtMs]) => freeAtMs > nowMs),
    lastTurnAtMs: Math.min(state.lastTurnAtMs, nowMs + windowMs),
    pause: pause && { ...pause, untilMs: Math.min(pause.untilMs, nowMs + PAUSE_MAX_MS) },
    members: Object.fromEntries(
      Object.entries(members).filter(
        ([, { comesAtMs }]) => Math.abs(comesAtMs - nowMs) <= longestMs,
      ),
    ),
  };
}

function clamp(batches: readonly Batch[], latestMs: number): Batch[] {
  return batches.map(([atMs, count]) => [Math.min(atMs, latestMs), count]);
}

/** Places that are in use at the moment of the state. */
export function countBusy({ held, sent }: SharedState): number {
  return [...held, ...sent].reduce((sum, [, count]) => sum + count, 0);
}

/** Estimated moment at which a place is free: a held one counts as sent at once. */
export function findFreeAt(state: SharedState, { places, windowMs }: RateShape): number {
  const missing = countBusy(state) - places + 1;
  if (missing <= 0) return 0;
  const freeing: Batch[] = [
    ...state.sent,
    ...state.held.map(([untilMs, count]): Batch => [untilMs - LEASE_MS + windowMs, count]),
  ].sort(([a], [b]) => a - b);
  let freed = 0;
  for (const [atMs, count] of freeing) {
    freed += count;
    if (freed >= missing) return atMs;
  }
  return 0;
}

/** Gives out one place, which may be used until `untilMs`. */
export function holdPlace(state: SharedState, untilMs: number): SharedState {
  return { ...state, held: addTo(state.held, untilMs) };
}

/**
 * Records the end of a place that was given out: free at `freeAtMs`; undefined: unused. One that is not known any
 * more is over, or among those that are lost.
 */
export function settlePlace(
  state: SharedState,
  { untilMs, freeAtMs }: { untilMs: number; freeAtMs: number | undefined },
): SharedState {
  const index = state.held.findIndex(([atMs]) => atMs === untilMs);
  const batch = state.held[index];
  if (batch === undefined) return state;
  const left: Batch[] = batch[1] > 1 ? [[untilMs, batch[1] - 1]] : [];
  const held = state.held.toSpliced(index, 1, ...left);
  const sent = freeAtMs === undefined ? state.sent : addTo(state.sent, freeAtMs);
  return { ...state, held, sent };
}

function addTo(batches: readonly Batch[], atMs: number): Batch[] {
  const index = batches.findIndex(([each]) => each === atMs);
  const count = batches[index]?.[1] ?? 0;
  return index < 0 ? [...batches, [atMs, 1]] : batches.with(index, [atMs, count + 1]);
}
