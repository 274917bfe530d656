import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { expect, test } from 'vitest';
import { describePostgres, describeStores } from '../../../test/support/stores.ts';
import type { Store } from '../store.ts';
import { migrate } from './migrate.ts';

const first: Migration = {
  up: (db) => db.schema.createTable('first').addColumn('id', 'integer').execute(),
};
const second: Migration = {
  up: (db) => db.schema.createTable('second').addColumn('id', 'integer').execute(),
};
const broken: Migration = {
  up: async (db) => {
    await db.schema.createTable('half').addColumn('id', 'integer').execute();
    throw new Error('no further');
  },
};

async function listTables(store: Store): Promise<string[]> {
  const tables = await store.read.introspection.getTables();
  return tables.map(({ name }) => name).sort();
}

describeStores('migrate', ({ makeUrl, open }) => {
  test('an empty store gets every migration, once', async () => {
    const store = await open(await makeUrl('empty'));

    const ran = await migrate(store);
    const ranAgain = await migrate(store);

    expect(ran).not.toEqual([]);
    expect(ranAgain).toEqual([]);
    expect(await listTables(store)).toEqual(expect.arrayContaining(['resources', 'links']));
  });

  test('a later version adds only what is new', async () => {
    const store = await open(await makeUrl('empty'));
    await migrate(store, () => ({ '001-first': first }));

    const ran = await migrate(store, () => ({ '001-first': first, '002-second': second }));

    expect(ran).toEqual(['002-second']);
    expect(await listTables(store)).toEqual(['first', 'second']);
  });

  test('a store of a newer version is refused and left as it is', async () => {
    const store = await open(await makeUrl('empty'));
    await migrate(store, () => ({ '001-first': first, '002-second': second }));

    const refused = migrate(store, () => ({ '001-first': first }));

    await expect(refused).rejects.toMatchObject({
      code: 'store-newer',
      message: expect.stringContaining('002-second'),
    });
    expect(await listTables(store)).toEqual(['first', 'second']);
  });

  test('a store that an earlier build made with other tables is refused, and says what to do', async () => {
    const store = await open(await makeUrl('migrated'));
    for (const [change, difference] of [
      ['alter table samples add column kept text', 'samples.kept is not known'],
      ['drop table samples', 'samples.at is missing'],
    ] as const) {
      await store.write((tx) => sql.raw(change).execute(tx));

      await expect(migrate(store)).rejects.toMatchObject({
        code: 'store-older',
        message: expect.stringMatching(
          new RegExp(`earlier build .*\\(${difference}\\): run that build, or set DATABASE_URL`),
        ),
      });
    }
  });

  test('a migration that fails leaves nothing behind, nor those before it in the same run', async () => {
    const store = await open(await makeUrl('empty'));

    const failed = migrate(store, () => ({ '001-first': first, '002-broken': broken }));

    await expect(failed).rejects.toThrow(/^migration 002-broken failed .*: no further$/);
    expect(await listTables(store)).toEqual([]);
  });

  test('a migration that the database refuses says which one and why', async () => {
    const store = await open(await makeUrl('empty'));
    const twice: Migration = {
      up: async (db) => {
        for (let round = 0; round < 2; round += 1) await first.up(db);
      },
    };

    const failed = migrate(store, () => ({ '001-twice': twice }));

    await expect(failed).rejects.toMatchObject({
      code: 'store-failed',
      message: expect.stringMatching(/^migration 001-twice failed .*"?first"? already exists$/),
    });
  });
});

describePostgres('migrate', ({ makeUrl, open }) => {
  test('replicas that start together migrate once', async () => {
    const url = await makeUrl('empty');
    const replicas = await Promise.all([open(url), open(url), open(url)]);

    const ran = await Promise.all(replicas.map((store) => migrate(store)));

    expect(ran.filter((names) => names.length > 0)).toHaveLength(1);
  });
});
