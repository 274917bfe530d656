import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import type { Store } from './store.ts';
import {
  claimSweep,
  endSweep,
  findComparedSince,
  findRunningSweep,
  findSweep,
  insertSweep,
  isSweepHeld,
  releaseSweep,
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

  test('one process has it until its lease ends, and who lost it stores and ends nothing', async () => {
    const store = await makeStore();
    const id = await addSweep(store);
    const [a, b] = [
      { id, owner: 'a' },
      { id, owner: 'b' },
    ];
    const claim = (who: typeof a, now: number) =>
      store.write((tx) => claimSweep(tx, who, { now, until: now + 60 }));

    const first = await claim(a, 1_000);
    const other = await claim(b, 1_059);
    const renewed = await claim(a, 1_030);
    const early = await claim(b, 1_089);
    const late = await claim(b, 1_090);
    await store.write((tx) => endSweep(tx, a, end));
    const isHeldByA = await store.write((tx) => isSweepHeld(tx, a));

    expect([first, other, renewed, early, late]).toEqual([true, false, true, false, true]);
    expect(isHeldByA).toBe(false);
    expect(await findSweep(store.read, id)).toMatchObject({ status: 'running', owner: 'b' });
  });

  test('one that is given back is free at once; one that ended makes room for the next', async () => {
    const store = await makeStore();
    const id = await addSweep(store);
    const [a, b] = [
      { id, owner: 'a' },
      { id, owner: 'b' },
    ];
    await store.write((tx) => claimSweep(tx, a, { now: 1_000, until: 9_000 }));
    await store.write((tx) => releaseSweep(tx, a, 7));

    const taken = await store.write((tx) => claimSweep(tx, b, { now: 1_001, until: 9_000 }));
    const before = await findSweep(store.read, id);
    await store.write((tx) => endSweep(tx, b, end));
    const again = await store.write((tx) => insertSweep(tx, wanted));

    expect(taken).toBe(true);
    expect(before).toMatchObject({ calls: 7, owner: 'b' });
    expect(await findSweep(store.read, id)).toMatchObject({ status: 'complete', owner: null });
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
      const who = { id: (await findRunningSweep(store.read))?.id ?? '', owner: 'a' };
      const until = startedAt + 60;
      await store.write((tx) => claimSweep(tx, who, { now: startedAt, until }));
      await store.write((tx) => endSweep(tx, who, { ...end, status, ended_at: startedAt + 5 }));
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
