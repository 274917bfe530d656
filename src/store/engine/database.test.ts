import sql from 'sql-template-tag';
import { expect, test } from 'vitest';
import { describePostgres, describeStores } from '../../../test/support/stores.ts';
import type { Db, Store } from '../store.ts';
import { execute, forUpdate, readNumber, select } from './dialect.ts';

async function createCounters(store: Store): Promise<Store> {
  const counters = sql`create table counters
    (name text primary key, total bigint not null, parent text references counters (name))`;
  await store.write((tx) => tx.run(counters));
  return store;
}

async function insertCounter(db: Db, name: string, parent: string | null = null): Promise<void> {
  await execute(db)`insert into counters values (${name}, 0, ${parent})`;
}

async function listNames(db: Db): Promise<string[]> {
  const rows = await select<{ name: string }>(db)`select name from counters order by name`;
  return rows.map(({ name }) => name);
}

describeStores('the store', ({ makeUrl, open }) => {
  test('a read sees a write as soon as it resolves, and nothing before', async () => {
    const store = await createCounters(await open(await makeUrl('empty')));

    const seenInside = await store.write(async (tx) => {
      await insertCounter(tx, 'a');
      return { inside: await listNames(tx), outside: await listNames(store.read) };
    });
    const seenAfter = await listNames(store.read);

    expect(seenInside).toEqual({ inside: ['a'], outside: [] });
    expect(seenAfter).toEqual(['a']);
  });

  test('a write that throws leaves nothing, and its neighbours everything', async () => {
    const store = await createCounters(await open(await makeUrl('empty')));
    const refusal = new Error('changed my mind');

    const outcomes = await Promise.allSettled([
      store.write((tx) => insertCounter(tx, 'before')),
      store.write(async (tx) => {
        await insertCounter(tx, 'undone');
        throw refusal;
      }),
      store.write((tx) => insertCounter(tx, 'after')),
    ]);

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: refusal });
    expect(await listNames(store.read)).toEqual(['after', 'before']);
  });

  test('a statement that fails undoes its own write and says which rule it broke, without a value of a row', async () => {
    const store = await createCounters(await open(await makeUrl('empty')));
    await store.write((tx) => insertCounter(tx, 'taken'));

    const conflict = store.write(async (tx) => {
      await insertCounter(tx, 'undone');
      await insertCounter(tx, 'taken');
    });
    const said = { message: expect.not.stringContaining('taken'), cause: expect.any(Error) };
    await expect(conflict).rejects.toMatchObject({ code: 'store-conflict', ...said });
    const orphan = store.write((tx) => insertCounter(tx, 'orphan', 'nobody'));
    await expect(orphan).rejects.toMatchObject({ code: 'store-reference' });
    expect(await listNames(store.read)).toEqual(['taken']);
  });

  test('100 increments that read first and lock the row lose none', async () => {
    const store = await createCounters(await open(await makeUrl('empty')));
    await store.write((tx) => insertCounter(tx, 'hits'));

    const readThenWrite = async (tx: Db) => {
      const total = await readNumber(
        tx,
        sql`select total from counters where name = 'hits' ${forUpdate(tx)}`,
      );
      await execute(tx)`update counters set total = ${total + 1}`;
    };
    await Promise.all(Array.from({ length: 100 }, () => store.write(readThenWrite)));

    expect(await readNumber(store.read, sql`select total from counters`)).toBe(100);
  });

  test('64-bit integers, sums and counts are numbers on both engines', async () => {
    const store = await createCounters(await open(await makeUrl('empty')));
    const total = Date.now();
    await store.write((tx) => execute(tx)`insert into counters values ('now', ${total}, null)`);

    const rows = await select(store.read)`
      select total, sum(total) as sum, count(*) as count from counters group by total`;

    expect(rows).toEqual([{ total, sum: total, count: 1 }]);
  });

  test('a transaction that was left open by mistake cannot be used after its write', async () => {
    const store = await createCounters(await open(await makeUrl('empty')));

    const kept = await store.write(async (tx) => ({ tx }));

    await expect(insertCounter(kept.tx, 'late')).rejects.toThrow('already committed');
    expect(await listNames(store.read)).toEqual([]);
  });

  test('writes that were accepted are finished by close(), later ones are refused', async () => {
    const url = await makeUrl('empty');
    const store = await createCounters(await open(url));

    const accepted = Array.from({ length: 20 }, (_, i) =>
      store.write((tx) => insertCounter(tx, `accepted-${i}`)),
    );
    await store.close();
    await Promise.all(accepted);
    const late = store.write((tx) => insertCounter(tx, 'late'));

    await expect(late).rejects.toMatchObject({ code: 'store-closed' });
    const reopened = await open(url);
    expect(await listNames(reopened.read)).toHaveLength(20);
  });
});

describePostgres('the store under contention', ({ makeUrl, open }) => {
  test('two writes that deadlock both come true', async () => {
    const store = await createCounters(await open(await makeUrl('empty')));
    await store.write(async (tx) => {
      await insertCounter(tx, 'a');
      await insertCounter(tx, 'b');
    });
    const bothLocked = Promise.withResolvers<void>();
    let locked = 0;

    const raiseBoth = (first: string, second: string) =>
      store.write(async (tx) => {
        await raise(tx, first);
        locked += 1;
        if (locked === 2) bothLocked.resolve();
        await bothLocked.promise;
        await raise(tx, second);
      });
    await Promise.all([raiseBoth('a', 'b'), raiseBoth('b', 'a')]);

    const rows = await select(store.read)`select total from counters`;
    expect(rows).toEqual([{ total: 2 }, { total: 2 }]);
    expect(locked).toBeGreaterThan(2);
  });
});

async function raise(tx: Db, name: string): Promise<void> {
  await execute(tx)`update counters set total = total + 1 where name = ${name}`;
}
