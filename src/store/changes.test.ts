import { expect, test } from 'vitest';
import { addGroup, addUser } from '../../test/support/rows.ts';
import { describeStores } from '../../test/support/stores.ts';
import type { ChangeClass } from '../domain/change-class.ts';
import { insertOwnCall } from './audit/own-calls.ts';
import {
  countWaitingChanges,
  findLateLeavers,
  insertChange,
  pruneChanges,
  takeDoneChanges,
} from './changes.ts';
import { recoverInFlight } from './in-flight.ts';
import type { Store } from './store.ts';
import { updateUser } from './users/users.ts';

function remember(store: Store, id: string, version: number, kind: ChangeClass): Promise<void> {
  const type = kind === 'group' ? 'group' : 'user';
  const resource = { resource_type: type, resource_id: id } as const;
  return store.write((tx) =>
    insertChange(tx, { ...resource, version, kind, accepted_at: version, trace: null }),
  );
}

describeStores('accepted changes', ({ makeStore }) => {
  test('settle up to the oldest version that waits, and never beyond the one that was read', async () => {
    const store = await makeStore();
    const { id } = await addGroup(store);
    for (const version of [2, 3, 4, 5]) await remember(store, id, version, 'group');
    const take = (version: number, oldestPending: number | undefined) =>
      store.write((tx) => takeDoneChanges(tx, { type: 'group', id }, { version, oldestPending }));

    const first = await take(4, 3);
    const second = await take(4, undefined);
    const rest = await take(Number.POSITIVE_INFINITY, undefined);

    const versions = [first, second, rest].map((rows) => rows.map(({ version }) => version));
    expect(versions).toEqual([[2], [3, 4], [5]]);
  });

  test('somebody is out when the deactivation has arrived, although a new name still waits', async () => {
    const store = await makeStore();
    const out = await addUser(store, { cells: '{"name":{"pending":2}}' });
    const waits = await addUser(store, { cells: '{"active":{"pending":2},"name":{"pending":2}}' });
    const take = (id: typeof out.id) => {
      const progress = { version: 2, oldestPending: 2 };
      return store.write((tx) => takeDoneChanges(tx, { type: 'user', id }, progress));
    };
    for (const { id } of [out, waits]) await remember(store, id, 2, 'leaver');

    expect(await take(out.id)).toMatchObject([{ kind: 'leaver', version: 2 }]);
    expect(await take(waits.id)).toEqual([]);
  });

  test('are counted while their resource waits, and forgotten once it waits for nothing', async () => {
    const store = await makeStore();
    const due = await addUser(store, { due_at: 9 });
    const rests = await addUser(store);
    for (const version of [7, 8]) await remember(store, due.id, version, 'leaver');
    await remember(store, rests.id, 5, 'leaver');

    const counted = await countWaitingChanges(store.read);
    const pruned = await store.write((tx) => pruneChanges(tx, { limit: 10 }));

    expect(counted).toEqual([{ kind: 'leaver', oldestAt: 7, count: 2 }]);
    expect(pruned).toBe(1);
    expect(await countWaitingChanges(store.read)).toEqual(counted);
  });

  test('somebody who is to be out and is still in waits, although nothing is due: an operator decides', async () => {
    const store = await makeStore();
    const seen = (more: object) => ({
      active: 0,
      observed: JSON.stringify({ active: true, ...more }),
    });
    const held = await addUser(store, seen({}));
    const others = [
      await addUser(store, { ...seen({}), active: 1 }),
      await addUser(store, { ...seen({}), origin: null }),
      await addUser(store, seen({ active: false })),
      await addUser(store, seen({ temporarilyInactive: true })),
    ];
    for (const { id } of [held, ...others]) await remember(store, id, 3, 'leaver');

    const settled = await Promise.all(
      [held, ...others].slice(0, 2).map(({ id }) => {
        const progress = { version: 9, oldestPending: undefined };
        return store.write((tx) => takeDoneChanges(tx, { type: 'user', id }, progress));
      }),
    );
    await store.write((tx) => pruneChanges(tx, { limit: 10 }));

    expect(settled.map((rows) => rows.length)).toEqual([0, 1]);
    expect(await countWaitingChanges(store.read)).toEqual([
      { kind: 'leaver', oldestAt: 3, count: 1 },
    ]);
    const late = await findLateLeavers(store.read, { before: 3, limit: 10 });
    expect(late).toMatchObject({ count: 1, some: [{ id: held.id, acceptedAt: 3, plan: null }] });
  });

  test('whose call began with them are stored when their process has ended before its outcome', async () => {
    const store = await makeStore();
    const begun = { cells: '{"active":{"pending":2}}', version: 2, active: 0, due_at: 1_000 };
    const [leaver, repaired] = [await addUser(store, begun), await addUser(store, begun)];
    await store.write(async (tx) => {
      for (const { id } of [leaver, repaired]) {
        const key = { type: 'user', id } as const;
        const isRepair = id === repaired.id ? 1 : 0;
        const changes = [{ kind: 'user.deactivate', upstreamId: '1', isRepair }] as const;
        const at = 1_000;
        const [call] = await insertOwnCall(tx, { at, operation: 'scim.updateUser', key, changes });
        await updateUser(tx, id, { in_flight: call?.id ?? 0, modified_at: at });
      }
    });

    await store.write((tx) => recoverInFlight(tx, 2_000));

    expect(await countWaitingChanges(store.read)).toEqual([
      { kind: 'leaver', oldestAt: 1_000, count: 1 },
    ]);
  });
});
