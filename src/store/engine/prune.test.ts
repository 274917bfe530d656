import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { saveRequests } from '../logs.ts';
import { listWhere } from '../tables.ts';
import { prune } from './prune.ts';

const row = {
  request_id: 'r',
  method: 'PUT',
  route: '/Users/{id}',
  resource_type: 'user' as const,
  resource_id: 'u',
  written: [],
  status: 200,
  scim_type: null,
  refusal: null,
  duration_ms: 1,
  credential: 'settings-1',
};
describeStores('what is kept for a time', ({ makeStore }) => {
  test('forgets the oldest, by age and by number', async () => {
    const store = await makeStore();
    const pruned = { table: 'requests', at: 'at', rowsMax: 3 } as const;
    const rows = [1, 2, 3, 4, 5, 6].map((at) => ({ ...row, at }));
    await store.write((tx) => saveRequests(tx, rows));
    const forget = (before: number, limit: number) =>
      store.write((tx) => prune(tx, { ...pruned, before }, limit));

    expect(await forget(3, 1)).toBe(1);
    expect(await forget(3, 10)).toBe(2);
    expect(await forget(6, 10)).toBe(2);
    expect((await listWhere(store.read, 'requests', {})).map(({ at }) => at)).toEqual([6]);
  });
});
