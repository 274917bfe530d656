import { expect, test } from 'vitest';
import { createLeapingClock } from '../../../test/support/leaping-clock.ts';
import { addGroup, addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Store } from '../../store/store.ts';
import { updateUser } from '../../store/users/users.ts';
import { addReleased, findReleaseProgress, tellRelease } from './release-progress.ts';

const STARTED_AT = 1_000_000;
const MINUTE_MS = 60_000;
const due = { due_at: STARTED_AT, due_class: 1, cells: '{"account":{"pending":1}}' } as const;

/** A plan of three people and a group, of whom one person waits and one is stuck. */
async function release(store: Store) {
  const waiting = await addUser(store, due);
  await addUser(store, { ...due, stuck_at: STARTED_AT });
  await addUser(store);
  await addGroup(store);
  // Asked for since then, and looked at alone: neither is of the plan.
  await addUser(store, { ...due, modified_at: STARTED_AT + 1 });
  await addUser(store, { due_at: STARTED_AT, due_class: 2 });
  await store.write((tx) => addReleased(tx, 3, STARTED_AT));
  await store.write((tx) => addReleased(tx, 1, STARTED_AT + 5));
  return waiting;
}

function createTeller(store: Store) {
  const told: object[] = [];
  let now = STARTED_AT;
  const clock = { ...createLeapingClock(), now: () => now };
  const events = { release: (fields: object) => void told.push(fields) };
  return {
    told,
    async tellAt(ms: number) {
      now = STARTED_AT + ms;
      await tellRelease({ store, clock, events });
    },
  };
}

describeStores('an approved plan under way', ({ makeStore }) => {
  test('is counted in people and groups, and the rest is estimated at the rate so far', async () => {
    const store = await makeStore();
    expect(await findReleaseProgress(store.read, STARTED_AT)).toBeUndefined();

    await release(store);

    expect(await findReleaseProgress(store.read, STARTED_AT + 10 * MINUTE_MS)).toEqual({
      startedAt: STARTED_AT,
      total: 4,
      done: 2,
      stuck: 1,
      endsAt: STARTED_AT + 15 * MINUTE_MS,
    });
  });

  test('promises no end while nothing is done', async () => {
    const store = await makeStore();
    await addUser(store, due);
    await store.write((tx) => addReleased(tx, 1, STARTED_AT));

    const progress = await findReleaseProgress(store.read, STARTED_AT + MINUTE_MS);

    expect(progress).toMatchObject({ total: 1, done: 0, endsAt: undefined });
  });

  test('is told once a minute, once at its end, and then no more', async () => {
    const store = await makeStore();
    const waiting = await release(store);
    const { told, tellAt } = createTeller(store);

    for (const ms of [1_000, MINUTE_MS, MINUTE_MS + 1_000]) await tellAt(ms);
    await store.write((tx) => updateUser(tx, waiting.id, { due_at: null, cells: '{}' }));
    for (const ms of [MINUTE_MS + 2_000, 3 * MINUTE_MS]) await tellAt(ms);

    const counts = { total: 4, stuck: 1 };
    expect(told).toEqual([
      { ...counts, done: 2, elapsedMs: MINUTE_MS, leftMs: MINUTE_MS / 2 },
      { ...counts, done: 3, elapsedMs: MINUTE_MS + 2_000 },
    ]);
    expect(await findReleaseProgress(store.read, STARTED_AT)).toBeUndefined();
  });
});
