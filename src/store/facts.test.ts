import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import { createFact } from './facts.ts';
import { saveDispute } from './resources/disputes.ts';

describeStores('facts', ({ makeStore }) => {
  test('the last word of each name is kept', async () => {
    const store = await makeStore();
    const values = [
      { name: 'a', value: { deep: [1, null, 'x'] } },
      { name: 'b', value: 'first' },
      { name: 'b', value: false },
    ];
    for (const { name, value } of values) {
      await store.write((tx) => createFact<unknown>(name).save(tx, value, 1));
    }
    const find = (name: string) => createFact<unknown>(name).find(store.read);

    expect(await find('a')).toEqual({ deep: [1, null, 'x'] });
    expect(await find('b')).toBe(false);
    expect(await find('c')).toBeUndefined();
  });

  test('a fact says when it was learned', async () => {
    const store = await makeStore();
    for (const now of [5, 9]) {
      await store.write((tx) => createFact<number>('a').save(tx, now, now));
    }

    const rows = await store.read.selectFrom('facts').selectAll().execute();

    expect(rows).toEqual([{ name: 'a', value: '9', updated_at: 9 }]);
  });
});

describeStores('disputes', ({ makeStore }) => {
  test('are recorded once per name and type, with how often and since when', async () => {
    const store = await makeStore();
    const dispute = { type: 'user', nameFolded: 'ada', reason: 'two accounts', now: 5 } as const;
    const later = { ...dispute, reason: 'three accounts', now: 9 };
    for (const one of [dispute, later, { ...dispute, type: 'group' as const }]) {
      await store.write((tx) => saveDispute(tx, one));
    }

    const rows = await store.read
      .selectFrom('disputes')
      .selectAll()
      .orderBy('resource_type')
      .execute();

    const name = { name_folded: 'ada', first_seen_at: 5 };
    expect(rows).toEqual([
      { ...name, resource_type: 'group', reason: 'two accounts', last_seen_at: 5, count: 1 },
      { ...name, resource_type: 'user', reason: 'three accounts', last_seen_at: 9, count: 2 },
    ]);
  });
});
