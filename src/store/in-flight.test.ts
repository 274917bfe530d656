import { expect, test } from 'vitest';
import { addGroup, addUser, getGroup, getUser } from '../../test/support/rows.ts';
import { describeStores } from '../../test/support/stores.ts';
import type { ResourceKey } from '../domain/ids.ts';
import { insertOwnCall, type OwnCall } from './audit/own-calls.ts';
import { listCallsOf } from './audit/timeline.ts';
import { beginLook, markInFlight, markInterrupted, recoverInFlight } from './in-flight.ts';
import type { Store } from './store.ts';

const planned = { version: 1, notMustLook: 2, callRow: 7 };

function toCall(key: ResourceKey): OwnCall {
  return { at: 1, operation: 'x.y', key, changes: [{ kind: 'user.rename', upstreamId: '1' }] };
}

async function makeBoth(store: Store, change: { must_look?: number } = {}) {
  const user = await addUser(store, change);
  const group = await addGroup(store, change);
  const keys: ResourceKey[] = [
    { type: 'user', id: user.id },
    { type: 'group', id: group.id },
  ];
  const read = async () => [await getUser(store, user), await getGroup(store, group)];
  return { keys, read };
}

describeStores('calls that may be on their way', ({ makeStore }) => {
  test('are noted only while nothing was written since they were planned', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);

    for (const key of keys) {
      const older = { ...planned, version: 0 };
      expect(await store.write((tx) => markInFlight(tx, key, older))).toBe(false);
      expect(await store.write((tx) => markInFlight(tx, key, planned))).toBe(true);
    }

    const marked = { in_flight: 7, steps: 1, must_look: 0 };
    expect(await read()).toMatchObject([marked, marked]);
  });

  test('are not noted where another look was asked for', async () => {
    const store = await makeStore();
    const { keys } = await makeBoth(store, { must_look: 2 });

    for (const key of keys) {
      expect(await store.write((tx) => markInFlight(tx, key, planned))).toBe(false);
      await store.write((tx) => beginLook(tx, key));
      expect(await store.write((tx) => markInFlight(tx, key, planned))).toBe(true);
    }
  });

  test('of a leader that is gone are looked after first, and now', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);
    const idle = await addUser(store);
    for (const key of keys) await store.write((tx) => markInFlight(tx, key, planned));

    const recovered = await store.write((tx) => recoverInFlight(tx, 7_000));

    const marked = { in_flight: 0, must_look: 1, due_at: 7_000, steps: 2 };
    expect(recovered).toBe(2);
    expect(await read()).toMatchObject([marked, marked]);
    expect(await getUser(store, idle)).toMatchObject({ must_look: 0, due_at: null });
  });

  test('of a leader that is gone have no outcome, and calls before them keep theirs', async () => {
    const store = await makeStore();
    const { keys } = await makeBoth(store);
    const outcomes: unknown[] = [];

    for (const key of keys) {
      await store.write((tx) => insertOwnCall(tx, toCall(key)));
      const [sent] = await store.write((tx) => insertOwnCall(tx, toCall(key)));
      const from = { ...planned, callRow: sent?.id };
      await store.write((tx) => markInFlight(tx, key, from));
    }
    await store.write((tx) => recoverInFlight(tx, 7_000));

    for (const key of keys) {
      const calls = await listCallsOf(store.read, { id: key.id, accountId: undefined, limit: 9 });
      outcomes.push(...calls.sort((a, b) => a.id - b.id).map(({ outcome }) => outcome));
    }
    expect(outcomes).toEqual(['done', null, 'done', null]);
  });

  test('have no outcome as long as they may be on their way', async () => {
    const store = await makeStore();
    const { keys } = await makeBoth(store);
    const list = async (key: ResourceKey) => {
      const calls = await listCallsOf(store.read, { id: key.id, accountId: undefined, limit: 9 });
      return calls.map(({ outcome }) => outcome);
    };

    for (const key of keys) {
      const [sent] = await store.write((tx) => insertOwnCall(tx, toCall(key)));
      expect(await list(key)).toEqual(['done']);
      const from = { ...planned, callRow: sent?.id };
      await store.write((tx) => markInFlight(tx, key, from));
      expect(await list(key)).toEqual([null]);
    }
  });

  test('without a result are looked after at the time that was said', async () => {
    const store = await makeStore();
    const { keys, read } = await makeBoth(store);

    for (const key of keys) {
      await store.write((tx) => markInFlight(tx, key, planned));
      await store.write((tx) => markInterrupted(tx, key, 9_000));
    }

    const marked = { in_flight: 0, must_look: 1, due_at: 9_000 };
    expect(await read()).toMatchObject([marked, marked]);
  });
});
