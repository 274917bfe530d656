import { expect, test } from 'vitest';
import { NOT_APPLIED } from '../domain/refusal.ts';
import { createFakeClock } from '../upstream/testing/fake-clock.ts';
import { createOutageWatch } from './outage.ts';
import type { Outcome } from './outcome.ts';

type Ended = Outcome<unknown, unknown>;
const down: Ended = { kind: 'unknown', problem: { code: 'unavailable', words: '' }, parts: [] };
const shut: Ended = { kind: 'later', problem: { code: 'circuit-open', words: '' } };
const ignored: Ended = { kind: 'unknown', problem: NOT_APPLIED, parts: [] };
const done: Ended = { kind: 'done', known: {} };

function watch() {
  const clock = createFakeClock();
  const outage = createOutageWatch(clock);
  let ends = 0;
  outage.onEnd(() => {
    ends += 1;
  });
  const change = (key: string, outcome: Ended) => outage.note({ key, isLook: false, outcome });
  const look = (key: string, outcome: Ended) => outage.note({ key, isLook: true, outcome });
  return { clock, outage, change, look, ends: () => ends };
}

test('two resources that fail are at fault themselves, a third makes it an outage until a change works', () => {
  const { change, look } = watch();

  expect([change('a', down), change('b', down), change('a', down)]).toEqual([true, true, true]);
  expect([change('c', down), change('a', down)]).toEqual([false, false]);
  look('a', done);
  expect(change('a', down)).toBe(false);
  change('d', done);
  expect(change('a', down)).toBe(true);
});

test('failures long ago are no outage', async () => {
  const { clock, change } = watch();
  for (const key of ['a', 'b']) change(key, down);
  await clock.advance(11 * 60_000);

  expect(change('c', down)).toBe(true);
});

test('what the service takes and does not make is never an outage', () => {
  const { change } = watch();

  expect(['a', 'b', 'c', 'd'].map((key) => change(key, ignored))).toEqual([true, true, true, true]);
});

test('looks that fail are an outage of everything, and a look that works is its end', async () => {
  const { clock, change, look, ends } = watch();
  for (const key of ['a', 'b']) look(key, down);
  change('c', shut);
  expect(change('d', down)).toBe(false);
  await clock.advance(5_000);

  look('a', done);

  expect(ends()).toBe(1);
  expect(change('d', down)).toBe(true);
});

test('its end is told once, although one resource alone had failed', async () => {
  const { clock, change, look, ends } = watch();
  change('a', down);
  await clock.advance(60_000);
  look('b', done);
  change('b', done);
  change('c', done);

  expect(ends()).toBe(1);
});

test('failures for a moment end nothing', () => {
  const { change, ends } = watch();
  for (const key of ['a', 'b']) change(key, down);
  change('c', done);

  expect(ends()).toBe(0);
});

test('its end is told too when calls are let through again', () => {
  const { outage, ends } = watch();

  outage.ended();

  expect(ends()).toBe(1);
});
