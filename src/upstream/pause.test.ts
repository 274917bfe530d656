import { expect, test } from 'vitest';
import { parseRetryAfterMs, pauseAfter429Ms } from './rate-limit.ts';

const nowMs = Date.UTC(2026, 5, 1, 12);
const cases = [
  { why: 'Retry-After in seconds', headers: { 'retry-after': '7' }, streak: 1, wantMs: 7_000 },
  {
    why: 'Retry-After in parts of a second',
    headers: { 'retry-after': '1.25' },
    streak: 1,
    wantMs: 1_250,
  },
  { why: 'Retry-After with space', headers: { 'retry-after': ' 7 ' }, streak: 1, wantMs: 7_000 },
  {
    why: 'Retry-After as a date',
    headers: { 'retry-after': new Date(nowMs + 3_000).toUTCString() },
    streak: 1,
    wantMs: 3_000,
  },
  {
    why: 'Retry-After before the reset',
    headers: { 'retry-after': '2', 'x-ratelimit-reset': String(nowMs / 1_000 + 9) },
    streak: 1,
    wantMs: 2_000,
  },
  {
    why: 'the reset in epoch seconds',
    headers: { 'x-ratelimit-reset': String(nowMs / 1_000 + 4) },
    streak: 1,
    wantMs: 4_000,
  },
  {
    why: 'the reset in epoch milliseconds',
    headers: { 'x-ratelimit-reset': String(nowMs + 4_500) },
    streak: 1,
    wantMs: 4_500,
  },
  {
    why: 'the first of several resets',
    headers: { 'x-ratelimit-reset': [String(nowMs / 1_000 + 4), '5'] },
    streak: 1,
    wantMs: 4_000,
  },
  { why: 'nothing said: one second', headers: {}, streak: 1, wantMs: 1_000 },
  { why: 'nothing said again: doubling', headers: {}, streak: 4, wantMs: 8_000 },
  { why: 'never more than a minute', headers: {}, streak: 99, wantMs: 60_000 },
  {
    why: 'never more than a minute, whatever is asked',
    headers: { 'retry-after': '86400' },
    streak: 1,
    wantMs: 60_000,
  },
  {
    why: 'a reset in the past says nothing',
    headers: { 'x-ratelimit-reset': '5' },
    streak: 2,
    wantMs: 2_000,
  },
  { why: 'zero says nothing', headers: { 'retry-after': '0' }, streak: 1, wantMs: 1_000 },
  { why: 'a sign says nothing', headers: { 'retry-after': '+5' }, streak: 1, wantMs: 1_000 },
  { why: 'an exponent says nothing', headers: { 'retry-after': '1e3' }, streak: 1, wantMs: 1_000 },
  {
    why: 'nonsense says nothing',
    headers: { 'retry-after': 'soon', 'x-ratelimit-reset': 'x' },
    streak: 1,
    wantMs: 1_000,
  },
];
test.each(cases)('the pause after a 429: $why', ({ headers, streak, wantMs }) => {
  expect(pauseAfter429Ms(headers, { nowMs, streak })).toBe(wantMs);
});

test('Retry-After of another answer is not cut', () => {
  expect(parseRetryAfterMs({ 'retry-after': '3600' }, nowMs)).toBe(3_600_000);
});
