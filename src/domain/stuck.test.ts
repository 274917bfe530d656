import { describe, expect, test } from 'vitest';
import {
  addFailed,
  addStuck,
  countAttempts,
  findNextRetryAt,
  findOldestStuck,
  listFailed,
  onlyWaiting,
  type Stuck,
  withEarlierRefusals,
  withExhausted,
  withoutAnyRest,
  withoutDeferred,
  withoutRest,
} from './stuck.ts';

type Field = 'name' | 'active' | 'address';
const problem = { code: 'refused', words: 'No' };
const other = { code: 'refused', words: 'Never' };
const stuck: Stuck<Field> = {
  name: { version: 3, since: 10, retryAt: 100, problem },
  active: { version: 5, since: 7, retryAt: 90, problem: other },
};

describe('what is stuck', () => {
  test.each([
    { why: 'rests until its time', now: 50, want: {} },
    { why: 'is tried when its time has come', now: 90, want: { active: 5 } },
    { why: 'is tried once both times have come', now: 100, want: { name: 3, active: 5 } },
  ])('$why', ({ now, want }) => {
    expect(withoutDeferred({ name: 3, active: 5 }, stuck, now)).toEqual(want);
  });

  test('keeps nothing else waiting, and a later write of the field is tried at once', () => {
    expect(withoutDeferred({ name: 4, active: 5, address: 2 }, stuck, 50)).toEqual({
      name: 4,
      address: 2,
    });
  });

  test('is due next at the earliest time of what rests', () => {
    expect(findNextRetryAt({ name: 3, active: 5 }, stuck, 50)).toBe(90);
    expect(findNextRetryAt({ name: 3, active: 6 }, stuck, 50)).toBe(100);
    expect(findNextRetryAt({ name: 3, active: 5 }, stuck, 100)).toBeUndefined();
  });

  test('is stuck since its first refusal, with the words of the last one', () => {
    const again = { fields: ['name', 'address'] as const, problem: other, now: 200, retryAt: 300 };

    expect(addStuck<Field>(stuck, { name: 8, active: 5 }, again)).toEqual({
      ...stuck,
      name: { version: 8, since: 10, retryAt: 300, problem: other },
    });
  });

  test('is so no longer once nothing waits', () => {
    expect(onlyWaiting(stuck, { active: 5 })).toEqual({ active: stuck.active });
  });

  test('is tried now when the service was seen anew, and shown as before', () => {
    expect(withoutRest(stuck, 95)).toEqual({
      name: { ...stuck.name, retryAt: 95 },
      active: stuck.active,
    });
  });

  test('is shown by the oldest of it', () => {
    expect(findOldestStuck(stuck)).toBe(stuck.active);
    expect(findOldestStuck({})).toBeUndefined();
  });

  test('is told with the next refusal of the same field, each thing once', () => {
    const same: Stuck<Field> = { name: { version: 1, since: 1, retryAt: 1, problem } };
    const twice = { ...same, active: { version: 1, since: 1, retryAt: 1, problem } };

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
  const once = addFailed<Field>({}, { name: 3 }, failed);
  const twice = addFailed<Field>(once, { name: 3 }, { ...failed, held: { name: 'ADA' } });

  test('is counted, rests ever longer, and is not stuck; what was held before the first attempt stays', () => {
    const name = { version: 3, since: null, retryAt: 2_000, problem, attempts: 2, before: 'Ada' };

    expect(twice).toEqual({ name });
    expect(findOldestStuck(twice)).toBeUndefined();
    expect(countAttempts(twice)).toBe(2);
    expect(withEarlierRefusals(other, twice, ['name'])).toBe(other);
  });

  test('is counted anew when it is written anew, and is nothing where nothing waits', () => {
    expect(addFailed<Field>(twice, { name: 4 }, failed).name).toMatchObject({ attempts: 1 });
    expect(addFailed<Field>({}, {}, failed)).toEqual({});
    expect(listFailed(twice, { name: 3 })).toEqual(twice);
    expect(listFailed(twice, { name: 4 })).toEqual({});
    expect(listFailed(stuck, { name: 3, active: 5 })).toEqual({});
  });

  test('is counted once where it may be the fault of the service, and never more', () => {
    const outage = { ...failed, isOwn: false };
    const seen = addFailed<Field>({}, { name: 3 }, outage);

    expect(seen.name).toMatchObject({ attempts: 1, since: null });
    expect(addFailed<Field>(seen, { name: 3 }, outage).name).toMatchObject({ attempts: 1 });
    expect(addFailed<Field>(twice, { name: 3 }, outage).name).toMatchObject({ attempts: 2 });
  });

  test('is stuck once it failed so often, and since then', () => {
    expect(withExhausted(twice, 3, 70)).toEqual(twice);
    const exhausted = withExhausted(twice, 2, 70);
    expect(exhausted.name?.since).toBe(70);
    expect(withExhausted(exhausted, 2, 90)).toEqual(exhausted);
    expect(addFailed<Field>(exhausted, { name: 3 }, failed).name?.since).toBe(70);
  });

  test('keeps its rest when the service is seen anew, and loses it when somebody asks', () => {
    expect(withoutRest(twice, 50)).toEqual(twice);
    expect(withoutAnyRest(twice, 50).name?.retryAt).toBe(50);
    expect(withoutAnyRest(stuck, 95).name?.retryAt).toBe(95);
  });
});
