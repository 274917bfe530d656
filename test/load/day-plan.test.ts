import { expect, test } from 'vitest';
import { CYCLE_MINUTES, DAY_MINUTES, listCycle, planDay } from './day-plan.ts';

const size = { joiners: 40, leavers: 20, movers: 90, renamed: 10 };
const company = { people: 1_000, groups: 25, seed: 1 };
const events = planDay(size, company);

test('a day has as much as was asked for, about different people, and is the same for the same seed', () => {
  const counts = Object.groupBy(events, ({ kind }) => kind);
  const others = events.filter(({ kind }) => kind !== 'join').map(({ person }) => person);

  expect([counts.join?.length, counts.leave?.length]).toEqual([40, 20]);
  expect([counts.move?.length, counts.rename?.length]).toEqual([90, 10]);
  expect(new Set(others).size).toBe(120);
  expect(planDay(size, company)).toEqual(events);
  expect(planDay(size, { ...company, seed: 2 })).not.toEqual(events);
});

test('people join in the morning, into three groups, and leave in the evening', () => {
  for (const { kind, minute, groups } of events) {
    if (kind === 'join') expect([minute < 600, groups.length]).toEqual([true, 3]);
    if (kind === 'leave') expect([minute >= 1_020, groups.length]).toEqual([true, 0]);
  }
});

test('each thing that happens is sent by one cycle, the next one', () => {
  const cycles = Array.from({ length: DAY_MINUTES / CYCLE_MINUTES }, (_, n) => n * CYCLE_MINUTES);
  const sent = cycles.flatMap((minute) =>
    listCycle(events, minute).map((event) => ({ event, minute })),
  );

  expect(sent.map(({ event }) => event)).toEqual(events);
  for (const { event, minute } of sent) {
    expect(minute - event.minute).toBeGreaterThan(0);
    expect(minute - event.minute).toBeLessThanOrEqual(CYCLE_MINUTES);
  }
});

test('more changes than people are refused', () => {
  expect(() => planDay({ ...size, movers: 1_000 }, company)).toThrow(RangeError);
});
