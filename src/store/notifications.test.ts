import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import {
  countNotifications,
  deleteNotices,
  deleteNotification,
  insertNotices,
  insertNotifications,
  listNotices,
  listNotifications,
  listReady,
  pruneNotifications,
  retryNotifications,
  saveAttempt,
} from './notifications.ts';
import type { Store } from './store.ts';

function add(store: Store, id: string, subject: string, receiver = 'ops'): Promise<void> {
  const times = { created_at: 10, due_at: 10, attempts: 0 };
  const row = { id, receiver, subject, type: 'reason.began', body: '{}', ...times };
  return store.write((tx) => insertNotifications(tx, [{ ...row, status: 'waiting', error: null }]));
}

const fail = (store: Store, id: string, change: { status?: 'dead'; due_at?: number }) =>
  store.write((tx) =>
    saveAttempt(tx, id, { attempts: 1, due_at: 10, status: 'waiting', error: 'no', ...change }),
  );

const listIds = async (store: Store, now = 10) =>
  (await listReady(store.read, 'ops', { now, limit: 10 })).map(({ id }) => id);

describeStores('notifications', ({ makeStore }) => {
  test('are ready one for each subject, in order, and only for their receiver', async () => {
    const store = await makeStore();
    for (const [id, subject] of [
      ['a1', 'a'],
      ['b1', 'b'],
      ['a2', 'a'],
    ] as const) {
      await add(store, id, subject);
    }
    await add(store, 'x1', 'a', 'other');

    const first = await listIds(store);
    await store.write((tx) => deleteNotification(tx, 'a1'));
    const second = await listIds(store);

    expect([first, second]).toEqual([
      ['a1', 'b1'],
      ['b1', 'a2'],
    ]);
  });

  test('wait behind one of their subject that failed, until it is tried or given up', async () => {
    const store = await makeStore();
    for (const id of ['a1', 'a2']) await add(store, id, 'a');
    await fail(store, 'a1', { due_at: 20 });

    const [resting, due] = [await listIds(store, 19), await listIds(store, 20)];
    await fail(store, 'a1', { status: 'dead' });
    const over = await listIds(store);

    expect([resting, due, over]).toEqual([[], ['a1'], ['a2']]);
  });

  test('that were given up are listed, counted, tried again when asked for, and forgotten in time', async () => {
    const store = await makeStore();
    for (const id of ['a1', 'b1']) await add(store, id, id);
    for (const id of ['a1', 'b1']) await fail(store, id, { status: 'dead' });
    const query = { status: 'dead', afterSeq: 0, limit: 10 } as const;

    const dead = await listNotifications(store.read, query);
    const counted = await countNotifications(store.read);
    const retried = await store.write((tx) =>
      retryNotifications(tx, { id: 'b1', receivers: ['ops'], now: 30 }),
    );
    const young = await store.write((tx) => pruneNotifications(tx, { before: 10, limit: 10 }));
    const old = await store.write((tx) => pruneNotifications(tx, { before: 11, limit: 10 }));

    expect(dead.map(({ id }) => id)).toEqual(['a1', 'b1']);
    expect(counted).toEqual([{ receiver: 'ops', status: 'dead', count: 2 }]);
    expect([retried, young, old]).toEqual([1, 0, 1]);
    expect(await listIds(store, 30)).toEqual(['b1']);
  });

  test('tell a state once, however often it is met', async () => {
    const store = await makeStore();
    const row = { key: 'reason:stuck', since: 1, ended: '{}' };
    for (const since of [1, 2]) await store.write((tx) => insertNotices(tx, [{ ...row, since }]));

    const told = await listNotices(store.read);
    await store.write((tx) => deleteNotices(tx, [row.key]));

    expect(told).toEqual([row]);
    expect(await listNotices(store.read)).toEqual([]);
  });
});
