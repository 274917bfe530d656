import { expect, test } from 'vitest';
import type { Admission, AdmissionLimits } from './admission.ts';
import { createAdmission } from './admission.ts';

const startMs = Date.UTC(2026, 3, 1, 12);

let nowMs = 0;
const createTimed = (limits: AdmissionLimits) => createAdmission(limits, { now: () => nowMs });

function begin(admission: Admission, key: string, atMs: number) {
  nowMs = atMs;
  return admission.begin(key);
}

function countBegun(admission: Admission, count: number, atMs: number, key = 'a'): number {
  let begun = 0;
  for (let index = 0; index < count; index += 1) {
    if (begin(admission, key, atMs) !== undefined) continue;
    begun += 1;
    admission.end(key);
  }
  return begun;
}

test('after a pause a second of the rate may come at once, and no more', () => {
  for (const perSecond of [1, 3, 7, 25, 500, 1_000]) {
    const admission = createTimed({ perSecond, concurrentMax: 1 });

    expect(countBegun(admission, 2_000, startMs)).toBe(perSecond);
    expect(countBegun(admission, 2_000, startMs + 1_000)).toBe(perSecond);
  }
});

test('the rate is kept up for ever, and what is more than it is turned away', () => {
  const admission = createTimed({ perSecond: 25, concurrentMax: 1 });
  countBegun(admission, 25, startMs);
  let begun = 0;

  for (let ms = 0; ms < 60_000; ms += 10) begun += countBegun(admission, 1, startMs + ms);

  expect(begun).toBe(1_500);
});

test('as many as may be under way at once begin, and another when one has ended; who is turned away pays nothing', () => {
  const admission = createTimed({ perSecond: 4, concurrentMax: 2 });

  const first = [1, 2, 3].map(() => begin(admission, 'a', startMs));
  admission.end('a');
  const second = [1, 2].map(() => begin(admission, 'a', startMs));

  expect(first).toEqual([undefined, undefined, 'concurrency']);
  expect(second).toEqual([undefined, 'concurrency']);
});

test.each([2_000, 3_600_000])('a clock that is set back by %i ms turns nobody away', (byMs) => {
  let wallMs = startMs;
  const clock = { now: () => wallMs, steady: () => nowMs };
  const admission = createAdmission({ perSecond: 5, concurrentMax: 1 }, clock);
  countBegun(admission, 5, 0);
  wallMs -= byMs;

  expect(countBegun(admission, 100, 1_000)).toBe(5);
  expect(countBegun(admission, 100, 2_000)).toBe(5);
});

test('of many clients those are remembered that are at work or have used their rate', () => {
  const admission = createTimed({ perSecond: 1, concurrentMax: 1 });
  begin(admission, 'at work', startMs);
  for (let index = 0; index < 5_000; index += 1) countBegun(admission, 1, startMs, `old-${index}`);
  const laterMs = startMs + 60_000;
  countBegun(admission, 1, laterMs, 'used');
  for (let index = 0; index < 20_000; index += 1) countBegun(admission, 1, laterMs, `new-${index}`);

  expect(begin(admission, 'at work', laterMs)).toBe('concurrency');
  expect(begin(admission, 'used', laterMs)).toBe('rate');
  expect(begin(admission, 'old-1', laterMs)).toBeUndefined();
});
