import { expect, test } from 'vitest';
import { toFirstReadText } from './status.ts';

const reading = { step: 'users', read: 1_800, expected: null, endsAt: null };
const cases = [
  { why: 'it is finished', firstRead: null, want: 'finished' },
  {
    why: 'the service does not say how long a list is',
    firstRead: reading,
    want: 'reading users, 1800 so far',
  },
  {
    why: 'with an estimate',
    firstRead: { ...reading, expected: 10_000, endsAt: '2026-11-22T10:00:00.500Z' },
    want: 'reading users, 1800 of 10000 so far, until about 2026-11-22 10:00:00Z',
  },
];
for (const { why, firstRead, want } of cases) {
  test(`the first read in status: ${why}`, () => expect(toFirstReadText({ firstRead })).toBe(want));
}
