import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { chunks } from '../engine/dialect.ts';
import { insertAccessToken } from './clients.ts';

const token = { client_id: 'c', secret_id: 's', digest: '', expires_at: 10_000 };

describeStores('access tokens', ({ makeStore }) => {
  test('of more than any client needs the oldest end, and those of others stay', async () => {
    const store = await makeStore();
    const many = Array.from({ length: 1_000 }, (_, at) => ({
      ...{ ...token, id: `t${at}`, created_at: at },
    }));
    await store.write(async (tx) => {
      await insertAccessToken(tx, { ...token, id: 'other', client_id: 'd', created_at: 0 });
      for (const some of chunks(many)) await tx.insertInto('access_tokens').values(some).execute();
      await insertAccessToken(tx, { ...token, id: 'new', created_at: 1_000 });
    });
    const rows = await store.read.selectFrom('access_tokens').select('id').execute();
    const ids = new Set(rows.map(({ id }) => id));

    expect(ids.size).toBe(1_001);
    expect(['other', 'new', 't1', 't0'].map((id) => ids.has(id))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });
});
