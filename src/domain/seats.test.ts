import { describe, expect, test } from 'vitest';
import {
  countFreeSeats,
  createSeatRefusals,
  type SeatSums,
  takesSeat,
  toDaysLeft,
} from './seats.ts';
import type { ObservedUser } from './user.ts';

const working: ObservedUser = { fullName: 'Ada', active: true, at: 0, by: '' };

test.each([
  { why: 'somebody who works', seen: working, takes: true },
  { why: 'nobody was seen', seen: undefined, takes: false },
  { why: 'somebody deactivated', seen: { ...working, active: false }, takes: false },
  { why: 'somebody suspended', seen: { ...working, temporarilyInactive: true }, takes: false },
  { why: 'somebody without a licence', seen: { ...working, appsPermissions: 0 }, takes: false },
  { why: 'a placeholder', seen: { ...working, virtual: true }, takes: false },
  {
    why: 'a guest of whom the service says no',
    seen: { ...working, appsPermissions: 2, takesLicence: false },
    takes: false,
  },
  {
    why: 'somebody of whom it said yes, and who is deactivated since',
    seen: { ...working, active: false, takesLicence: true },
    takes: false,
  },
])('takesSeat: $why', ({ seen, takes }) => expect(takesSeat(seen)).toBe(takes));

describe('a refusal is for lack of seats', () => {
  const isSeatRefusal = createSeatRefusals(['402', 'user limit', 'ЛИЦЕНЗИЙ']);
  test.each([
    { status: 402, words: '', is: true },
    { status: 400, words: 'The User Limit is reached', is: true },
    { status: 403, words: 'нет свободных лицензий', is: true },
    { status: 400, words: 'there is no such licence', is: false },
    { status: 409, words: 'status 402', is: false },
    { status: undefined, words: 'user limit', is: false },
  ])('$status "$words": $is', ({ status, words, is }) => {
    const refusal = { code: 'refused', words, ...(status === undefined ? {} : { status }) };
    expect(isSeatRefusal(refusal)).toBe(is);
    expect(createSeatRefusals([])(refusal)).toBe(false);
  });
});

test.each([
  { why: 'what is left', seats: { total: 50, used: 38, waiting: 0 }, free: 12 },
  {
    why: 'none where more are taken than were bought',
    seats: { total: 5, used: 8, waiting: 0 },
    free: 0,
  },
  {
    why: 'none while somebody waits, whatever was set',
    seats: { total: 50, used: 8, waiting: 1 },
    free: 0,
  },
  { why: 'not known', seats: { total: undefined, used: 8, waiting: 0 }, free: undefined },
])('countFreeSeats: $why', ({ seats, free }) => expect(countFreeSeats(seats)).toBe(free));

/** Sums over pairs of days and seats. */
function sum(points: readonly (readonly [day: number, seats: number])[]): SeatSums {
  const add = (of: (x: number, y: number) => number) =>
    points.reduce((all, [x, y]) => all + of(x, y), 0);
  const days = points.map(([day]) => day);
  return {
    count: points.length,
    sumX: add((x) => x),
    sumY: add((_, y) => y),
    sumXX: add((x) => x * x),
    sumXY: add((x, y) => x * y),
    spanMs: (Math.max(0, ...days) - Math.min(0, ...days)) * 86_400_000,
  };
}

describe('toDaysLeft', () => {
  const seats = { total: 50, used: 38, waiting: 0 };
  test.each([
    {
      why: 'four seats more a day',
      points: [
        [0, 30],
        [1, 34],
        [2, 38],
      ],
      days: 3,
    },
    {
      why: 'as many as before',
      points: [
        [0, 38],
        [1, 38],
        [2, 38],
      ],
      days: undefined,
    },
    {
      why: 'fewer than before',
      points: [
        [0, 40],
        [2, 38],
      ],
      days: undefined,
    },
    {
      why: 'too short a time',
      points: [
        [0, 30],
        [0.01, 38],
      ],
      days: undefined,
    },
    { why: 'no sample', points: [], days: undefined },
  ] as const)('$why', ({ points, days }) => {
    const left = toDaysLeft(seats, sum(points));
    if (days === undefined) expect(left).toBeUndefined();
    else expect(left).toBeCloseTo(days, 6);
  });

  test('is 0 where none is free, and not known where nobody said how many there are', () => {
    const growing = sum([
      [0, 30],
      [1, 34],
    ]);
    expect(toDaysLeft({ ...seats, used: 50 }, growing)).toBe(0);
    expect(toDaysLeft({ ...seats, total: undefined }, growing)).toBeUndefined();
  });
});
