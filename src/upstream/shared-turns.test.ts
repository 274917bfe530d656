import { expect, test } from 'vitest';
import type { ClassCounts } from './call-class.ts';
import { toRateShape } from './rate-window.ts';
import { parseSharedState, type SharedState } from './shared-state.ts';
import { shareOut } from './shared-turns.ts';

const NOW = Date.UTC(2026, 0, 1);
const SHAPE = toRateShape(5, 25);
const moment = { nowMs: NOW, shape: SHAPE };
const free: SharedState = parseSharedState(null, moment);

function waiting(counts: Partial<ClassCounts>): ClassCounts {
  return { remove: 0, change: 0, look: 0, pass: 0, ...counts };
}

/** Another process in which these wait, that comes so much later. */
function rival(counts: Partial<ClassCounts>, { comesInMs = 0, servedAgoMs = 1_000 } = {}) {
  const times = { comesAtMs: NOW + comesInMs, servedAtMs: NOW - servedAgoMs };
  return { b: { waiting: waiting(counts), ...times } };
}

function ask(state: Partial<SharedState>, counts: Partial<ClassCounts>, usable = 64) {
  return shareOut({ ...free, ...state }, { owner: 'a', waiting: waiting(counts), usable }, moment);
}

const me = { a: { waiting: waiting({ change: 9 }), comesAtMs: NOW, servedAtMs: NOW - 500 } };
const before = { lastTurnAtMs: NOW - 300 };

test.each([
  {
    why: 'a burst that finds nobody',
    state: {},
    asks: { change: 9 },
    gets: Array(5).fill('change'),
  },
  {
    why: 'one who waited before',
    state: { ...before, members: me },
    asks: { change: 9 },
    gets: ['change'],
  },
  {
    why: 'one beside another who waits',
    state: { ...before, members: rival({ change: 9 }) },
    asks: { change: 9 },
    gets: ['change'],
  },
  {
    why: 'the most urgent of its own',
    state: { ...before, members: me },
    asks: { look: 1, remove: 1 },
    gets: ['remove'],
  },
  {
    why: 'nothing while somewhere somebody more urgent is expected',
    state: { ...before, members: rival({ remove: 1 }) },
    asks: { change: 9 },
    gets: [],
  },
  {
    why: 'nothing while that one comes a little later',
    state: { ...before, members: rival({ remove: 1 }, { comesInMs: 400 }) },
    asks: { change: 9 },
    gets: [],
  },
  {
    why: 'nothing while that one is only a little late',
    state: { ...before, members: rival({ remove: 1 }, { comesInMs: -150 }) },
    asks: { change: 9 },
    gets: [],
  },
  {
    why: 'its turn when that one did not come',
    state: { ...before, members: { ...me, ...rival({ remove: 1 }, { comesInMs: -151 }) } },
    asks: { change: 9 },
    gets: ['change'],
  },
  {
    why: 'its turn before somebody less urgent',
    state: { ...before, members: rival({ look: 9, pass: 9 }) },
    asks: { change: 9 },
    gets: ['change'],
  },
  {
    why: 'its look once nine others went',
    state: { ...before, lookPassed: 9, members: rival({ remove: 9 }) },
    asks: { look: 1 },
    gets: ['look'],
  },
  {
    why: 'nothing for a look before that',
    state: { ...before, lookPassed: 8, members: rival({ remove: 9 }) },
    asks: { look: 1 },
    gets: [],
  },
  {
    why: 'its call that is passed through once nine others went',
    state: { ...before, passPassed: 9, members: rival({ remove: 9, look: 9 }) },
    asks: { pass: 1 },
    gets: ['pass'],
  },
  {
    why: 'nothing for such a call before that',
    state: { ...before, passPassed: 8, members: rival({ remove: 9 }) },
    asks: { pass: 1 },
    gets: [],
  },
  {
    why: 'nothing when such a call of another is due',
    state: { ...before, passPassed: 9, members: rival({ pass: 1 }) },
    asks: { remove: 1 },
    gets: [],
  },
  {
    why: 'nothing when the look of another is due',
    state: { ...before, lookPassed: 9, members: rival({ look: 1 }) },
    asks: { remove: 1 },
    gets: [],
  },
  {
    why: 'its turn when that look comes later',
    state: { ...before, lookPassed: 9, members: rival({ look: 1 }, { comesInMs: 101 }) },
    asks: { remove: 1 },
    gets: ['remove'],
  },
  {
    why: 'nothing within a space of the last',
    state: { members: me, lastTurnAtMs: NOW - 199 },
    asks: { change: 9 },
    gets: [],
  },
  {
    why: 'nothing while all places are taken',
    state: { ...before, sent: [[NOW + 7, 3]], held: [[NOW + 900, 2]] } as const,
    asks: { change: 9 },
    gets: [],
  },
  {
    why: 'the one place that is left',
    state: { sent: [[NOW + 7, 3]], held: [[NOW + 900, 1]] } as const,
    asks: { change: 9 },
    gets: ['change'],
  },
  {
    why: 'no more than it can use',
    state: {},
    asks: { change: 9 },
    usable: 2,
    gets: ['change', 'change'],
  },
])('a process gets $why', ({ state, asks, gets, usable }) => {
  expect(ask(state, asks, usable).classes).toEqual(gets);
});

