import { CompiledQuery, type KyselyPlugin, type RootOperationNode } from 'kysely';
import type { Db } from '../../src/store/store.ts';

/** How SQLite carries out the queries of a function: the lines of its plans. */
export async function explain(
  { read }: { readonly read: Db },
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
