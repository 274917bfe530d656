import { expect, test } from 'vitest';
import { describeStores } from '../../../test/support/stores.ts';
import { insertAll, listWhere } from '../tables.ts';
import { prune } from './prune.ts';

describeStores('what is kept for a time', ({ makeStore }) => {
  test('forgets the oldest, by age and by number', async () => {
    const store = await makeStore();
    const pruned = { table: 'state', at: 'updated_at', rowsMax: 3 } as const;
    const rows = [1, 2, 3, 4, 5, 6].map((at) => ({ name: `${at}`, value: '', updated_at: at }));
    await store.write((tx) => insertAll(tx, 'state', rows));
    const forget = (before: number, limit: number) =>
      store.write((tx) => prune(tx, { ...pruned, before }, limit));

    expect(await forget(3, 1)).toBe(1);
    expect(await forget(3, 10)).toBe(2);
    expect(await forget(6, 10)).toBe(2);
    expect(await listWhere(store.read, 'state', {})).toEqual(rows.slice(5));
  });
});
