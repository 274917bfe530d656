import { expect, test } from 'vitest';
import { toReadingText } from './status.ts';

const reading = { step: 'users', read: 1_800, expected: null, endsAt: null };
const cases = [
  {
    why: 'the service does not say how long a list is',
    progress: reading,
    want: 'reading users, 1800 so far',
  },
  {
    why: 'with an estimate',
    progress: { ...reading, expected: 10_000, endsAt: '2026-11-22T10:00:00.500Z' },
    want: 'reading users, 1800 of 10000 so far, until about 2026-11-22 10:00:00Z',
  },
];
for (const { why, progress, want } of cases) {
  test(`how far the service is read: ${why}`, () => expect(toReadingText(progress)).toBe(want));
}
