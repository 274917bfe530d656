import { expect, inject, test } from 'vitest';
import { groupId, newId } from '../../src/domain/ids.ts';
import type { Store } from '../../src/store/store.ts';
import { emptyDatabase } from './store-templates.ts';
import { describePostgres, describeStores } from './stores.ts';

async function insertGroup(store: Store): Promise<void> {
  await store.write(async (tx) => {
    const names = { name: 'A', name_folded: 'a', attributes: '{}' };
    const times = { created_at: 1, modified_at: 1 };
    const group = { type: 'group' as const, id: groupId(newId()), ...names, ...times };
    await tx.insertInto('resources').values(group).execute();
  });
}

async function listNumbers(store: Store): Promise<number[]> {
  const rows = await store.read.selectFrom('resources').select('seq').execute();
  return rows.map(({ seq }) => seq);
}

describeStores('a store of a test', ({ makeStore }) => {
  // The second and third run would find the row of the one before, and the number after it.
  test.each(['first', 'second', 'third'])('is new to the %s test', async () => {
    const store = await makeStore();
    const other = await makeStore();

    await insertGroup(store);

    expect(await listNumbers(store)).toEqual([1]);
    expect(await listNumbers(other)).toEqual([]);
  });
});

describePostgres('a database of a test', ({ makeUrl, open }) => {
  test('is not given to the next one while somebody is connected to it', async () => {
    const url = await makeUrl('migrated');
    const empty = () =>
      emptyDatabase(inject('postgresUrl') ?? '', new URL(url).pathname.replace('/', ''));
    const store = await open(url);
    await listNumbers(store);

    expect(await empty()).toBe(false);
    await store.close();
    await expect.poll(empty).toBe(true);
  });
});
