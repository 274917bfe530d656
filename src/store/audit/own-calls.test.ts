import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { groupId } from '../../domain/ids.ts';
import { findNewestOwnCall, insertOwnCall, listOwnCalls, pruneOwnCalls } from './own-calls.ts';

const key = { type: 'group', id: groupId('g-1') } as const;
const operation = 'scim.updateGroup';

describeStores('the ledger', ({ makeStore }) => {
  test('a batch is one row a member', async () => {
    const store = await makeStore();
    const changes = Array.from({ length: 1_200 }, (_, index) => ({
      kind: 'member.add' as const,
      upstreamId: '5',
      memberId: String(index),
    }));

    await store.write((tx) => insertOwnCall(tx, { at: 10, operation, key, changes }));

    const rows = await listOwnCalls(store.read, { from: 10, to: 10, limit: 2_000 });
    expect(rows).toHaveLength(1_200);
    expect(rows.at(-1)).toMatchObject({ ...changes.at(-1), at: 10, resourceId: 'g-1' });
  });

  test('what is old is forgotten, the oldest first, a bounded number at a time', async () => {
    const store = await makeStore();
    for (const at of [3, 1, 2, 4]) {
      const changes = [{ kind: 'group.create' as const }];
      await store.write((tx) => insertOwnCall(tx, { at, operation, key, changes }));
    }

    const pruned = [
      await store.write((tx) => pruneOwnCalls(tx, { before: 4, limit: 2 })),
      await store.write((tx) => pruneOwnCalls(tx, { before: 4, limit: 2 })),
    ];

    expect(pruned).toEqual([2, 1]);
    expect(await listOwnCalls(store.read, { from: 0, to: 9, limit: 9 })).toMatchObject([{ at: 4 }]);
    expect(await findNewestOwnCall(store.read)).toBe(4);
  });

  test('an empty one has no newest call', async () => {
    expect(await findNewestOwnCall((await makeStore()).read)).toBeUndefined();
  });
});
