import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { chunks } from '../engine/dialect.ts';
import { insertPassing, type NewCredential } from './credentials.ts';

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
