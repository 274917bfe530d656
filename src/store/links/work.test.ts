import { expect, test } from 'vitest';
import {
  addGroup,
  addLink,
  addUser,
  type Facts,
  findFacts,
  findLink,
} from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import type { Store } from '../store.ts';
import { postponeLinks, saveDoneLinks } from './work.ts';

describeStores('a change that holds now', ({ makeStore }) => {
  /** Settles what was planned from version 5; gives the link as it is then. */
  async function settle(store: Store, wanted: boolean, before: Facts, retryAt?: number) {
    const place = { group: await addGroup(store), user: await addUser(store, { upstream_id: 7 }) };
    await addLink(store, { ...place, ...(retryAt ? { retryAt } : {}) }, before);
    const change = { userId: place.user.id, upstreamUserId: 7, wanted, version: 5 };
    await store.write((tx) =>
      saveDoneLinks(tx, 'memberships', place.group.id, { changes: [change], plannedVersion: 5 }),
    );
    return findLink(store, place);
  }

  test('an addition is seen, is the bridge’s own, and waits no longer', async () => {
    expect(await settle(await makeStore(), true, [1, 0, 5], 9)).toEqual({
      facts: [1, 1, null],
      putIn: 1,
      retryAt: null,
    });
  });

  test('a removal leaves nothing', async () => {
    expect(await settle(await makeStore(), false, [0, 1, 5])).toBeUndefined();
  });

  test('an addition that was taken back meanwhile is seen, and its removal waits', async () => {
    const link = await settle(await makeStore(), true, [0, 0, 6]);

    expect(link?.facts).toEqual([0, 1, 6]);
  });

  test('a removal that was taken back meanwhile is seen, and the return waits', async () => {
    const link = await settle(await makeStore(), false, [1, 1, 6]);

    expect(link?.facts).toEqual([1, 0, 6]);
  });

  test('a removal that was asked for again meanwhile goes on waiting', async () => {
    const link = await settle(await makeStore(), false, [0, 1, 6]);

    expect(link?.facts).toEqual([0, 0, 6]);
  });

  test('a removal that was undone meanwhile leaves the wish, to be seen as drift', async () => {
    const link = await settle(await makeStore(), false, [1, 1, null]);

    expect(link?.facts).toEqual([1, 0, null]);
  });

  test('only the people and the list that were changed', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const user = await addUser(store, { upstream_id: 7 });
    const other = await addUser(store, { upstream_id: 8 });
    const places = [
      { group, user, table: 'group_admins' as const },
      { group, user: other },
      { group: await addGroup(store), user },
    ];
    for (const place of places) await addLink(store, place, [1, 0, 5]);
    const changes = [{ userId: user.id, upstreamUserId: 7, wanted: true, version: 5 }];

    await store.write((tx) =>
      saveDoneLinks(tx, 'memberships', group.id, { changes, plannedVersion: 5 }),
    );

    for (const place of places) expect(await findFacts(store, place)).toEqual([1, 0, 5]);
  });

  test('a refused change is put off, its neighbours are not', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const refused = { group, user: await addUser(store) };
    const neighbour = { group, user: await addUser(store) };
    for (const place of [refused, neighbour]) await addLink(store, place, [1, 0, 5]);
    const deferral = { problem: { code: 'refused', words: 'No' }, now: 9, retryAt: 99 };

    await store.write((tx) =>
      postponeLinks(tx, 'memberships', group.id, { ...deferral, userIds: [refused.user.id] }),
    );

    expect(await findLink(store, refused)).toMatchObject({ facts: [1, 0, 5], retryAt: 99 });
    expect(await findLink(store, neighbour)).toMatchObject({ retryAt: null });
  });
});
