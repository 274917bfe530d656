import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import type { NewCredential } from './credentials.ts';
import { insertPassing, insertUsedAssertion } from './credentials.ts';
import { chunks } from './engine/dialect.ts';

const own = { kind: 'access', name: 'c', purpose: 'scim', profile: 'lenient' } as const;
const times = { created_at: 0, created_by: 'client-c', expires_at: 10_000 };
const token: Omit<NewCredential, 'id'> = { ...own, ...times, owner: 'c', digest: '' };

describeStores('access tokens', ({ makeStore }) => {
  test('of more than any client needs the oldest end, and those of others stay', async () => {
    const store = await makeStore();
    const many = Array.from({ length: 1_000 }, (_, at) => ({ ...token, id: `t${at}` }));
    await store.write(async (tx) => {
      await insertPassing(tx, { ...token, id: 'other', owner: 'd' });
      for (const some of chunks(many)) await tx.insertInto('credentials').values(some).execute();
      await insertPassing(tx, { ...token, id: 'new' });
    });
    const rows = await store.read.selectFrom('credentials').select('id').execute();
    const ids = new Set(rows.map(({ id }) => id));

    expect(ids.size).toBe(1_001);
    const isThere = ['other', 'new', 't1', 't0'].map((id) => ids.has(id));
    expect(isThere).toEqual([true, true, true, false]);
  });
});

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
