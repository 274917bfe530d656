import { expect, test } from 'vitest';
import { addGroup, addLink, addUser, type Facts } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { Store } from '../store.ts';
import { listWaitingLinks, readWaiting, type WaitingQuery } from './waiting.ts';

const NOW = 1_000;
const query: WaitingQuery = { limit: 100, now: NOW, inactiveWait: false };

async function listIds(store: Store, groupId: GroupId, change: Partial<WaitingQuery> = {}) {
  const { members, admins } = await listWaitingLinks(store.read, groupId, { ...query, ...change });
  return { members: members.map(toId), admins: admins.map(toId) };
}

const toId = ({ upstreamUserId }: { upstreamUserId: number }) => upstreamUserId;

describeStores('the waiting changes of a group', ({ makeStore }) => {
  test('removals first, then the oldest write, then the order of joining', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const waits: [number, Facts][] = [
      [1, [1, 0, 5]],
      [2, [1, 0, 4]],
      [3, [1, 0, 4]],
      [4, [0, 1, 9]],
      [5, [0, 1, 8]],
    ];
    for (const [upstream_id, facts] of waits) {
      await addLink(store, { group, user: await addUser(store, { upstream_id }) }, facts);
    }

    expect((await listIds(store, group.id)).members).toEqual([5, 4, 2, 3, 1]);
    expect((await listIds(store, group.id, { limit: 2 })).members).toEqual([5, 4]);
  });

  test('what is wanted, of whom, since which write, in which list', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const user = await addUser(store, { upstream_id: 7 });
    await addLink(store, { group, user, table: 'memberships' }, [1, 0, 4]);
    await addLink(store, { group, user, table: 'group_admins' }, [0, null, 5]);

    const waiting = await listWaitingLinks(store.read, group.id, query);

    const link = { userId: user.id, upstreamUserId: 7 };
    expect(waiting).toEqual({
      members: [{ ...link, wanted: true, version: 4 }],
      admins: [{ ...link, wanted: false, version: 5 }],
    });
  });

  test('what does not wait, and what waits in another group, is left out', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const user = await addUser(store, { upstream_id: 7 });
    await addLink(store, { group, user }, [1, 0, null]);
    await addLink(store, { group: await addGroup(store), user }, [1, 0, 4]);

    expect(await listIds(store, group.id)).toEqual({ members: [], admins: [] });
  });

  test('who has no account yet is deferred', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    await addLink(store, { group, user: await addUser(store) }, [1, 0, 4]);

    expect((await listIds(store, group.id)).members).toEqual([]);
    expect(await readWaiting(store.read, group.id)).toMatchObject({ oldest: 4 });
  });

  test('a deleted person is deactivated before leaving', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const gone = { deleted_at: 1 };
    const waiting = await addUser(store, {
      ...gone,
      upstream_id: 1,
      cells: '{"active":{"pending":3}}',
    });
    const deactivated = await addUser(store, { ...gone, upstream_id: 2 });
    const alive = await addUser(store, { upstream_id: 3, cells: '{"active":{"pending":3}}' });
    for (const user of [waiting, deactivated, alive]) {
      await addLink(store, { group, user }, [0, 1, 4]);
    }

    expect((await listIds(store, group.id)).members).toEqual([2, 3]);
  });

  test('where inactive people are refused their additions wait, their removals do not', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const inactive = { active: 0 };
    const joins = await addUser(store, { ...inactive, upstream_id: 1 });
    const leaves = await addUser(store, { ...inactive, upstream_id: 2 });
    await addLink(store, { group, user: joins }, [1, 0, 4]);
    await addLink(store, { group, user: leaves }, [0, 1, 4]);
    await addLink(store, { group, user: await addUser(store, { upstream_id: 3 }) }, [1, 0, 4]);

    const refused = await listIds(store, group.id, { inactiveWait: true });
    const accepted = await listIds(store, group.id);

    expect([refused.members, accepted.members]).toEqual([
      [2, 3],
      [2, 1, 3],
    ]);
  });

  test('what was refused is tried again at its time', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const user = await addUser(store, { upstream_id: 7 });
    await addLink(store, { group, user, retryAt: NOW }, [1, 0, 4]);

    const early = await listIds(store, group.id, { now: NOW - 1 });
    const then = await listIds(store, group.id);

    expect([early.members, then.members]).toEqual([[], [7]]);
  });

  test('the oldest write and the next retry are summed up over both lists', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const user = await addUser(store);
    const other = await addUser(store);
    const before = await readWaiting(store.read, group.id);
    await addLink(store, { group, user, retryAt: 90 }, [1, 0, 7]);
    await addLink(store, { group, user, table: 'group_admins', retryAt: 80 }, [1, 0, 6]);
    await addLink(store, { group, user: other, retryAt: 70 }, [1, 1, null]);
    await addLink(store, { group: await addGroup(store), user, retryAt: 1 }, [1, 0, 1]);

    expect(before).toEqual({ oldest: undefined, nextRetryAt: undefined, removes: false });
    expect(await readWaiting(store.read, group.id)).toEqual({
      oldest: 6,
      nextRetryAt: 80,
      removes: false,
    });

    await addLink(store, { group, user: other, table: 'group_admins' }, [0, 1, 9]);
    expect(await readWaiting(store.read, group.id)).toMatchObject({ oldest: 6, removes: true });
  });
});
