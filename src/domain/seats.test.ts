import { describe, expect, test } from 'vitest';
import type { ObservedUser } from './kinds.ts';
import { countFreeSeats, createSeatRefusals, takesSeat } from './seats.ts';

const working: ObservedUser = { fullName: 'Ada', active: true, at: 0, by: '' };

const suspended = { ...working, temporarilyInactive: true };
test.each<[why: string, seen: ObservedUser | undefined, takes: boolean]>([
  ['somebody who works', working, true],
  ['nobody was seen', undefined, false],
  ['somebody suspended', suspended, false],
  ['somebody without a licence', { ...working, appsPermissions: 0 }, false],
  ['a placeholder', { ...working, virtual: true }, false],
  ['a guest of whom the service says no', { ...working, takesLicence: false }, false],
  ['somebody it said yes of', { ...working, virtual: true, takesLicence: true }, true],
  ['whoever is deactivated since', { ...working, active: false, takesLicence: true }, false],
])('takesSeat: %s', (_why, seen, takes) => expect(takesSeat(seen)).toBe(takes));

describe('a refusal is for lack of seats', () => {
  const isSeatRefusal = createSeatRefusals(['402', 'user limit', 'ЛИЦЕНЗИЙ']);
  test.each([
    { status: 402, words: '', is: true },
    { status: 400, words: 'The User Limit is reached', is: true },
    { status: 403, words: 'нет свободных лицензий', is: true },
    { status: 409, words: 'status 402', is: false },
    { status: undefined, words: 'user limit', is: false },
  ])('$status "$words": $is', ({ status, words, is }) => {
    const refusal = { code: 'refused', words, ...(status === undefined ? {} : { status }) };
    expect(isSeatRefusal(refusal)).toBe(is);
    expect(createSeatRefusals([])(refusal)).toBe(false);
  });
});

test.each([
  ['what is left', { total: 50, used: 38, waiting: 0 }, 12],
  ['none while somebody waits, whatever was set', { total: 50, used: 8, waiting: 1 }, 0],
  ['not known', { total: 0, used: 8, waiting: 0 }, null],
])('countFreeSeats: %s', (_, seats, free) => expect(countFreeSeats(seats)).toBe(free));
