import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import type { Store } from './store.ts';
import {
  endSweep,
  findComparedSince,
  findRunningSweep,
  findSweep,
  insertSweep,
  saveSweepCalls,
} from './sweeps.ts';

const wanted = { isDryRun: false, readsAdmins: false, now: 1_000 };
const end = {
  status: 'complete',
  calls: 3,
  counts: '{}',
  reasons: '[]',
  plan_id: null,
  ended_at: 2_000,
} as const;

async function addSweep(store: Store): Promise<string> {
  await store.write((tx) => insertSweep(tx, wanted));
  return (await findRunningSweep(store.read))?.id ?? '';
}

describeStores('sweeps', ({ makeStore }) => {
  test('one runs at a time, however many are asked for at once', async () => {
    const store = await makeStore();

    const added = await Promise.all(
      [1, 2, 3].map(() => store.write((tx) => insertSweep(tx, wanted))),
    );

    expect(added.filter((isNew) => isNew)).toHaveLength(1);
  });

  test('one that is stopped keeps the number of its calls; one that ended makes room for the next', async () => {
    const store = await makeStore();
    const id = await addSweep(store);
    await store.write((tx) => saveSweepCalls(tx, id, 7));

    const before = await findSweep(store.read, id);
    await store.write((tx) => endSweep(tx, id, end));
    const again = await store.write((tx) => insertSweep(tx, wanted));

    expect(before).toMatchObject({ status: 'running', calls: 7 });
    expect(await findSweep(store.read, id)).toMatchObject({ status: 'complete', calls: 3 });
    expect(again).toBe(true);
  });

  test('everything was compared by those that ended before, the admin lists by some of them', async () => {
    const store = await makeStore();
    const add = async (
      startedAt: number,
      readsAdmins: boolean,
      status: 'complete' | 'incomplete',
    ) => {
      await store.write((tx) => insertSweep(tx, { isDryRun: false, readsAdmins, now: startedAt }));
      const id = (await findRunningSweep(store.read))?.id ?? '';
      await store.write((tx) => endSweep(tx, id, { ...end, status, ended_at: startedAt + 5 }));
    };
    await add(100, true, 'complete');
    await add(200, false, 'complete');
    await add(300, true, 'incomplete');
    const find = (before: number, admins: boolean) =>
      findComparedSince(store.read, { before, admins });

    expect(await find(1_000, false)).toBe(200);
    expect(await find(1_000, true)).toBe(100);
    // Rows that the second sweep saw in its last moment count as seen.
    expect(await find(205, false)).toBe(100);
    expect(await find(105, false)).toBe(0);
  });
});
