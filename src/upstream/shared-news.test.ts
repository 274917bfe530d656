import { expect, test } from 'vitest';
import { toRateShape } from './rate-window.ts';
import { applyNews, type SharedNews } from './shared-news.ts';
import { LEASE_MS, parseSharedState, type SharedState } from './shared-state.ts';

const NOW = Date.UTC(2026, 0, 1);
const shape = toRateShape(5, 25);
const telling = { owner: 'a', nowMs: NOW, shape };
const free = parseSharedState(null, telling);
const none: SharedNews = { places: [], pauseMs: undefined, probe: undefined };

/** Two places that were given out 100 ms ago. */
const untilMs = NOW - 100 + LEASE_MS;
const holding: SharedState = { ...free, held: [[untilMs, 2]] };

test.each([
  { why: 'a window after its request left', sentAgoMs: 40, freeInMs: 985 },
  { why: 'not before it can have left', sentAgoMs: 5_000, freeInMs: 925 },
  { why: 'not after it must have left', sentAgoMs: -5_000, freeInMs: 1_025 },
])('a place is free again $why', ({ sentAgoMs, freeInMs }) => {
  const news = { ...none, places: [{ untilMs, sentAgoMs }] };

  const { held, sent } = applyNews(holding, news, telling);

  expect(held).toEqual([[untilMs, 1]]);
  expect(sent).toEqual([[NOW + freeInMs, 1]]);
});

test('a place that nobody used is free at once, and nobody keeps a distance from it', () => {
  const news = { ...none, places: [{ untilMs, sentAgoMs: undefined }] };

  const after = applyNews({ ...holding, lastTurnAtMs: NOW }, news, telling);

  expect(after).toMatchObject({ held: [[untilMs, 1]], sent: [], lastTurnAtMs: NOW - 200 });
});

test('the last of several places that were given out together leaves nothing behind', () => {
  const last: SharedState = { ...free, held: [[untilMs, 1]] };

  const { held } = applyNews(last, { ...none, places: [{ untilMs, sentAgoMs: 0 }] }, telling);

  expect(held).toEqual([]);
});

test('of a place that is not known any more nothing follows', () => {
  const news = { ...none, places: [{ untilMs: untilMs + 1, sentAgoMs: 0 }] };

  expect(applyNews(holding, news, telling)).toEqual(holding);
});

test('at high rates places that are free at about the same time are one number, and none is free too early', () => {
  const many = { ...telling, shape: toRateShape(1_000, 25) };
  const held: SharedState = { ...free, held: [[untilMs, 9]] };
  const places = Array.from({ length: 9 }, (_, n) => ({ untilMs, sentAgoMs: n }));

  const { sent } = applyNews(held, { ...none, places }, many);

  expect(sent.length).toBeLessThanOrEqual(2);
  expect(Math.min(...sent.map(([atMs]) => atMs))).toBeGreaterThanOrEqual(NOW - 8 + 1_025);
});

const out = (owner: string) => ({
  pause: { atMs: NOW - 2_000, untilMs: NOW - 1_000, streak: 1, probe: { owner, untilMs: NOW + 9 } },
});

test.each([
  { why: 'the first', state: {}, want: { streak: 1, untilMs: NOW + 500 } },
  { why: 'that of our probe', state: out('a'), want: { streak: 2, untilMs: NOW + 500 } },
  { why: 'beside the probe of another', state: out('b'), want: { streak: 1, untilMs: NOW + 500 } },
  {
    why: 'within a longer one',
    state: { pause: { atMs: NOW - 9, untilMs: NOW + 900, streak: 3, probe: null } },
    want: { streak: 3, untilMs: NOW + 900 },
  },
])('a pause: $why', ({ state, want }) => {
  const news = { ...none, pauseMs: 500, probe: 'answered' } as const;

  const { pause } = applyNews({ ...free, ...state }, news, telling);

  expect(pause).toEqual({ ...want, atMs: NOW, probe: null });
});

test.each([
  { why: 'over when our probe was answered', owner: 'a', probe: 'answered', want: null },
  {
    why: 'due for another probe when ours never left',
    owner: 'a',
    probe: 'unsent',
    want: { probe: null },
  },
  {
    why: 'as it was when the probe is that of another',
    owner: 'b',
    probe: 'answered',
    want: out('b').pause,
  },
] as const)('a pause is $why', ({ owner, probe, want }) => {
  const { pause } = applyNews({ ...free, ...out(owner) }, { ...none, probe }, telling);

  if (want === null) expect(pause).toBeNull();
  else expect(pause).toMatchObject(want);
});

test.each([
  { why: 'is lost', text: undefined },
  { why: 'cannot be read', text: '{"format":1,' },
  { why: 'is of another form', text: '{"format":2}' },
])(
  'a state that $why takes every place for as long as one may be held and its window',
  ({ text }) => {
    const { sent } = parseSharedState(text, telling);

    expect(sent).toEqual([[NOW + LEASE_MS + 1_025, 5]]);
  },
);

test('what is over is not in a state that is read', () => {
  const state: SharedState = {
    ...free,
    held: [
      [NOW - 1_025, 1],
      [NOW - 1_024, 1],
    ],
    sent: [
      [NOW, 1],
      [NOW + 1, 1],
    ],
    members: {
      gone: {
        waiting: { remove: 1, change: 0, look: 0, pass: 0 },
        comesAtMs: NOW - 5_001,
        servedAtMs: 0,
      },
    },
  };

  const read = parseSharedState(JSON.stringify(state), telling);

  expect(read).toMatchObject({ held: [[NOW - 1_024, 1]], sent: [[NOW + 1, 1]] });
  expect(read.members).toEqual({});
});
