import { expect, test } from 'vitest';
import { addGroup, addUser, getGroup, getUser } from '../../test/support/rows.ts';
import { describePostgres, describeStores } from '../../test/support/stores.ts';
import { type ResourceKey, userId } from '../domain/ids.ts';
import {
  claimLane,
  countDueChanges,
  DUE_CLASSES,
  findHeldLane,
  findNextDueAt,
  type LaneClaim,
  listDue,
  listHeldRemovals,
  recoverLanes,
  releaseLane,
  renewLane,
  renewLanes,
} from './lanes.ts';
import { readBacklog } from './resources/backlog.ts';
import type { Store } from './store.ts';

const all = { classes: DUE_CLASSES };
const claim: LaneClaim = { owner: 'one', now: Date.now(), leaseMs: 60_000 };
/** A lease that is over as soon as it is given, by any clock. */
const over = { leaseMs: -1_000 };

function take(store: Store, key: ResourceKey, change: Partial<LaneClaim> = {}) {
  return store.write((tx) => claimLane(tx, key, { ...claim, ...change }));
}

async function makeBoth(store: Store) {
  const user = await addUser(store);
  const group = await addGroup(store);
  const keys: ResourceKey[] = [
    { type: 'user', id: user.id },
    { type: 'group', id: group.id },
  ];
  const read = async () => [await getUser(store, user), await getGroup(store, group)];
  return { keys, read };
}

describeStores('lanes', ({ makeStore }) => {
  test('one of many who ask at the same time gets the lane', async () => {
    const store = await makeStore();
    const { keys } = await makeBoth(store);

    for (const key of keys) {
      const owners = ['one', 'two', 'three', 'four'];
      const leases = await Promise.all(owners.map((owner) => take(store, key, { owner })));

      expect(leases.filter((lease) => lease !== undefined)).toEqual([{ token: 1 }]);
    }
  });

  test('a lane that was taken for the first time owes nobody a look', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);

    for (const key of keys) await take(store, key);

    expect(await read()).toMatchObject([
      { lane_owner: 'one', lane_token: 1, must_look: 0 },
      { lane_owner: 'one', lane_token: 1, must_look: 0 },
    ]);
  });

  test('a look that was owed stays owed', async () => {
    const store = await makeStore();
    const user = await addUser(store, { must_look: 1 });

    await take(store, { type: 'user', id: user.id });

    expect(await getUser(store, user)).toMatchObject({ must_look: 1 });
  });

  test('a lease holds until its end, and whoever comes then looks first', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);

    for (const key of keys) {
      await take(store, key);
      expect(await take(store, key, { owner: 'two' })).toBeUndefined();
      await store.write((tx) => renewLane(tx, key, { ...claim, ...over, lease: { token: 1 } }));
      expect(await take(store, key, { owner: 'two' })).toEqual({ token: 2 });
    }

    const rows = await read();
    expect(rows.map(({ lane_owner, must_look }) => [lane_owner, must_look])).toEqual([
      ['two', 1],
      ['two', 1],
    ]);
  });

  test('nobody gets the lane of what does not exist', async () => {
    const store = await makeStore();

    expect(await take(store, { type: 'user', id: userId('nobody') })).toBeUndefined();
  });

  test('a lane that is given back without a result is due at its time, and looked at first', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);

    for (const key of keys) {
      const lease = await take(store, key);
      if (!lease) throw new Error('the lane was free');
      await store.write((tx) => releaseLane(tx, key, { owner: 'one', lease, dueAt: 9_000 }));
    }

    const free = { lane_owner: null, lane_until: null, must_look: 1, due_at: 9_000, lane_token: 1 };
    expect(await read()).toMatchObject([free, free]);
  });

  test('who lost the lane cannot give it back', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);

    for (const key of keys) {
      const lost = await take(store, key, over);
      if (!lost) throw new Error('the lane was free');
      await take(store, key, { owner: 'two' });
      await store.write((tx) => releaseLane(tx, key, { owner: 'one', lease: lost, dueAt: 9_000 }));
    }

    const held = { lane_owner: 'two', lane_token: 2, due_at: null };
    expect(await read()).toMatchObject([held, held]);
  });

  test('a held lane tells its holder how long yet, and what was written meanwhile', async () => {
    const store = await makeStore();
    const user = await addUser(store, { version: 4 });
    const key = { type: 'user', id: user.id } as const;
    const lease = { token: 1 };
    await take(store, key);

    const held = await findHeldLane(store.read, key, { ...claim, lease });

    expect(held).toMatchObject({ version: 4, must_look: 0 });
    expect(held?.leftMs).toBeGreaterThan(50_000);
    expect(held?.leftMs).toBeLessThanOrEqual(60_000);
  });

  test('who lost the lane neither finds it nor renews it', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);
    const lease = { token: 1 };

    for (const key of keys) {
      await take(store, key, over);
      await take(store, key, { owner: 'two' });
    }
    const before = await read();

    for (const key of keys) {
      expect(await findHeldLane(store.read, key, { ...claim, lease })).toBeUndefined();
      // The same process may have taken it again, with another lease.
      const again = { ...claim, owner: 'two', lease };
      expect(await findHeldLane(store.read, key, again)).toBeUndefined();
      expect(await store.write((tx) => renewLane(tx, key, { ...claim, lease }))).toBeUndefined();
      expect(await store.write((tx) => renewLane(tx, key, again))).toBeUndefined();
    }
    await store.write((tx) => renewLanes(tx, keys, claim));
    expect(await read()).toEqual(before);
  });

  test('a lane that is renewed lasts as long again', async () => {
    const store = await makeStore();
    const { keys } = await makeBoth(store);
    const lease = { token: 1 };
    const leftMs = async (key: ResourceKey) =>
      (await findHeldLane(store.read, key, { ...claim, lease }))?.leftMs ?? 0;

    for (const key of keys) await take(store, key, over);
    await store.write((tx) => renewLanes(tx, keys, claim));

    for (const key of keys) {
      expect(await leftMs(key)).toBeGreaterThan(50_000);
      const longer = { ...claim, leaseMs: 120_000, lease };
      await store.write((tx) => renewLane(tx, key, longer));
      expect(await leftMs(key)).toBeGreaterThan(110_000);
    }
  });

  test('lanes of processes that are gone are taken back, due now, and looked at first', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);
    const idle = await addUser(store);
    const leaver = await addUser(store, { due_class: 0, due_at: 5 });
    for (const key of keys) await take(store, key);
    await take(store, { type: 'user', id: leaver.id });

    const recovered = await store.write((tx) => recoverLanes(tx, 7_000));

    const free = { lane_owner: null, lane_until: null, must_look: 1, due_at: 7_000 };
    expect(recovered).toBe(3);
    expect(await read()).toMatchObject([free, free]);
    expect(await getUser(store, leaver)).toMatchObject({ ...free, due_class: 0 });
    expect(await getUser(store, idle)).toMatchObject({ must_look: 0, due_at: null });
  });
});

