import sql, { raw } from 'sql-template-tag';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../../test/support/free-port.ts';
import { startPostgresProxy } from '../../../test/support/postgres-proxy.ts';
import { describePostgres } from '../../../test/support/stores.ts';
import type { Db, Store } from '../store.ts';
import { OUTAGE_CODES, openStore } from './database.ts';
import { execute, readOne, select } from './dialect.ts';
import type { StoreError } from './store-error.ts';

/** Ends every other connection to this database, as a restart of the server does. */
async function cutConnections(store: Store): Promise<void> {
  await execute(store.read)`select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid()`;
}

test('a server that is not there is waited for, until the time is over or the process is stopped', async () => {
  const place = `127.0.0.1:${await freePort()}`;
  const url = `postgres://nobody:secret@${place}/none`;
  const why = `connect ECONNREFUSED ${place}. See store-unavailable`;
  const message = expect.stringContaining(
    `the store on PostgreSQL at ${place}/none cannot be opened: ${why}`,
  );
  const stop = new AbortController();
  let waits = 0;
  const wait = (ms: number) =>
    openStore({ url, deadline: { ms, signal: stop.signal, onWait: () => (waits += 1) } });

  await expect(wait(0)).rejects.toMatchObject({ code: 'store-unavailable', message });
  expect(waits).toBe(0);
  const waiting = wait(60_000);
  await expect.poll(() => waits).toBe(1);
  stop.abort();
  await expect(waiting).rejects.toMatchObject({ code: 'store-unavailable' });
});

describePostgres('a server that lets nobody in', ({ makeUrl }) => {
  test('is told in its own words, and no password is', async () => {
    const url = new URL(await makeUrl('empty'));
    [url.username, url.password] = ['somebody', 'secret-of-somebody'];
    const opened = openStore({ url: url.href }).catch(({ message }) => message);

    expect(await opened).toMatch(/cannot be opened: .*"somebody"/);
    expect(await opened).not.toContain('secret');
  });
});

describePostgres('a lost connection', ({ makeUrl, open }) => {
  test('of nobody who writes is told, and the process lives on', async () => {
    const url = await makeUrl('empty');
    const lost = Promise.withResolvers<StoreError>();
    const store = await openStore({ url, onConnectionLost: lost.resolve });
    await cutConnections(await open(url));
    const error = await lost.promise;
    await execute(store.read)`select 1`;
    await store.close();
    expect(error.code).toBe('store-unavailable');
  });
});

describePostgres('a process that stands still in the middle of a write', ({ makeUrl, open }) => {
  test.each<[title: string, rest: (tx: Db) => Promise<unknown>]>([
    ['and its own write is done when it goes on', (tx) => execute(tx)`select 1`],
    ['also when only the commit was missing, which the server has undone', async () => undefined],
  ])('lets others write the same row, %s', async (_, rest) => {
    const url = await makeUrl('empty');
    const [frozen, other] = [await open(url), await open(url)];
    await execute(other.read)`create table counts (value integer)`;
    await execute(other.read)`insert into counts values (0)`;
    const add = (tx: Db) => execute(tx)`update counts set value = value + 1`;
    const holding = Promise.withResolvers<void>();
    const thawed = Promise.withResolvers<void>();

    const late = frozen.write(async (tx) => {
      await add(tx);
      holding.resolve();
      await thawed.promise;
      await rest(tx);
    });
    await holding.promise;
    await other.write(add);
    thawed.resolve();
    await late;

    expect(await select(other.read)`select value from counts`).toEqual([{ value: 2 }]);
  });
});

