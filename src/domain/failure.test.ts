import { describe, expect, test } from 'vitest';
import { ask, type Cells, onlyWaiting } from './cell.ts';
import { toVersions, type Versions, waitingFor } from './cell-test-support.ts';
import {
  countAttempts,
  defer,
  deferForSeat,
  endRest,
  exhaust,
  fail,
  findFailed,
  findNextRetryAt,
  findOldestStuck,
  findSeatSince,
  listStuck,
  withEarlierRefusals,
  withoutDeferred,
} from './failure.ts';

type Field = 'name' | 'active' | 'address';
const problem = { code: 'refused', words: 'No' };
const other = { code: 'refused', words: 'Never' };
const name = { version: 3, since: 10, retryAt: 100, problem };
const active = { version: 5, since: 7, retryAt: 90, problem: other };

/** Cells of which the name and the access are stuck, waiting for these versions. */
function stuckFor({ name: named, active: switched, ...others }: Versions<Field>): Cells<Field> {
  return {
    ...waitingFor<Field>(others),
    ...(named === undefined ? {} : { name: { pending: named, failure: name } }),
    ...(switched === undefined ? {} : { active: { pending: switched, failure: active } }),
  };
}

const stuck = stuckFor({ name: 3, active: 5 });

describe('what is stuck', () => {
  test.each([
    { why: 'rests until its time', now: 50, want: {} },
    { why: 'is tried when its time has come', now: 90, want: { active: 5 } },
    { why: 'is tried once both times have come', now: 100, want: { name: 3, active: 5 } },
  ])('$why', ({ now, want }) => {
    expect(toVersions(withoutDeferred(stuck, now))).toEqual(want);
  });

  test('keeps nothing else waiting, and a later write of the field is tried at once', () => {
    const cells = stuckFor({ name: 4, active: 5, address: 2 });

    expect(toVersions(withoutDeferred(cells, 50))).toEqual({ name: 4, address: 2 });
  });

  test('is due next at the earliest time of what rests', () => {
    expect(findNextRetryAt(stuck, 50)).toBe(90);
    expect(findNextRetryAt(stuckFor({ name: 3, active: 6 }), 50)).toBe(100);
    expect(findNextRetryAt(stuck, 100)).toBeUndefined();
  });

  test('is stuck since its first refusal, with the words of the last one', () => {
    const again = { fields: ['name', 'address'] as const, problem: other, now: 200, retryAt: 300 };

    expect(defer(stuckFor({ name: 8, active: 5 }), again)).toEqual({
      ...stuck,
      name: { pending: 8, failure: { version: 8, since: 10, retryAt: 300, problem: other } },
    });
  });

  test('is so no longer once nothing waits', () => {
    expect(onlyWaiting(stuck, ['active'])).toEqual({ active: stuck.active });
  });

  test('is tried now when the service was seen anew, and shown as before', () => {
    expect(endRest(stuck, 95, 'refused')).toEqual({
      name: { pending: 3, failure: { ...name, retryAt: 95 } },
      active: stuck.active,
    });
  });

  test('is shown by the oldest of it', () => {
    expect(findOldestStuck(stuck)).toBe(active);
    expect(findOldestStuck({})).toBeUndefined();
    expect(listStuck(stuck)).toEqual([
      ['name', name],
      ['active', active],
    ]);
  });

  test('is told with the next refusal of the same field, each thing once', () => {
    const failure = { version: 1, since: 1, retryAt: 1, problem };
    const same: Cells<Field> = { name: { pending: 1, failure } };
    const twice = { ...same, active: { pending: 1, failure } };

    expect(withEarlierRefusals(other, same, ['active'])).toBe(other);
    expect(withEarlierRefusals(other, twice, ['name', 'active'])).toEqual({
      code: 'refused',
      words: 'Never (a change that was accepted before was refused as well: No)',
    });
  });
});

describe('what failed by its own fault', () => {
  const toRetryAt = (attempts: number) => attempts * 1_000;
  const failed = {
    fields: ['name'] as const,
    problem,
    isOwn: true,
    toRetryAt,
    held: { name: 'Ada' },
  };
  const asked: Cells<Field> = waitingFor({ name: 3 });
  const once = fail(asked, failed);
  const twice = fail(once, { ...failed, held: { name: 'ADA' } });
  const later = ask(twice, ['name'], 4);

  test('is counted, rests ever longer, and is not stuck; what was held before the first attempt stays', () => {
    const failure = {
      version: 3,
      since: null,
      retryAt: 2_000,
      problem,
      attempts: 2,
      before: 'Ada',
    };

    expect(twice).toEqual({ name: { pending: 3, failure } });
    expect(findOldestStuck(twice)).toBeUndefined();
    expect(countAttempts(twice)).toBe(2);
    expect(withEarlierRefusals(other, twice, ['name'])).toBe(other);
  });

  test('is counted anew when it is written anew, and is nothing where nothing waits', () => {
    expect(fail(later, failed).name?.failure).toMatchObject({ attempts: 1 });
    expect(fail<Field>({}, failed)).toEqual({});
    expect(findFailed(twice.name)).toEqual(twice.name?.failure);
    expect(findFailed(later.name)).toBeUndefined();
    expect(countAttempts(later)).toBe(0);
    expect(countAttempts(stuck)).toBe(0);
  });

  test('is counted once where it may be the fault of the service, and never more', () => {
    const outage = { ...failed, isOwn: false };
    const seen = fail(asked, outage);

    expect(seen.name?.failure).toMatchObject({ attempts: 1, since: null });
    expect(fail(seen, outage).name?.failure).toMatchObject({ attempts: 1 });
    expect(fail(twice, outage).name?.failure).toMatchObject({ attempts: 2 });
  });

  test('is stuck once it failed so often, and since then', () => {
    expect(exhaust(twice, 3, 70)).toEqual(twice);
    const exhausted = exhaust(twice, 2, 70);
    expect(exhausted.name?.failure?.since).toBe(70);
    expect(exhaust(exhausted, 2, 90)).toEqual(exhausted);
    expect(fail(exhausted, failed).name?.failure?.since).toBe(70);
  });

  test('keeps its rest when the service is seen anew, and loses it when somebody asks', () => {
    expect(endRest(twice, 50, 'refused')).toEqual(twice);
    expect(endRest(twice, 50, 'all').name?.failure?.retryAt).toBe(50);
    expect(endRest(stuck, 95, 'all').name?.failure?.retryAt).toBe(95);
  });
});

describe('an addition that waits for a free seat', () => {
  const wait = { fields: ['active'] as const, problem, now: 10, retryAt: 500 };
  const asked = waitingFor<Field>({ active: 5 });
  const waits = deferForSeat(asked, wait);

  test('keeps its start when it is refused again, and is not stuck', () => {
    const again = deferForSeat(waits, { ...wait, now: 40 });

    expect(findSeatSince(again)).toBe(10);
    expect(findOldestStuck(again)).toBeUndefined();
  });

  test('rests when the service is seen anew, and not when a seat may be free', () => {
    expect(endRest(waits, 50, 'refused')).toEqual(waits);
    expect(findNextRetryAt(endRest(waits, 50, 'seat'), 40)).toBe(50);
    expect(endRest(stuckFor({ active: 5 }), 50, 'seat')).toEqual(stuckFor({ active: 5 }));
  });

  test('waits for no seat when it is wanted no more', () =>
    expect(findSeatSince(onlyWaiting(waits, []))).toBeUndefined());
});
