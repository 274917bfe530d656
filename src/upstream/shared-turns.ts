import {
  type CallClass,
  type ClassCounts,
  callClasses,
  keptClasses,
  PASSED_MAX,
  type PassedCounts,
} from './call-class.ts';
import type { RateShape } from './rate-window.ts';
import {
  countBusy,
  findFreeAt,
  holdPlace,
  LEASE_MS,
  type Member,
  type SharedPause,
  type SharedState,
} from './shared-state.ts';

/** Request of a process. */
export interface SharedAsk {
  readonly owner: string;
  readonly waiting: ClassCounts;
  /** Number of its waiting calls that could leave now. */
  readonly usable: number;
}

/** Grant to a process. */
export interface SharedGrant {
  readonly state: SharedState;
  /** Classes that got places, in this order; the places may be used until `untilMs`. */
  readonly classes: readonly CallClass[];
  readonly untilMs: number;
  /** True when the one place is for the request that goes first after a pause. */
  readonly isProbe: boolean;
  /** Time until the next request for the calls that still wait, in milliseconds. */
  readonly waitMs: number;
}

/** A moment of the common clock, and the rate. */
export interface SharedMoment {
  readonly nowMs: number;
  readonly shape: RateShape;
}

/**
 * Longest interval between two requests of a process with waiting calls, in milliseconds: its last answer may not
 * hold any more.
 */
const WAIT_MAX_MS = 2_000;
/** Time that the answer to a probe is waited for before another goes, in milliseconds. */
const PROBE_MAX_MS = 30_000;
/** Interval of the question whether it has come, in milliseconds; not more often than calls leave. */
const PROBE_ASKED_MS = 100;
/** Lateness that costs nothing of a high rate: the process gets at once what it could have had, in milliseconds. */
const CATCH_UP_MS = 100;
/** Time until the next request for a place that should be free and is not, in milliseconds. */
const ASK_AGAIN_MS = 25;
/** Lateness of a process from which on others go in its place, in milliseconds at least. */
const LATE_MIN_MS = 100;

/**
 * Gives out places of the rate: to the most urgent class that waits anywhere, between processes in turn, evenly
 * spaced once a call has to wait. A process that does not come at its time loses its turn, so that a dead process
 * delays others by one space.
 */
export function shareOut(before: SharedState, ask: SharedAsk, moment: SharedMoment): SharedGrant {
  const round = openRound(before, ask, moment);
  const { pause } = before;
  const isPaused = pause !== null && isClosed(pause, moment);
  const isProbe = pause !== null && !isPaused;
  const most = isPaused ? 0 : Math.min(ask.usable, isProbe ? 1 : ask.usable);
  while (round.classes.length < most && round.isFree()) {
    const callClass = round.findClass();
    if (callClass === undefined) break;
    round.give(callClass);
  }
  const { classes, untilMs } = round;
  const probed = isProbe && classes.length > 0;
  const waitMs = toWholeWait(isPaused || probed ? waitForPause(pause, moment) : round.waitMs());
  const state = round.close(waitMs);
  if (!probed) return { state, classes, untilMs, isProbe: false, waitMs };
  const probe = { owner: ask.owner, untilMs: moment.nowMs + PROBE_MAX_MS };
  return { state: { ...state, pause: { ...pause, probe } }, classes, untilMs, isProbe, waitMs };
}

/** True when no call may leave: the pause lasts, or the answer to its probe has not come. */
function isClosed({ untilMs, probe }: SharedPause, { nowMs }: SharedMoment): boolean {
  return nowMs < untilMs || (probe !== null && nowMs < probe.untilMs);
}

function toWholeWait(ms: number): number {
  return Math.max(1, Math.ceil(Math.min(ms, WAIT_MAX_MS)));
}

/** Until the pause is over, or until the answer to a probe may have come. */
function waitForPause(pause: SharedPause | null, { nowMs, shape }: SharedMoment): number {
  const leftMs = (pause?.untilMs ?? 0) - nowMs;
  return leftMs > 0 ? leftMs : Math.max(shape.spaceMs, PROBE_ASKED_MS);
}

/** One request of a process: its places are taken off the state step by step. */
interface Round {
  readonly classes: CallClass[];
  readonly untilMs: number;
  /** True when a place of the rate may be given out now. */
  isFree(): boolean;
  /** The class whose turn it is, when this process may use it. */
  findClass(): CallClass | undefined;
  give(callClass: CallClass): void;
  waitMs(): number;
  /** The state, with what still waits in this process. */
  close(waitMs: number): SharedState;
}

