import { expect, test } from 'vitest';
import { exceedsLimit, type HarmKind } from './harm.ts';

const limit = { count: 20, percent: 10 };
const limits = {
  kinds: {
    deactivate: limit,
    removeMember: limit,
    demoteAdmin: limit,
    cutAccess: { count: 5, percent: 100 },
    deleteGroup: limit,
  },
  populationMin: 50,
};
const rows: { harm: HarmKind; count: number; population: number; want: boolean }[] = [
  { harm: 'deactivate', count: 20, population: 1_000, want: false },
  { harm: 'deactivate', count: 21, population: 1_000, want: true },
  { harm: 'deactivate', count: 5, population: 50, want: false },
  { harm: 'deactivate', count: 6, population: 50, want: true },
  { harm: 'deactivate', count: 20, population: 49, want: false },
  { harm: 'cutAccess', count: 5, population: 50, want: false },
  { harm: 'cutAccess', count: 6, population: 1_000, want: true },
];
for (const { harm, want, ...how } of rows) {
  test(`${how.count} of ${how.population} is ${want ? 'too much' : 'within the limit'}: ${harm}`, () =>
    expect(exceedsLimit(limits, harm, how)).toBe(want));
}
