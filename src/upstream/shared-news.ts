import type { RateShape } from './rate-window.ts';
import { LEASE_MS, type SharedState, settlePlace } from './shared-state.ts';

/** News of a process about its places and the answers of the service. */
export interface SharedNews {
  readonly places: readonly UsedPlace[];
  /** Pause after a 429. */
  readonly pauseMs: number | undefined;
  /** Result of the process's probe. */
  readonly probe: 'answered' | 'unsent' | undefined;
}

/** Result of a place; `untilMs` is its name. */
interface UsedPlace {
  readonly untilMs: number;
  /** Time since its request left; undefined: it never did. */
  readonly sentAgoMs: number | undefined;
}

/** Sender and moment of the news. */
interface Telling {
  readonly owner: string;
  readonly nowMs: number;
  readonly shape: RateShape;
}

/** The state after news. */
export function applyNews(state: SharedState, news: SharedNews, telling: Telling): SharedState {
  const settled = news.places.reduce((before, place) => {
    const freeAtMs = findFreeAgainAt(place, telling);
    const after = settlePlace(before, { untilMs: place.untilMs, freeAtMs });
    // The next request keeps no distance from one that never left.
    if (freeAtMs !== undefined) return after;
    return { ...after, lastTurnAtMs: after.lastTurnAtMs - telling.shape.spaceMs };
  }, state);
  // The pause first: a probe that brought it is no longer out.
  return applyProbe(applyPause(settled, news, telling), news, telling);
}

function findFreeAgainAt(
  { untilMs, sentAgoMs }: UsedPlace,
  { nowMs, shape: { windowMs, places } }: Telling,
): number | undefined {
  if (sentAgoMs === undefined) return undefined;
  // Nothing leaves before it has its place, nor in the future, whatever a clock that was set says.
  const sentAtMs = Math.min(Math.max(nowMs - sentAgoMs, untilMs - LEASE_MS), nowMs);
  // Of many places those that are free at about the same time are one number.
  const grainMs = Math.ceil(places / GRAIN_PLACES);
  return Math.ceil((sentAtMs + windowMs) / grainMs) * grainMs;
}

/** Up to this rate moments are kept to the millisecond; at ten times that, to ten. */
const GRAIN_PLACES = 100;

function applyPause(
  state: SharedState,
  { pauseMs }: SharedNews,
  { owner, nowMs }: Telling,
): SharedState {
  if (pauseMs === undefined) return state;
  const { pause } = state;
  const streak = pause === null ? 1 : pause.streak + (pause.probe?.owner === owner ? 1 : 0);
  const untilMs = Math.max(pause?.untilMs ?? 0, nowMs + pauseMs);
  return { ...state, pause: { atMs: nowMs, untilMs, streak, probe: null } };
}

function applyProbe(state: SharedState, { probe }: SharedNews, { owner }: Telling): SharedState {
  const { pause } = state;
  if (probe === undefined || pause?.probe?.owner !== owner) return state;
  return { ...state, pause: probe === 'answered' ? null : { ...pause, probe: null } };
}
