import { expect, test } from 'vitest';
import { addGroup, addUser } from '../../test/support/rows.ts';
import { describeStores } from '../../test/support/stores.ts';
import { countDueChanges, DUE_CLASSES, findNextDueAt, listDue, listDueRemovals } from './due.ts';
import { readBacklog } from './resources/backlog.ts';

const all = { classes: DUE_CLASSES };

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

  test('what is not due yet is left alone', async () => {
    const store = await makeStore();
    await addUser(store);
    await addUser(store, { due_at: 101 });
    const now = await addUser(store, { due_at: 100, must_look: 2 });

    const due = await listDue(store.read, { ...all, now: 100, limit: 10 });

    expect(due).toEqual([
      expect.objectContaining({ key: { type: 'user', id: now.id }, mustLook: 2 }),
    ]);
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

  test('removals among what runs are found', async () => {
    const store = await makeStore();
    const leaver = await addUser(store, { due_at: 1, due_class: 0 });
    const group = await addGroup(store, { due_at: 1, due_class: 0 });
    const change = await addUser(store, { due_at: 1, due_class: 1 });
    const later = await addUser(store, { due_at: 101, due_class: 0 });
    await addUser(store, { due_at: 1, due_class: 0 });
    const keys = [
      ...[change, leaver, later].map(({ id }) => ({ type: 'user', id }) as const),
      { type: 'group', id: group.id } as const,
    ];

    expect(await listDueRemovals(store.read, keys, 100)).toEqual([
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

    const nothing = { due: 0, changes: 0, stuck: 0, failing: 0, noSeat: 0 };
    expect(before).toEqual({
      ...{ ...nothing, failingSince: undefined, noSeatSince: undefined, oldestSince: undefined },
      queued: { removals: 0, changes: 0, looks: 0 },
    });
    expect(await readBacklog(store.read)).toMatchObject({
      ...{ due: 4, changes: 3, stuck: 2, oldestSince: 30 },
      queued: { removals: 0, changes: 1, looks: 1 },
    });
  });

  test('who waits for a seat is counted apart, and neither queued nor old', async () => {
    const store = await makeStore();
    await addUser(store, { due_at: 90, seat_since: 20 });
    await addUser(store, { due_at: 90, seat_since: 10 });
    await addUser(store, { due_at: 80 });

    expect(await readBacklog(store.read)).toMatchObject({
      ...{ due: 3, noSeat: 2, noSeatSince: 10, oldestSince: 80 },
      queued: { removals: 0, changes: 1, looks: 0 },
    });
  });

  test('what waits is as old as the moment in which it became due, not as what was written before', async () => {
    const store = await makeStore();
    await addUser(store, { due_at: 900, modified_at: 500, cells: '{"name":{"pending":2}}' });
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
