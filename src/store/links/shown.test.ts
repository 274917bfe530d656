import { expect, test } from 'vitest';
import { untilOthersWait } from '../../../test/support/postgres-locks.ts';
import { addUser } from '../../../test/support/rows.ts';
import { describePostgres } from '../../../test/support/stores.ts';
import type { UserId } from '../../domain/ids.ts';
import type { Db, Store } from '../store.ts';
import { lockUser, updateUser } from '../users/users.ts';
import { touchUsers } from './shown.ts';

describePostgres('who writes the groups that users show', ({ makeStore }) => {
  test.each([2, 101])(
    'locks %i users in their order, as whoever reads a page of them',
    async (count) => {
      const store = await makeStore();
      const ids: UserId[] = [];
      for (let n = 0; n < count; n += 1) ids.push((await addUser(store, {})).id);
      const [first, ...others] = ids;
      const last = ids.at(-1);
      if (first === undefined || last === undefined) throw new Error('nobody was made');
      await makeOutdated(store, ids);
      let touching: Promise<void> | undefined;

      const free = await store.write(async (tx) => {
        await lockUser(tx, first);
        touching = store.write((other) => touchUsers(other, [...others, first], 1));
        await untilOthersWait(tx, store);
        return listFree(tx, others);
      });

      expect(free).toEqual(others);
      await touching;
    },
  );
});

/** Has all users show a group that they are not in; the first one is the last on the disk. */
async function makeOutdated(store: Store, ids: readonly UserId[]): Promise<void> {
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
