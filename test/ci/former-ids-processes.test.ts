import { expect, test } from 'vitest';
import { startTestBridge, withTestBridge } from '../support/bridge.ts';
import { importIds } from '../support/import-ids.ts';
import { describePostgres } from '../support/on-postgres.ts';
import { addUser, toUser, untilSettled } from '../support/provider.ts';
import { SWEEP_SETTINGS } from '../support/sweep.ts';

describePostgres('the ids of an earlier SCIM server, with several processes', ({ makeUrl }) => {
  test('are known to every process soon after the import', async () => {
    const settings = { ...SWEEP_SETTINGS, DATABASE_URL: await makeUrl('migrated') };
    await withTestBridge({ settings }, async (first) => {
      const second = await startTestBridge({ settings, service: first.sandbox });
      try {
        const ada = await addUser(first, 'ada');
        await untilSettled(first);
        await importIds(first, [toUser('ada', { id: 'old-ada' })]);

        const readId = async () => (await second.request('GET', '/Users/old-ada')).body.id;
        await expect.poll(readId, { interval: 10, timeout: 10_000 }).toBe(ada);
      } finally {
        await second.stop();
      }
    });
  });
});
