import { CompiledQuery } from 'kysely';
import type { Db } from '../../src/store/store.ts';
import { listen } from './statements.ts';

/** How SQLite carries out the queries of a function: the lines of its plans. */
export async function explain(
  { read }: { readonly read: Db },
  ask: (db: Db) => Promise<unknown>,
): Promise<string[]> {
  const asked: CompiledQuery[] = [];
  await ask(listen(read, (statement) => void asked.push(statement)));
  const plans = asked.map(({ sql, parameters }) =>
    read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    ),
  );
  return (await Promise.all(plans)).flatMap(({ rows }) => rows.map(({ detail }) => detail));
}
