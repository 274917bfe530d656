import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { chunks } from '../engine/dialect.ts';
import { insertUsedAssertion } from './credentials.ts';

const NOW = 1_000;

describeStores('assertions that were taken', ({ makeStore }) => {
  test('are taken once, and of one client up to a number, of those that are not over', async () => {
    const store = await makeStore();
    const take = (digest: string, client_id = 'c') =>
      store.write((tx) => insertUsedAssertion(tx, { digest, client_id, expires_at: NOW + 1 }, NOW));
    const fill = (from: number, count: number, expires_at: number) => {
      const rows = Array.from({ length: count }, (_, nth) => ({
        ...{ digest: `d${from + nth}`, client_id: 'c', expires_at },
      }));
      return store.write(async (tx) => {
        for (const some of chunks(rows))
          await tx.insertInto('used_assertions').values(some).execute();
      });
    };
    await fill(0, 9_999, NOW + 1);
    await fill(10_000, 100, NOW);

    expect([await take('last'), await take('last'), await take('last', 'other')]).toEqual([
      ...['new', 'used', 'used'],
    ]);
    expect([await take('more'), await take('more of another', 'other')]).toEqual(['full', 'new']);
  });
});
