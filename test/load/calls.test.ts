import { expect, test } from 'vitest';
import { countCalls } from './calls.ts';

const cases = [
  { why: 'nothing came', at: [], busiest: 0, crowdMs: undefined },
  { why: 'evenly', at: [0, 500, 1_000, 1_500], busiest: 2, crowdMs: 1_000 },
  { why: 'a second begins anywhere', at: [0, 900, 1_000, 1_899, 3_000], busiest: 3, crowdMs: 999 },
  { why: 'a second later is another second', at: [0, 0, 1_000, 1_000], busiest: 2, crowdMs: 1_000 },
] as const;

for (const { why, at, busiest, crowdMs } of cases) {
  test(`the busiest second: ${why}`, () => {
    const calls = at.map((moment) => ({ at: moment }));
    expect(countCalls(calls, 2)).toEqual({
      calls: at.length,
      inBusiestSecond: busiest,
      crowdMs,
      tooMany: 0,
    });
  });
}

test('calls that were turned away are counted', () => {
  const calls = [{ at: 0, status: 200 }, { at: 1, status: 429 }, { at: 2 }];
  expect(countCalls(calls, 5)).toMatchObject({ calls: 3, tooMany: 1 });
});
