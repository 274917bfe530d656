import { expect, test } from 'vitest';
import { explain } from '../../../test/support/explain.ts';
import { addGroup, addLink, addUser } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { userId } from '../../domain/ids.ts';
import {
  countGroups,
  countUsers,
  findGroupView,
  findUserView,
  listGroupViews,
  listUsersById,
  listUsersOfGroups,
  listUserViews,
} from './views.ts';

const seqs = (views: readonly { seq: number }[]) => views.map(({ seq }) => seq);

describeStores('views', ({ makeStore, engine }) => {
  test('a deleted resource is in no answer', async () => {
    const store = await makeStore();
    const [user, group] = [await addUser(store), await addGroup(store)];
    const goneUser = await addUser(store, { deleted_at: 1 });
    const goneGroup = await addGroup(store, { deleted_at: 1 });
    const { read } = store;

    expect((await findUserView(read, user.id))?.id).toBe(user.id);
    expect(await findUserView(read, goneUser.id)).toBeUndefined();
    expect((await findGroupView(read, group.id))?.id).toBe(group.id);
    expect(await findGroupView(read, goneGroup.id)).toBeUndefined();
    const all = { selector: undefined, provider: 'default' };
    expect([await countUsers(read, all), await countGroups(read, all)]).toEqual([1, 1]);
  });

  test('a view is what an answer needs, of unmanaged resources too', async () => {
    const store = await makeStore();
    const times = { version: 4, created_at: 10, modified_at: 20, origin: null };
    const user = await addUser(store, times);
    const group = await addGroup(store, times);

    const { version, created_at, modified_at } = times;
    const view = { version, created_at, modified_at, origin: null, provider: 'default' };
    expect(await findUserView(store.read, user.id)).toMatchObject({
      ...view,
      id: user.id,
      seq: user.seq,
      attributes: user.attributes,
    });
    expect(await findGroupView(store.read, group.id)).toEqual({
      ...view,
      id: group.id,
      seq: group.seq,
      attributes: group.attributes,
    });
  });

  test.runIf(engine === 'sqlite')('what lies before a page is passed in an index', async () => {
    const store = await makeStore();
    const page = { selector: undefined, provider: 'default', limit: 100, offset: 40_000 };

    const plans = [
      await explain(store, (db) => listUserViews(db, page)),
      await explain(store, (db) => listGroupViews(db, page)),
    ];

    expect(plans[0]).toContain('SCAN users USING COVERING INDEX users_live');
    expect(plans[1]).toContain('SCAN groups USING COVERING INDEX groups_live');
  });

  test('lists are in order of creation, in parts by place, by predecessor or by name of the place', async () => {
    const store = await makeStore();
    for (const add of [addUser, addGroup]) {
      for (const deleted_at of [null, 1, null, null, null]) await add(store, { deleted_at });
    }

    for (const list of [listUserViews, listGroupViews]) {
      const page = async (query: object) =>
        seqs(
          await list(store.read, { selector: undefined, provider: 'default', limit: 10, ...query }),
        );

      expect(await page({})).toEqual([1, 3, 4, 5]);
      expect(await page({ limit: 2 })).toEqual([1, 3]);
      expect(await page({ limit: 2, offset: 1 })).toEqual([3, 4]);
      expect(await page({ limit: 2, offset: 4 })).toEqual([]);
      expect(await page({ limit: 2, afterSeq: 3 })).toEqual([4, 5]);
      expect(await page({ limit: 0 })).toEqual([]);
      expect(await page({ seqs: [5, 1, 2] })).toEqual([1, 5]);
    }
  });

  test.each(['memberships', 'group_admins'] as const)(
    'the people of a list are those wanted or, where nobody said, seen, in order of joining: %s',
    async (table) => {
      const store = await makeStore();
      const [group, other] = [await addGroup(store), await addGroup(store)];
      const [late, early] = [
        await addUser(store, { doc: { userName: 'late' } }),
        await addUser(store, { doc: { userName: 'early' } }),
      ];
      await addLink(store, { group, user: early, table }, [1, 0, 3]);
      await addLink(store, { group, user: late, table }, [null, 1, null]);
      await addLink(store, { group: other, user: late, table }, [1, 1, null]);
      await addLink(store, { group, user: await addUser(store), table }, [0, 1, 3]);
      await addLink(store, { group, user: await addUser(store), table }, [null, null, null]);
      await addLink(store, { group, user: await addUser(store, { deleted_at: 1 }), table }, [
        1,
        1,
        null,
      ]);

      const one = await listUsersOfGroups(store.read, table, [group.id]);
      const both = await listUsersOfGroups(store.read, table, [group.id, other.id]);

      expect(one).toEqual([
        { owner: group.id, id: early.id, display: 'early' },
        { owner: group.id, id: late.id, display: 'late' },
      ]);
      expect(both).toHaveLength(3);
    },
  );

  test('people by their ids are shown as a list shows them, without those who are not there', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const ada = await addUser(store, { doc: { userName: 'ada' } });
    const gone = await addUser(store, { deleted_at: 1 });

    expect(await listUsersById(store.read, group.id, [gone.id, ada.id, userId('nobody')])).toEqual([
      { owner: group.id, id: ada.id, display: 'ada' },
    ]);
  });
});