function openRound(before: SharedState, ask: SharedAsk, { nowMs, shape }: SharedMoment): Round {
  const { places, spaceMs } = shape;
  const { [ask.owner]: known, ...others } = before.members;
  const rivals = Object.values(others).filter((each) => isLive(each, nowMs, spaceMs));
  // A burst that finds no other waiting leaves at once.
  const isBurst = known === undefined && rivals.length === 0;
  const untilMs = nowMs + LEASE_MS;
  const lateMs = spaceMs > CATCH_UP_MS ? spaceMs / 8 : CATCH_UP_MS;
  const classes: CallClass[] = [];
  let state = before;
  let me: Member = {
    waiting: ask.waiting,
    comesAtMs: nowMs,
    servedAtMs: known?.servedAtMs ?? nowMs,
  };

  const nextTurnAt = () => Math.max(findFreeAt(state, shape), state.lastTurnAtMs + spaceMs);

  return {
    classes,
    untilMs,
    isFree() {
      if (countBusy(state) >= places) return false;
      return isBurst || state.lastTurnAtMs + spaceMs <= nowMs;
    },
    findClass: () => findClass(me, rivals, { passed: toPassed(state), nowMs, spaceMs }),
    give(callClass) {
      classes.push(callClass);
      const lastTurnAtMs = Math.max(state.lastTurnAtMs + spaceMs, nowMs - lateMs);
      state = { ...holdPlace(state, untilMs), lastTurnAtMs };
      const waiting = { ...me.waiting, [callClass]: me.waiting[callClass] - 1 };
      me = { ...me, waiting, servedAtMs: nowMs };
      const count = (kept: keyof PassedCounts, before: number) => {
        const isPassed = kept !== callClass && isAnyWaiting([me, ...rivals], kept);
        return isPassed ? before + 1 : 0;
      };
      const lookPassed = count('look', state.lookPassed);
      state = { ...state, lookPassed, passPassed: count('pass', state.passPassed) };
    },
    waitMs() {
      const behind = countBefore(me, rivals, toPassed(state));
      const turnAtMs = nextTurnAt();
      // Held places are not foretold, and an expected process may not come.
      if (turnAtMs <= nowMs) return Math.max(ASK_AGAIN_MS, behind > 0 ? spaceMs / 2 : 0);
      return turnAtMs + behind * spaceMs - nowMs;
    },
    close(waitMs) {
      // A process that cannot use a place now stands in no other's way.
      const isWaiting = findUrgent(me.waiting) !== undefined && ask.usable > 0;
      const mine = isWaiting ? { [ask.owner]: { ...me, comesAtMs: nowMs + waitMs } } : {};
      return { ...state, members: { ...others, ...mine } };
    },
  };
}

function toPassed({ lookPassed, passPassed }: SharedState): PassedCounts {
  return { look: lookPassed, pass: passPassed };
}

function isAnyWaiting(members: readonly Member[], callClass: CallClass): boolean {
  return members.some(({ waiting }) => waiting[callClass] > 0);
}

/** The class whose turn it is among all waiting calls, where a process that may use it now is `me`. */
function findClass(
  me: Member,
  rivals: readonly Member[],
  { passed, nowMs, spaceMs }: { passed: PassedCounts; nowMs: number; spaceMs: number },
): CallClass | undefined {
  const due = keptClasses.filter((kept) => passed[kept] >= PASSED_MAX);
  const mine = due.find((kept) => me.waiting[kept] > 0);
  if (mine !== undefined) return mine;
  // No process waits for one that comes at another time.
  const coming = rivals.filter(({ comesAtMs }) => Math.abs(nowMs - comesAtMs) <= spaceMs / 2);
  if (due.some((kept) => isAnyWaiting(coming, kept))) return undefined;
  const urgent = findUrgent(me.waiting);
  const isAllowed = urgent && !rivals.some((rival) => isMoreUrgent(rival, urgent));
  return isAllowed ? urgent : undefined;
}

/** Number of processes served before `me`, up to two: further ahead it is unknown who will have come by then. */
function countBefore(me: Member, rivals: readonly Member[], passed: PassedCounts): number {
  const urgent = findUrgent(me.waiting);
  if (urgent === undefined) return 0;
  const before = rivals.filter(
    (rival) =>
      isMoreUrgent(rival, urgent) ||
      (rival.waiting[urgent] > 0 && rival.servedAtMs < me.servedAtMs),
  ).length;
  const due = keptClasses.filter(
    (kept) => passed[kept] >= PASSED_MAX && isAnyWaiting(rivals, kept),
  ).length;
  const untilMine = keptClasses
    .filter((kept) => me.waiting[kept] > 0)
    .map((kept) => Math.max(0, PASSED_MAX - passed[kept]));
  return Math.min(Math.max(before, due), ...untilMine, 2);
}

function findUrgent(waiting: ClassCounts): CallClass | undefined {
  return callClasses.find((callClass) => waiting[callClass] > 0);
}

function isMoreUrgent({ waiting }: Member, than: CallClass): boolean {
  return callClasses.slice(0, callClasses.indexOf(than)).some((each) => waiting[each] > 0);
}

/** False for one that should have come: it has died, or has nothing to do any more. */
export function isLive({ comesAtMs }: Member, nowMs: number, spaceMs: number): boolean {
  return nowMs <= comesAtMs + Math.max(spaceMs * 0.75, LATE_MIN_MS);
}
