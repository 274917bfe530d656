import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { expect, test } from 'vitest';
import { describeStores } from '../../test/support/stores.ts';
import { readBacklog } from './backlog.ts';
import type { Db, Store } from './database.ts';
import { findNextDueAt, listHeldRemovals } from './lanes.ts';

const reads = [
  { why: 'what is told of it', read: readBacklog, index: 'due', covers: true },
  { why: 'when the next is due', read: findNextDueAt, index: 'due', covers: true },
  {
    why: 'removals behind other work of their lane',
    read: (db: Db) => listHeldRemovals(db, { owner: 'one', now: 1 }),
    index: 'lane_owner',
    covers: false,
  },
] as const;

describeStores('a long backlog', ({ makeStore, engine }) => {
  for (const { why, read, index, covers } of reads) {
    // PostgreSQL plans by what is in the tables; there it is the same indexes.
    test.runIf(engine === 'sqlite')(`is not read row by row: ${why}`, async () => {
      const plan = await explain(await makeStore(), read);
      for (const table of ['users', 'groups']) {
        const how = `USING ${covers ? 'COVERING ' : ''}INDEX ${table}_${index} `;
        const lines = plan.filter((line) => line.includes(` ${table} `));
        expect(lines.length).toBeGreaterThan(0);
        for (const line of lines) expect(`${line} `).toContain(how);
      }
    });
  }
});

/** How the queries of a function are carried out. */
async function explain(
  { read }: Pick<Store, 'read'>,
  ask: (db: Db) => Promise<unknown>,
): Promise<string[]> {
  const asked: CompiledQuery[] = [];
  const listener: KyselyPlugin = {
    transformQuery({ node, queryId }): RootOperationNode {
      asked.push(read.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  await ask(read.withPlugin(listener));
  const plans = asked.map(({ sql, parameters }) =>
    read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    ),
  );
  return (await Promise.all(plans)).flatMap(({ rows }) => rows.map(({ detail }) => detail));
}
