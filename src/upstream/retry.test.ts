import { expect, test } from 'vitest';
import { findAheadMs, parseRetryAfterMs, pauseAfter429Ms } from './retry.ts';

const nowMs = Date.UTC(2026, 5, 1, 12);
const seconds = nowMs / 1_000;
const reset = (at: string | string[]) => ({ 'x-ratelimit-reset': at });
const after = (text: string) => ({ 'retry-after': text });
const DAY_MS = 86_400_000;
const toDate = (fromNowMs: number) => new Date(nowMs + fromNowMs).toUTCString();

/** Why; the headers; the pause that they ask for after so many 429 in a row. */
const cases: [why: string, headers: object, wantMs: number, streak?: number][] = [
  ['Retry-After in seconds', after('7'), 7_000],
  ['Retry-After in parts of a second', after('1.25'), 1_250],
  ['Retry-After with space', after(' 7 '), 7_000],
  ['Retry-After as a date', after(toDate(3_000)), 3_000],
  [
    'a date by a clock that is a day ahead',
    { ...after(toDate(DAY_MS + 3_000)), date: toDate(DAY_MS) },
    3_000,
  ],
  ['Retry-After before the reset', { ...after('2'), ...reset(String(seconds + 9)) }, 2_000],
  ['the reset in epoch seconds', reset(String(seconds + 4)), 4_000],
  ['the reset in epoch milliseconds', reset(String(nowMs + 4_500)), 4_500],
  ['the first of several resets', reset([String(seconds + 4), '5']), 4_000],
  ['nothing said: one second', {}, 1_000],
  ['nothing said again: doubling', {}, 8_000, 4],
  ['never more than a minute', {}, 60_000, 99],
  ['never more than a minute, whatever is asked', after('86400'), 60_000],
  ['a reset in the past says nothing', reset('5'), 2_000, 2],
  ['zero says nothing', after('0'), 1_000],
  ['a sign says nothing', after('+5'), 1_000],
  ['an exponent says nothing', after('1e3'), 1_000],
  ['nonsense says nothing', { ...after('soon'), ...reset('x') }, 1_000],
];
test.each(cases)('the pause after a 429: %s', (_, headers, wantMs, streak = 1) => {
  expect(pauseAfter429Ms({ ...headers }, { nowMs, streak })).toBe(wantMs);
});

test.each([
  ['the same time', 400, 0],
  ['the second before, while the call took longer', -900, 0],
  ['a minute later', 60_000, 60_000],
  ['no date', Number.NaN, 0],
  ['a minute earlier', -60_000, -58_800],
])('the clock of the service is ahead as little as its date allows: %s', (_, dateMs, wantMs) => {
  expect(findAheadMs({ date: toDate(dateMs) }, nowMs, 200)).toBe(wantMs);
});

test('Retry-After of another answer is not cut', () => {
  expect(parseRetryAfterMs({ 'retry-after': '3600' }, nowMs)).toBe(3_600_000);
});