describePostgres('lanes of several hosts', ({ makeStore }) => {
  test.each([
    { why: 'five minutes ahead', offMs: 300_000 },
    { why: 'five minutes behind', offMs: -300_000 },
  ])('a clock that is $why takes no lane early and gives none for longer', async ({ offMs }) => {
    const store = await makeStore();
    const { keys } = await makeBoth(store);
    const wrong = { owner: 'two', now: Date.now() + offMs };

    for (const key of keys) {
      await take(store, key);
      expect(await take(store, key, wrong)).toBeUndefined();
      await store.write((tx) => renewLane(tx, key, { ...claim, ...over, lease: { token: 1 } }));
      expect(await take(store, key, wrong)).toEqual({ token: 2 });
      const held = await findHeldLane(store.read, key, { ...claim, ...wrong, lease: { token: 2 } });
      expect(held?.leftMs).toBeGreaterThan(50_000);
      expect(held?.leftMs).toBeLessThanOrEqual(60_000);
    }
  });
});

describeStores('due work', ({ makeStore }) => {
  test('removal of access comes first, then what waited longest, people and groups alike', async () => {
    const store = await makeStore();
    const look = await addUser(store, { due_class: 2, due_at: 1 });
    const late = await addUser(store, { due_class: 1, due_at: 30 });
    const removal = await addGroup(store, { due_class: 0, due_at: 90 });
    const early = await addGroup(store, { due_class: 1, due_at: 20 });
    const leaver = await addUser(store, { due_class: 0, due_at: 80 });

    const due = await listDue(store.read, { ...all, now: 100, limit: 10 });

    const order = [leaver, removal, early, late, look];
    expect(due.map(({ key }) => key.id)).toEqual(order.map(({ id }) => id));
    expect(due.map(({ key }) => key.type)).toEqual(['user', 'group', 'group', 'user', 'user']);
  });

  test('only so much as is asked for, the most urgent', async () => {
    const store = await makeStore();
    for (const due_at of [5, 6, 7]) await addUser(store, { due_class: 1, due_at });
    const leaver = await addUser(store, { due_class: 0, due_at: 8 });
    const group = await addGroup(store, { due_class: 0, due_at: 9 });

    const due = await listDue(store.read, { ...all, now: 100, limit: 2 });

    expect(due).toMatchObject([
      { key: { type: 'user', id: leaver.id }, dueClass: 0 },
      { key: { type: 'group', id: group.id }, dueClass: 0 },
    ]);
  });

  test('what is not due yet, or in somebody’s lane, is left alone; an expired lane is not', async () => {
    const store = await makeStore();
    await addUser(store);
    await addUser(store, { due_at: 101 });
    const held = await addUser(store, { due_at: 1 });
    await take(store, { type: 'user', id: held.id }, { now: 100 });
    const now = await addUser(store, { due_at: 100 });
    const expired = await addGroup(store, { due_at: 99, lane_owner: 'one', lane_until: 100 });

    const due = await listDue(store.read, { ...all, now: 100, limit: 10 });

    expect(due.map(({ key }) => key.id)).toEqual([expired.id, now.id]);
  });

  test('deleted resources are finished like all others', async () => {
    const store = await makeStore();
    const gone = await addUser(store, { due_at: 1, deleted_at: 1 });

    expect(await listDue(store.read, { ...all, now: 100, limit: 10 })).toMatchObject([
      { key: { type: 'user', id: gone.id } },
    ]);
  });

  test('only the classes that are asked for, also for the next due time', async () => {
    const store = await makeStore();
    await addUser(store, { due_class: 1, due_at: 1 });
    const leaver = await addUser(store, { due_class: 0, due_at: 5 });
    await addGroup(store, { due_class: 2, due_at: 2 });

    const due = await listDue(store.read, { classes: [0], now: 100, limit: 10 });

    expect(due).toMatchObject([{ key: { type: 'user', id: leaver.id }, dueClass: 0 }]);
    expect(await findNextDueAt(store.read, [0])).toBe(5);
    expect(await findNextDueAt(store.read, [0, 2])).toBe(2);
  });

  test('removals that wait behind other work of their own lane are found by its owner', async () => {
    const store = await makeStore();
    const held = { due_at: 1, lane_owner: 'one', lane_until: 500 };
    const leaver = await addUser(store, { ...held, due_class: 0 });
    const group = await addGroup(store, { ...held, due_class: 0 });
    await addUser(store, { ...held, due_class: 1 });
    await addUser(store, { ...held, due_class: 0, lane_owner: 'two' });
    await addUser(store, { ...held, due_class: 0, due_at: 101 });
    await addUser(store, { due_class: 0, due_at: 1 });

    const found = await listHeldRemovals(store.read, { owner: 'one', now: 100 });

    expect(found).toEqual([
      { type: 'user', id: leaver.id },
      { type: 'group', id: group.id },
    ]);
  });

  test('due changes are counted up to a bound, looks and what comes later are not', async () => {
    const store = await makeStore();
    for (const due_at of [1, 2, 3]) await addUser(store, { due_class: 1, due_at });
    await addGroup(store, { due_class: 0, due_at: 4 });
    await addGroup(store, { due_class: 2, due_at: 4 });
    await addUser(store, { due_class: 1, due_at: 101 });

    const counts = [10, 4, 2].map((max) => countDueChanges(store.read, 100, max));

    expect(await Promise.all(counts)).toEqual([4, 4, 2]);
  });

  test('the next due time is the earliest of people and groups', async () => {
    const store = await makeStore();
    const nothing = await findNextDueAt(store.read);
    await addUser(store, { due_at: 50 });
    const people = await findNextDueAt(store.read);
    await addGroup(store, { due_at: 40 });
    await addGroup(store);

    expect([nothing, people, await findNextDueAt(store.read)]).toEqual([undefined, 50, 40]);
  });

  test('the backlog counts what is due, what of it is a change, and what is stuck, of people and groups', async () => {
    const store = await makeStore();
    const before = await readBacklog(store.read);
    await addUser(store, { due_at: 50, stuck_at: 3, modified_at: 1 });
    await addUser(store, { due_at: 30, modified_at: 60 });
    await addGroup(store, { due_at: 40, stuck_at: 2, modified_at: 1 });
    await addGroup(store, { modified_at: 1 });
    await addUser(store, { due_at: 70, due_class: 2, modified_at: 80 });

    const nothing = { due: 0, changes: 0, stuck: 0, failing: 0 };
    expect(before).toEqual({ ...nothing, failingSince: undefined, oldestSince: undefined });
    expect(await readBacklog(store.read)).toMatchObject({
      ...{ due: 4, changes: 3, stuck: 2, oldestSince: 30 },
    });
  });

  test('what waits is as old as the moment in which it became due, not as what was written before', async () => {
    const store = await makeStore();
    await addUser(store, { due_at: 900, modified_at: 500, pending: '{"name":2}' });
    const young = await readBacklog(store.read);
    await addGroup(store, { due_at: 950, failing_since: 400, modified_at: 1, attempts: 2 });

    expect([young.oldestSince, (await readBacklog(store.read)).oldestSince]).toEqual([900, 400]);
  });

  test('what was tried in vain three times fails since the first of them', async () => {
    const store = await makeStore();
    const due = { due_at: 900, modified_at: 100 };
    await addUser(store, { ...due, attempts: 2, failing_since: 80 });
    await addUser(store, { ...due, attempts: 9, failing_since: 50, stuck_at: 60 });
    const nobody = await readBacklog(store.read);
    await addUser(store, { ...due, attempts: 3, failing_since: 700 });
    const one = await readBacklog(store.read);
    await addGroup(store, { ...due, attempts: 8, failing_since: 300 });

    expect(nobody).toMatchObject({ failing: 0, failingSince: undefined });
    expect(one).toMatchObject({ failing: 1, failingSince: 700 });
    expect(await readBacklog(store.read)).toMatchObject({ failing: 2, failingSince: 300 });
  });
});