const paused = (untilMs: number, probe: { owner: string; untilMs: number } | null = null) => ({
  pause: { atMs: NOW - 1_000, untilMs, streak: 1, probe },
});

test.each([
  { why: 'nothing during a pause', state: paused(NOW + 1), gets: 0, isProbe: false, waitMs: 1 },
  { why: 'one as a probe after it', state: paused(NOW), gets: 1, isProbe: true, waitMs: 200 },
  {
    why: 'nothing while a probe is out',
    state: paused(NOW, { owner: 'b', untilMs: NOW + 1 }),
    gets: 0,
    isProbe: false,
    waitMs: 200,
  },
  {
    why: 'one as another probe when the first was never heard of',
    state: paused(NOW - 9, { owner: 'b', untilMs: NOW }),
    gets: 1,
    isProbe: true,
    waitMs: 200,
  },
  {
    why: 'word to come again in a long pause',
    state: paused(NOW + 60_000),
    gets: 0,
    isProbe: false,
    waitMs: 2_000,
  },
])('a process gets $why', ({ state, gets, isProbe, waitMs }) => {
  const grant = ask(state, { change: 9 });

  expect(grant).toMatchObject({ isProbe, waitMs });
  expect(grant.classes).toHaveLength(gets);
});

test.each([
  { why: 'when a place is free', state: { sent: [[NOW + 70, 5]] } as const, waitMs: 70 },
  {
    why: 'a space after the last turn',
    state: { members: me, lastTurnAtMs: NOW - 50 },
    waitMs: 150,
  },
  {
    why: 'a space later for each that goes before it',
    state: { sent: [[NOW + 70, 5]] as const, members: { ...me, ...rival({ change: 1 }) } },
    waitMs: 270,
  },
  {
    why: 'at once after those that it goes before',
    state: {
      sent: [[NOW + 70, 5]] as const,
      members: { ...me, ...rival({ change: 1 }, { servedAgoMs: 10 }) },
    },
    waitMs: 70,
  },
  {
    why: 'when a place that is held is free at the earliest',
    state: { held: [[NOW + 4_500, 5]] } as const,
    waitMs: 525,
  },
  {
    why: 'soon when it should be free already',
    state: { held: [[NOW + 3_000, 5]] } as const,
    waitMs: 25,
  },
  {
    why: 'when the first place is free, held or not',
    state: { sent: [[NOW + 900, 4]], held: [[NOW + 4_100, 1]] } as const,
    waitMs: 125,
  },
  {
    why: 'when so many are free that there is one too few',
    state: {
      sent: [
        [NOW + 70, 1],
        [NOW + 90, 5],
      ],
    } as const,
    waitMs: 90,
  },
])('a process is told to come again $why', ({ state, waitMs }) => {
  const grant = ask(state, { change: 2 });

  expect(grant).toMatchObject({ classes: [], waitMs });
  expect(grant.state.members.a).toMatchObject({ comesAtMs: NOW + waitMs });
});

test('whoever has nobody waiting, or cannot use a place, is not waited for', () => {
  const members = { ...me, ...rival({ change: 1 }) };

  expect(Object.keys(ask({ members }, {}).state.members)).toEqual(['b']);
  expect(Object.keys(ask({ members }, { change: 1 }, 0).state.members)).toEqual(['b']);
});

test('looks that are passed are counted while one waits anywhere', () => {
  const passing = { ...before, lookPassed: 3 };

  expect(ask({ ...passing, members: rival({ look: 1 }) }, { change: 1 }).state.lookPassed).toBe(4);
  expect(ask({ ...passing, members: me }, { change: 1, look: 1 }).state.lookPassed).toBe(4);
  expect(ask({ ...passing, members: me }, { change: 1 }).state.lookPassed).toBe(0);
  expect(ask({ ...passing, members: me }, { look: 2 }).state.lookPassed).toBe(0);
});

test('so are calls that are passed through', () => {
  const passing = { ...before, passPassed: 3 };

  expect(ask({ ...passing, members: rival({ pass: 1 }) }, { change: 1 }).state.passPassed).toBe(4);
  expect(ask({ ...passing, members: me }, { look: 1, pass: 1 }).state.passPassed).toBe(4);
  expect(ask({ ...passing, members: me }, { change: 1 }).state.passPassed).toBe(0);
});
