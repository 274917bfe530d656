import { describe, expect, test } from 'vitest';
import {
  addGroup,
  addLink,
  addUser,
  type Facts,
  findFacts,
  LINK_TABLES,
} from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import {
  deleteAllLinks,
  forgetLinksOf,
  moveGroupLinks,
  moveLinks,
  restartLinks,
} from './observations.ts';

interface MoveCase {
  readonly why: string;
  readonly from: Facts | undefined;
  readonly to: Facts | undefined;
  /** Links of the new owner afterwards; the old one has none. */
  readonly want: Facts | undefined;
}

const moves: MoveCase[] = [
  {
    why: 'what only the old one has is handed over as it is',
    from: [1, 0, 4],
    to: undefined,
    want: [1, 0, 4],
  },
  { why: 'what only the new one has stays', from: undefined, to: [1, 0, 4], want: [1, 0, 4] },
  {
    why: 'the wishes of the new one win, the service’s facts are the old one’s',
    from: [null, 1, null],
    to: [0, 0, 4],
    want: [0, 1, 4],
  },
  {
    why: 'a wish that waits goes on waiting',
    from: [null, 1, null],
    to: [1, 0, 4],
    want: [1, 1, 4],
  },
];

describeStores('links that change hands', ({ makeStore }) => {
  describe.each(LINK_TABLES)('%s', (table) => {
    test.each(moves)('from one user to another: $why', async ({ from, to, want }) => {
      const store = await makeStore();
      const group = await addGroup(store);
      const [old, next] = [await addUser(store), await addUser(store)];
      if (from) await addLink(store, { group, user: old, table }, from);
      if (to) await addLink(store, { group, user: next, table }, to);

      await store.write((tx) => moveLinks(tx, old.id, next.id));

      expect(await findFacts(store, { group, user: next, table })).toEqual(want);
      expect(await findFacts(store, { group, user: old, table })).toBeUndefined();
    });

    test.each(moves)('from one group to another: $why', async ({ from, to, want }) => {
      const store = await makeStore();
      const user = await addUser(store);
      const [old, next] = [await addGroup(store), await addGroup(store)];
      if (from) await addLink(store, { group: old, user, table }, from);
      if (to) await addLink(store, { group: next, user, table }, to);

      await store.write((tx) => moveGroupLinks(tx, old.id, next.id));

      expect(await findFacts(store, { group: next, user, table })).toEqual(want);
      expect(await findFacts(store, { group: old, user, table })).toBeUndefined();
    });
  });

  test('nobody else’s links are touched', async () => {
    const store = await makeStore();
    const [user, next, stranger] = [
      await addUser(store),
      await addUser(store),
      await addUser(store),
    ];
    const [group, other] = [await addGroup(store), await addGroup(store)];
    const place = { group, user: stranger };
    await addLink(store, place, [1, 0, 4]);
    await addLink(store, { group, user }, [1, 1, null]);

    await store.write(async (tx) => {
      await moveLinks(tx, user.id, next.id);
      await moveGroupLinks(tx, other.id, group.id);
    });

    expect(await findFacts(store, place)).toEqual([1, 0, 4]);
    expect(await findFacts(store, { group, user: next })).toEqual([1, 1, null]);
  });
});

const restarts: { why: string; before: Facts; want: Facts | undefined }[] = [
  { why: 'who is wanted waits to be put back', before: [1, 1, null], want: [1, 0, 9] },
  { why: 'who waits already waits since then', before: [1, 0, 4], want: [1, 0, 4] },
  { why: 'who was only seen is forgotten', before: [null, 1, null], want: undefined },
  { why: 'who was to go is gone', before: [0, 1, 4], want: undefined },
];

describeStores('links that the service lost', ({ makeStore }) => {
  describe.each(LINK_TABLES)('%s', (table) => {
    test.each(restarts)('with the group: $why', async ({ before, want }) => {
      const store = await makeStore();
      const place = { group: await addGroup(store), user: await addUser(store), table };
      await addLink(store, place, before);

      await store.write((tx) => restartLinks(tx, place.group.id, 9));

      expect(await findFacts(store, place)).toEqual(want);
    });

    test.each(restarts)('with the account: $why', async ({ before, want }) => {
      const store = await makeStore();
      const group = await addGroup(store, { version: 9 });
      const place = { group, user: await addUser(store), table };
      await addLink(store, place, before);

      await store.write((tx) => forgetLinksOf(tx, place.user.id));

      expect(await findFacts(store, place)).toEqual(want);
    });

    test('with everybody, and other groups keep theirs', async () => {
      const store = await makeStore();
      const [user, stranger] = [await addUser(store), await addUser(store)];
      const [group, other] = [await addGroup(store), await addGroup(store)];
      await addLink(store, { group, user, table }, [1, 1, null]);
      await addLink(store, { group: other, user, table }, [1, 1, null]);

      await store.write(async (tx) => {
        await deleteAllLinks(tx, group.id);
        await restartLinks(tx, group.id, 9);
        await forgetLinksOf(tx, stranger.id);
      });

      expect(await findFacts(store, { group, user, table })).toBeUndefined();
      expect(await findFacts(store, { group: other, user, table })).toEqual([1, 1, null]);
    });
  });
});
