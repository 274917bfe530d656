import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describePostgres, describeStores } from '../../test/support/stores.ts';
import { readCallBudget, replaceCallBudget } from './call-budget.ts';

describePostgres('the budget that processes share', ({ makeStore, makeUrl, open }) => {
  test('is empty at first, and read with the time of the server', async () => {
    const store = await makeStore();

    const budget = await readCallBudget(store);

    expect(budget.text).toBeNull();
    // The server of the tests runs on this machine, so its clock is ours.
    expect(Math.abs(budget.nowMs - Date.now())).toBeLessThan(2_000);
  });

  test('is replaced by whoever read it last, and by nobody who read it before', async () => {
    const url = await makeUrl('migrated');
    const stores = [await open(url), await open(url), await open(url)];
    const { version } = await readCallBudget(stores[0] ?? (await open(url)));

    const taken = await Promise.all(
      stores.map((store, n) => replaceCallBudget(store, { version, text: `text ${n}` })),
    );

    expect(taken.filter((isTaken) => isTaken)).toHaveLength(1);
    const { text } = await readCallBudget(stores[1] ?? (await open(url)));
    expect(text).toBe(`text ${taken.indexOf(true)}`);
  });

  test('that was lost is told from one that nobody wrote, and is not what it was before', async () => {
    const store = await makeStore();
    const before = await readCallBudget(store);
    await sql`delete from call_budget`.execute(store.read);

    const lost = await readCallBudget(store);
    const replaced = await replaceCallBudget(store, { version: lost.version, text: 'anew' });
    const again = await replaceCallBudget(store, { version: lost.version, text: 'again' });
    const old = await replaceCallBudget(store, { version: before.version, text: 'old' });

    expect([lost.text, replaced, again, old]).toEqual([undefined, true, false, false]);
    expect((await readCallBudget(store)).text).toBe('anew');
  });

  test('is not written to the log of the server: a crash leaves nothing of it', async () => {
    const store = await makeStore();

    const { rows } = await sql<{ relpersistence: string }>`
      select relpersistence from pg_class where relname = 'call_budget'`.execute(store.read);

    expect(rows).toEqual([{ relpersistence: 'u' }]);
  });
});

describeStores('the budget', ({ makeStore, engine }) => {
  test.runIf(engine === 'sqlite')('of one process is not kept in its store', async () => {
    const store = await makeStore();

    const tables = await store.read.introspection.getTables();

    expect(tables.map(({ name }) => name)).not.toContain('call_budget');
  });
});
