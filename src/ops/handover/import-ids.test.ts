import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { addUser } from '../../../test/support/rows.ts';
import { describePostgres } from '../../../test/support/stores.ts';
import { lockFormerIds } from '../../store/resources/former-ids.ts';
import { deleteUser } from '../../store/users/users.ts';
import { createFakeClock } from '../../upstream/testing/fake-clock.ts';
import { importIds } from './import-ids.ts';

describePostgres('an import of ids', ({ makeStore }) => {
  test('keeps none of somebody who is erased while it runs', async () => {
    const store = await makeStore();
    const { id } = await addUser(store, { doc: { userName: 'ada@example.com' } });
    const sources = {
      ...{ store, clock: createFakeClock(), deactivation: 'scim' as const },
      refreshFormerIds: async () => {},
    };
    const texts = { id: 'old-ada', userName: 'ada@example.com' };
    const entries = [{ row: 1, active: undefined, texts }];
    const request = { type: 'user', provider: 'default', entries, isDryRun: false } as const;
    const isWaiting = async () => {
      const { rows } = await sql`select 1 from pg_locks where locktype = 'advisory'
        and not granted and database = (select oid from pg_database where datname = current_database())`.execute(
        store.read,
      );
      return rows.length;
    };

    const importing = await store.write(async (tx) => {
      await lockFormerIds(tx);
      const running = importIds(sources, request);
      await expect.poll(isWaiting, { interval: 10 }).toBe(1);
      await deleteUser(tx, id);
      return { running };
    });

    expect(await importing.running).toMatchObject([{ outcome: 'only-file', id: null }]);
    expect(await store.read.selectFrom('former_ids').selectAll().execute()).toEqual([]);
  });
});
