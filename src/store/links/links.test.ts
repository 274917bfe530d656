import { expect, test } from 'vitest';
import { addGroup, addLink, addUser, findLink, LINK_TABLES } from '../../../test/support/rows.ts';
import { describeStores } from '../../../test/support/stores.ts';
import { userId } from '../../domain/ids.ts';
import { chunks } from '../engine/dialect.ts';
import { deleteLinks, listExistingUsers, listLinks, saveLinks } from './links.ts';
import { listLinkedUsers } from './shown.ts';

describeStores('links', ({ makeStore }) => {
  test.each(LINK_TABLES)(
    'are kept in order of joining, also when they change: %s',
    async (table) => {
      const store = await makeStore();
      const group = await addGroup(store);
      const users = [await addUser(store), await addUser(store), await addUser(store)];
      const facts = { desired: 1, observed: 0, pending: 3 };
      const writes = users.map(({ id }) => ({ userId: id, ...facts }));
      await store.write((tx) => saveLinks(tx, table, group.id, writes));
      const [first, second] = writes;
      if (!first || !second) throw new Error('three people');

      const changed = { ...second, desired: 0, observed: null, pending: null, putIn: 1 };
      await store.write((tx) => saveLinks(tx, table, group.id, [changed]));

      const rows = await listLinks(store.read, table, group.id);
      const unrefused = { retry_at: null, problem: null };
      expect(rows.map(({ user_id }) => user_id)).toEqual(users.map(({ id }) => id));
      expect(rows[0]).toEqual({ user_id: first.userId, ...facts, put_in: 0, ...unrefused });
      expect(rows[1]).toEqual({
        user_id: second.userId,
        desired: 0,
        observed: null,
        pending: null,
        put_in: 1,
        ...unrefused,
      });
    },
  );

  test('of a group of thousands all are read, in order of joining', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const { seq: _, ...user } = await addUser(store);
    const users = Array.from({ length: 4_100 }, (__, index) => ({
      ...user,
      id: userId(`u-${(index * 7) % 4_100}`),
      user_name: `p${index}`,
      user_name_folded: `p${index}`,
      upstream_id: null,
    }));
    const links = users.map(({ id }) => ({ userId: id, desired: 1, observed: 0, pending: 3 }));
    await store.write(async (tx) => {
      for (const some of chunks(users, 200)) await tx.insertInto('users').values(some).execute();
      await saveLinks(tx, 'memberships', group.id, links);
    });

    const rows = await listLinks(store.read, 'memberships', group.id);

    expect(rows.map(({ user_id }) => user_id)).toEqual(users.map(({ id }) => id));
    expect(await listLinkedUsers(store.read, group.id)).toEqual(users.map(({ id }) => id));
  });

  test('a write is tried at once, also where the one before it was refused', async () => {
    const store = await makeStore();
    const place = { group: await addGroup(store), user: await addUser(store) };
    await addLink(store, { ...place, retryAt: 99 }, [1, 0, 3]);

    await addLink(store, place, [1, 0, 4]);

    expect(await findLink(store, place)).toEqual({ facts: [1, 0, 4], putIn: 0, retryAt: null });
  });

  test('of some people only those are listed, however many are asked for', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const [user, other] = [await addUser(store), await addUser(store)];
    for (const one of [user, other]) await addLink(store, { group, user: one }, [1, 1, null]);
    await addLink(store, { group: await addGroup(store), user }, [1, 1, null]);
    const strangers = Array.from({ length: 1_200 }, (_, index) => userId(`nobody-${index}`));

    const rows = await listLinks(store.read, 'memberships', group.id, [...strangers, user.id]);

    expect(rows.map(({ user_id }) => user_id)).toEqual([user.id]);
    expect(await listLinks(store.read, 'memberships', group.id, [])).toEqual([]);
  });

  test('only the named people of that group and list are forgotten', async () => {
    const store = await makeStore();
    const group = await addGroup(store);
    const [user, other] = [await addUser(store), await addUser(store)];
    const stay = [
      { group, user: other },
      { group, user, table: 'group_admins' as const },
      { group: await addGroup(store), user },
    ];
    for (const place of [{ group, user }, ...stay]) await addLink(store, place, [1, 1, null]);

    await store.write((tx) => deleteLinks(tx, 'memberships', group.id, [user.id]));

    expect(await findLink(store, { group, user })).toBeUndefined();
    for (const place of stay) expect(await findLink(store, place)).toBeDefined();
  });

  test('only live users can be linked', async () => {
    const store = await makeStore();
    const [live, gone] = [await addUser(store), await addUser(store, { deleted_at: 1 })];

    const existing = await listExistingUsers(store.read, [live.id, gone.id, 'nobody']);

    expect(existing).toEqual(new Set([live.id]));
  });
});
