import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import {
  countWhere,
  deleteWhere,
  findOne,
  insertAll,
  insertNew,
  listWhere,
  putAll,
  updateWhere,
} from './tables.ts';

const NUMBERS = Array.from({ length: 1_200 }, (_, n) => n);

describeStores('rows of a table', ({ makeStore }) => {
  test('are found by values, lists of any length, null and bounds', async () => {
    const { read, write } = await makeStore();
    const rows = NUMBERS.map((n) => ({
      name: `fact-${n}`,
      value: n % 2 ? 'odd' : 'even',
      updated_at: n,
    }));
    await write((tx) => insertAll(tx, 'state', rows));
    const count = (where: Parameters<typeof countWhere<'state'>>[2]) =>
      countWhere(read, 'state', where);
    expect(await count({})).toBe(1_200);
    expect(await count({ value: 'odd', updated_at: { '>=': 10, '<': 20 } })).toBe(5);
    expect(await count({ updated_at: NUMBERS, value: ['odd', 'neither'] })).toBe(600);
    expect(await count({ name: [] })).toBe(0);
    expect(await count({ value: { 'not in': ['odd'] } })).toBe(600);
    expect(await count({ value: { 'not in': [] } })).toBe(1_200);
    const odd = { value: 'odd', name: undefined };
    const [last] = await listWhere(read, 'state', odd, { order: 'updated_at desc', limit: 1 });
    expect(last?.name).toBe('fact-1199');
  });

  test('are added, replaced, changed and deleted, and returned as they are then', async () => {
    const { read, write } = await makeStore();
    const fact = { name: 'a', value: '1', updated_at: 1 };
    const added = await write((tx) => insertNew(tx, 'state', [fact]));
    const again = await write((tx) => insertNew(tx, 'state', [fact]));
    await write((tx) => putAll(tx, 'state', ['name'], [{ ...fact, value: '2' }]));
    const changed = await write((tx) => updateWhere(tx, 'state', { name: 'a' }, { updated_at: 2 }));
    const twice = write((tx) => insertAll(tx, 'state', [fact]));

    await expect(twice).rejects.toMatchObject({ code: 'store-conflict' });
    expect([added, again]).toEqual([[fact], []]);
    expect(changed).toEqual([{ name: 'a', value: '2', updated_at: 2 }]);
    expect(await write((tx) => deleteWhere(tx, 'state', { name: ['a', 'b'] }))).toEqual(changed);
    expect(await findOne(read, 'state', { name: 'a' })).toBeUndefined();
  });
});
