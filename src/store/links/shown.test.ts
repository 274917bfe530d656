import { expect, test } from 'vitest';
import { untilOthersWait } from '../../../test/support/postgres-locks.ts';
import { addGroup, addUser, getUser } from '../../../test/support/rows.ts';
import { describePostgres } from '../../../test/support/stores.ts';
import type { UserId } from '../../domain/ids.ts';
import type { GroupRow } from '../groups/groups.ts';
import type { Db, Store } from '../store.ts';
import { lockUser, type UserRow, updateUser } from '../users/users.ts';
import { saveLinks } from './links.ts';
import { touchUsers } from './shown.ts';

describePostgres('the groups that a user shows', ({ makeStore }) => {
  test('are both, when two writes add the user to a group each at the same moment', async () => {
    const store = await makeStore();
    const user = await addUser(store);
    const [first, second] = [await addGroup(store), await addGroup(store)];
    let later: Promise<void> | undefined;

    await store.write(async (tx) => {
      await join(tx, first, user);
      later = store.write((other) => join(other, second, user));
      await untilOthersWait(tx, store);
    });
    await later;

    const { shown_groups: shown } = await getUser(store, user);
    expect(shown).toContain(first.id);
    expect(shown).toContain(second.id);
  });

  test.each([2, 101])('are written for %i users in the order of all', async (count) => {
    const store = await makeStore();
    const ids: UserId[] = [];
    for (let n = 0; n < count; n += 1) ids.push((await addUser(store)).id);
    const [first, ...others] = ids;
    if (first === undefined) throw new Error('nobody was made');
    await showWrongGroups(store, ids);
    let later: Promise<void> | undefined;

    const free = await store.write(async (tx) => {
      await lockUser(tx, first);
      later = store.write((other) => touchUsers(other, [...others, first], 1));
      await untilOthersWait(tx, store);
      return listFree(tx, others);
    });

    expect(free).toEqual(others);
    await later;
  });

  test('lock nobody whose groups stay as they are', async () => {
    const store = await makeStore();
    const { id } = await addUser(store);

    const touching = store.write(async (tx) => {
      await lockUser(tx, id);
      await store.write((other) => touchUsers(other, [id], 1));
    });

    await expect(touching).resolves.toBeUndefined();
  });
});

/** Has all users show a group that they are not in; the first one is the last on the disk. */
async function showWrongGroups(store: Store, ids: readonly UserId[]): Promise<void> {
  await store.write(async (tx) => {
    for (const id of ids.toReversed())
      await updateUser(tx, id, { shown_groups: '{"value":"none"}' });
  });
}

/** Lists the users whom nobody has locked, in their order. */
async function listFree(tx: Db, ids: readonly UserId[]): Promise<UserId[]> {
  const named = tx.selectFrom('users').select('id').where('id', 'in', ids).orderBy('seq');
  const rows = await named.forUpdate().skipLocked().execute();
  return rows.map(({ id }) => id);
}

/** Makes a user a member of a group, as a request does. */
async function join(tx: Db, group: GroupRow, user: UserRow): Promise<void> {
  const link = { userId: user.id, desired: 1, observed: null, pending: 1, putIn: 0 } as const;
  await saveLinks(tx, 'memberships', group.id, [link]);
  await touchUsers(tx, [user.id], 1);
}
