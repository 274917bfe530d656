import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { describePostgres, describeStores } from '../../../test/support/stores.ts';
import type { RanStatement } from '../store.ts';

describeStores('the statements of a store', ({ makeStore }) => {
  test('are told with their verb and how they ended, to the latest listener', async () => {
    const store = await makeStore();
    const [early, late]: [RanStatement[], RanStatement[]] = [[], []];
    store.onStatement((statement) => early.push(statement));
    store.onStatement((statement) => late.push(statement));

    await store.read.selectFrom('facts').selectAll().execute();
    await sql`select * from no_such_table`.execute(store.read).catch(() => undefined);

    expect(early).toEqual([]);
    expect(late.map(({ verb, hasFailed }) => [verb, hasFailed])).toEqual([
      ['select', false],
      ['select', true],
    ]);
    expect(late[0]?.durationMs).toBeGreaterThanOrEqual(0);
  });
});

describePostgres('the connections of a store', ({ makeStore }) => {
  test('are counted while they are used and while they rest', async () => {
    const store = await makeStore();
    await store.read.selectFrom('facts').selectAll().execute();
    const resting = store.connections();

    const used = await store.write(async (tx) => {
      await tx.selectFrom('facts').selectAll().execute();
      return store.connections();
    });

    expect(resting).toEqual({ used: 0, idle: 1, waiting: 0 });
    expect(used).toEqual({ used: 1, idle: 0, waiting: 0 });
  });
});
