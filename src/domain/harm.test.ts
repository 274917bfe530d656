import { expect, test } from 'vitest';
import { exceedsLimit } from './harm.ts';

const limit = { count: 20, percent: 10 };
const rows = [
  { count: 20, population: 1_000, want: false },
  { count: 21, population: 1_000, want: true },
  { count: 5, population: 50, want: false },
  { count: 6, population: 50, want: true },
  { count: 20, population: 49, want: false },
];
for (const { want, ...how } of rows) {
  test(`${how.count} of ${how.population} is ${want ? 'too much' : 'within the limit'}`, () =>
    expect(exceedsLimit(limit, how)).toBe(want));
}
