import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { freePort } from '../../../test/support/free-port.ts';
import { describePostgres } from '../../../test/support/stores.ts';
import type { Db, Store } from '../store.ts';
import { openStore } from './database.ts';
import type { StoreError } from './store-error.ts';

/** Ends every other connection to this database, as a restart of the server does. */
async function cutConnections(store: Store): Promise<void> {
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`.execute(store.read);
}

test('a server that is not there is said to be unavailable', async () => {
  const url = `postgres://nobody@127.0.0.1:${await freePort()}/none`;

  await expect(openStore({ url })).rejects.toMatchObject({ code: 'store-unavailable' });
});

describePostgres('a lost connection', ({ makeUrl, open }) => {
  test('fails the write it meets with a typed error, and the next one works', async () => {
    const url = await makeUrl('empty');
    const store = await open(url);
    const other = await open(url);

    const cut = store.write(async (tx) => {
      await sql`create table lost (id integer)`.execute(tx);
      await cutConnections(other);
      await sql`select 1`.execute(tx);
    });

    await expect(cut).rejects.toMatchObject({ name: 'StoreError', code: 'store-unavailable' });
    await expect(store.write((tx) => sql`select 1`.execute(tx))).resolves.toBeDefined();
  });

  test('of an idle connection is told, and the process lives on', async () => {
    const url = await makeUrl('empty');
    const lost = Promise.withResolvers<StoreError>();
    const store = await openStore({ url, onConnectionLost: lost.resolve });
    const other = await open(url);

    await cutConnections(other);
    const error = await lost.promise;
    await sql`select 1`.execute(store.read);
    await store.close();

    expect(error.code).toBe('store-unavailable');
  });
});

describePostgres('a process that stands still in the middle of a write', ({ makeUrl, open }) => {
  test('lets others write the same row, and its own write is done when it goes on', async () => {
    const url = await makeUrl('empty');
    const [frozen, other] = [await open(url), await open(url)];
    await sql`create table counts (value integer)`.execute(other.read);
    await sql`insert into counts values (0)`.execute(other.read);
    const add = (tx: Db) => sql`update counts set value = value + 1`.execute(tx);
    const holding = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();

    const late = frozen.write(async (tx) => {
      await add(tx);
      holding.resolve();
      await thawed.promise;
      await sql`select 1`.execute(tx);
    });
    await holding.promise;
    await other.write(add);
    thawed.resolve();
    await late;

    const { rows } = await sql`select value from counts`.execute(other.read);
    expect(rows).toEqual([{ value: 2 }]);
  });

  test('is not said to have stored what the server has undone, when only the commit was missing', async () => {
    const url = await makeUrl('empty');
    const [frozen, other] = [await open(url), await open(url)];
    await sql`create table counts (value integer)`.execute(other.read);
    await sql`insert into counts values (0)`.execute(other.read);
    const add = (tx: Db) => sql`update counts set value = value + 1`.execute(tx);
    const holding = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();

    const late = frozen.write(async (tx) => {
      await add(tx);
      holding.resolve();
      await thawed.promise;
    });
    await holding.promise;
    await other.write(add);
    thawed.resolve();
    await late;

    const { rows } = await sql`select value from counts`.execute(other.read);
    expect(rows).toEqual([{ value: 2 }]);
  });
});

describePostgres('a contended write', ({ makeStore, makeUrl }) => {
  test('is tried again, with the delays that `random` gives, and not for ever', async () => {
    let delaysAsked = 0;
    const random = () => {
      delaysAsked += 1;
      return 0;
    };
    const store = await openStore({ url: await makeUrl('empty'), random });
    const fail = (tx: Db) =>
      sql`do $$ begin raise exception using errcode = '40001'; end $$`.execute(tx);

    const write = store.write(fail);

    await expect(write).rejects.toMatchObject({ code: 'store-contended' });
    expect(delaysAsked).toBe(7);
    await store.close();
  });

  test('is not tried again for any other error', async () => {
    const store = await makeStore();
    let attempts = 0;

    const write = store.write(async (tx) => {
      attempts += 1;
      await sql`select 1 / 0`.execute(tx);
    });

    await expect(write).rejects.toMatchObject({ code: 'store-failed' });
    expect(attempts).toBe(1);
  });
});
