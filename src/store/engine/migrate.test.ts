import { raw } from 'sql-template-tag';
import { expect, test } from 'vitest';
import { listTableNames } from '../../../test/support/bridge.ts';
import { describePostgres, describeStores } from '../../../test/support/stores.ts';
import { execute } from './dialect.ts';
import type { Migration } from './migrate.ts';
import { migrate } from './migrate.ts';

const toMigration = (name: string, table: string): Migration => ({
  name,
  up: async (tx) => void (await tx.run(raw(`create table ${table} (id integer)`))),
});
const first = toMigration('001-first', 'first');
const second = toMigration('002-second', 'second');
const twice = toMigration('002-twice', 'first');
const broken: Migration = {
  name: '002-broken',
  up: async (tx) => {
    await execute(tx)`create table half (id integer)`;
    throw new Error('no further');
  },
};
describeStores('migrate', ({ makeUrl, open }) => {
  test('a later version adds only what is new', async () => {
    const store = await open(await makeUrl('empty'));
    await migrate(store, [first]);

    const ran = await migrate(store, [first, second]);

    expect(ran).toEqual(['002-second']);
    expect(await listTableNames(store.read)).toEqual(['first', 'migrations', 'second']);
  });

  test.each([
    ['by itself', broken, /^migration 002-broken failed .*: no further$/],
    ['by the database', twice, /^migration 002-twice failed .*"?first"? already exists$/],
  ])(
    'one that fails %s says why, and leaves nothing behind, nor those before it in the same run',
    async (_, failing, message) => {
      const store = await open(await makeUrl('empty'));

      const failed = migrate(store, [first, failing]);

      await expect(failed).rejects.toMatchObject({
        code: 'store-failed',
        message: expect.stringMatching(message),
      });
      expect(await listTableNames(store.read)).toEqual([]);
    },
  );
});

describePostgres('migrate', ({ makeUrl, open }) => {
  test('replicas that start together migrate once', async () => {
    const url = await makeUrl('empty');
    const replicas = await Promise.all([open(url), open(url), open(url)]);

    const ran = await Promise.all(replicas.map((store) => migrate(store)));

    expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
  });
});
