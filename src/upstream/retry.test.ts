import { expect, test } from 'vitest';
import { UpstreamError, type UpstreamErrorCode } from './errors.ts';
import { planRepeatMs } from './retry.ts';

function fail(
  code: UpstreamErrorCode,
  outcome: 'not-sent' | 'unknown' | 'answered',
  retryAfterMs?: number,
) {
  return new UpstreamError(code, {
    operation: 'x.y',
    detail: 'test',
    retry: 'later',
    outcome,
    retryAfterMs,
  });
}
const usual = {
  attempt: 1,
  attemptsMax: 3,
  repeat: 'safe',
  remainingMs: 30_000,
  random: 0.5,
} as const;

const cases = [
  { why: 'a 5xx of a safe call', failed: { error: fail('unavailable', 'unknown') }, wantMs: 250 },
  {
    why: 'a lost connection of a safe call, later',
    failed: { error: fail('connection', 'unknown'), attempt: 2 },
    wantMs: 500,
  },
  { why: 'a timeout of a safe call', failed: { error: fail('timeout', 'unknown') }, wantMs: 250 },
  {
    why: 'an unsafe call that never left',
    failed: { error: fail('connection', 'not-sent'), repeat: 'unsafe' },
    wantMs: 250,
  },
  {
    why: 'a 429, also of an unsafe call: the budget waits',
    failed: { error: fail('rate-limited', 'answered', 5_000), repeat: 'unsafe' },
    wantMs: 0,
  },
  {
    why: 'Retry-After of a 503 is followed',
    failed: { error: fail('unavailable', 'unknown', 4_000) },
    wantMs: 4_000,
  },
  {
    why: 'not: an unsafe call with a lost answer',
    failed: { error: fail('connection', 'unknown'), repeat: 'unsafe' },
    wantMs: undefined,
  },
  {
    why: 'not: an unsafe call with a 5xx',
    failed: { error: fail('unavailable', 'unknown'), repeat: 'unsafe' },
    wantMs: undefined,
  },
  {
    why: 'not: the last attempt',
    failed: { error: fail('unavailable', 'unknown'), attempt: 3 },
    wantMs: undefined,
  },
  {
    why: 'not: a pause longer than the time left',
    failed: { error: fail('rate-limited', 'answered', 60_000) },
    wantMs: undefined,
  },
  {
    why: 'not: a backoff longer than the time left',
    failed: { error: fail('unavailable', 'unknown'), remainingMs: 100 },
    wantMs: undefined,
  },
  {
    why: 'not: a backoff that ends with the time left',
    failed: { error: fail('unavailable', 'unknown'), remainingMs: 250 },
    wantMs: undefined,
  },
  {
    why: 'not: a pause that ends with the time left',
    failed: { error: fail('rate-limited', 'answered', 30_000) },
    wantMs: undefined,
  },
  {
    why: 'not: a 429 when no time is left',
    failed: { error: fail('rate-limited', 'answered'), remainingMs: 0 },
    wantMs: undefined,
  },
  { why: 'not: a refusal', failed: { error: fail('refused', 'answered') }, wantMs: undefined },
  { why: 'not: a redirect', failed: { error: fail('redirected', 'unknown') }, wantMs: undefined },
  {
    why: 'not: observe mode',
    failed: { error: fail('observe-mode', 'not-sent') },
    wantMs: undefined,
  },
  { why: 'not: given up', failed: { error: fail('aborted', 'unknown') }, wantMs: undefined },
] as const;
test.each(cases)('what is sent again: $why', ({ failed, wantMs }) => {
  expect(planRepeatMs({ ...usual, ...failed })).toBe(wantMs);
});