describePostgres(
  'a process that was killed while its write waited for a lock',
  ({ makeUrl, open }) => {
    test('keeps no other write from the rows that it had locked', async () => {
      const url = await makeUrl('empty');
      const proxy = await startPostgresProxy(url);
      onTestFinished(() => proxy.stop());
      const [holder, killed, other] = [await open(url), await open(proxy.url), await open(url)];
      await execute(other.read)`create table counts (id integer, value integer)`;
      await execute(other.read)`insert into counts values (1, 0), (2, 0)`;
      const add = (id: number) => (tx: Db) =>
        execute(tx)`update counts set value = value + 1 where id = ${id}`;
      const held = Promise.withResolvers<void>();
      const over = Promise.withResolvers<void>();
      const holding = holder.write(async (tx) => {
        await add(2)(tx);
        held.resolve();
        // A statement that runs, so that the holder does not stand still.
        while (!(await Promise.race([over.promise.then(() => true), isIdle(tx)])));
      });
      await held.promise;
      const locked = Promise.withResolvers<void>();
      const dying = killed.write(async (tx) => {
        await add(1)(tx);
        locked.resolve();
        await untilWaiting(holder.read, 1);
        await add(2)(tx);
      });
      const died = expect(dying).rejects.toMatchObject({ name: 'StoreError' });
      await locked.promise;
      const waiting = other.write(add(1));
      await untilWaiting(holder.read, 2);

      proxy.setRefusing(true);
      await waiting;
      over.resolve();

      await Promise.all([holding, died]);
      const rows = await select(other.read)`select value from counts order by id`;
      expect(rows).toEqual([{ value: 1 }, { value: 1 }]);
    });

    async function isIdle(tx: Db): Promise<boolean> {
      await execute(tx)`select pg_sleep(0.05)`;
      return false;
    }

    async function untilWaiting(db: Db, count: number): Promise<void> {
      const select = sql`select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
      while ((await db.run(select)).rows.length < count);
    }
  },
);

describePostgres('a contended write', ({ makeStore }) => {
  test.each([
    ['that lost against another one is tried again, and not for ever', '40001', 8],
    ['that waited too long for a row is as well', '55P03', 8],
    ['is not tried again for any other error', '22012', 1],
  ])('%s', async (_, state, attemptsMax) => {
    const store = await makeStore();
    const fail = raw(`do $$ begin raise exception using errcode = '${state}'; end $$`);
    let attempts = 0;

    const write = store.write((tx) => {
      attempts += 1;
      return tx.run(fail);
    });

    const code = attemptsMax === 1 ? 'store-failed' : 'store-contended';
    await expect(write).rejects.toMatchObject({ code });
    expect(attempts).toBe(attemptsMax);
  });

  test('is no outage of the store', () => expect(OUTAGE_CODES).not.toContain('store-contended'));

  test('that lost the race to store a new resource looks again, and finds it', async () => {
    const store = await makeStore();
    const both = Promise.withResolvers<void>();
    let looked = 0;
    const findOrAdd = (id: string) =>
      store.write(async (tx) => {
        const found = await select<{ id: string }>(tx)`
          select id from resources where name_folded = 'ada'`;
        looked += 1;
        if (looked === 2) both.resolve();
        await both.promise;
        if (found[0] !== undefined) return found[0].id;
        await execute(tx)`
          insert into resources (type, id, name, name_folded, origin, attributes, created_at, modified_at)
          values ('user', ${id}, 'ada', 'ada', 'created', '{}', 1, 1)`;
        return id;
      });

    const [first, second] = await Promise.all([findOrAdd('1'), findOrAdd('2')]);

    expect(first).toBe(second);
  });
});

describePostgres('credentials of the database', ({ makeUrl, open }) => {
  test('that change are those of the next connection', async () => {
    const url = await makeUrl('empty');
    const admin = await open(url);
    const role = `rotated_${Date.now()}`;
    await admin.read.run(raw(`create role ${role} login password 'other'`));
    const second = new URL(url);
    second.username = role;
    second.password = 'other';
    let current = url;
    const store = await openStore({ url, findUrl: () => current });
    const findUser = async () => {
      return (await readOne<{ name: string }>(store.read)`select current_user as name`).name;
    };
    const before = await findUser();
    current = second.href;
    await cutConnections(admin);
    await expect.poll(() => findUser().catch(() => undefined)).toBe(role);
    await store.close();
    await admin.read.run(raw(`drop role ${role}`));

    expect(before).not.toBe(role);
  });
});

describePostgres('a session', ({ makeStore }) => {
  test('waits for the disk, whatever the server does by itself', async () => {
    const { read } = await makeStore();

    const rows = await select(read)`select current_setting('synchronous_commit') as level`;

    expect(rows).toEqual([{ level: 'on' }]);
  });
});
