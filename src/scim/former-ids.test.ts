import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import { insertFormerIds } from '../store/resources/former-ids.ts';
import { createFormerIds } from './former-ids.ts';

describeStores('ids of an earlier server, in memory', ({ makeUrl, open }) => {
  test('are read again after a read that failed, although no other ring comes', async () => {
    const store = await open(await makeUrl('migrated'));
    let failures = 0;
    const ids = createFormerIds(store, () => {
      failures += 1;
    });
    await ids.start();
    const rename = (from: string, to: string) =>
      store.write((tx) =>
        sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(tx),
      );
    const row = { resource_type: 'user', former_id: 'old', resource_id: 'own' } as const;
    await store.write((tx) =>
      insertFormerIds(tx, [{ ...row, provider: 'default', created_at: 1 }]),
    );

    await rename('former_ids', 'elsewhere');
    store.bell.ring('former-ids');
    await expect.poll(() => failures, { interval: 10, timeout: 5_000 }).toBeGreaterThan(0);
    await rename('elsewhere', 'former_ids');

    await expect.poll(() => ids.toOwn('user', 'old'), { timeout: 5_000 }).toBe('own');
    await ids.stop();
  });
});
