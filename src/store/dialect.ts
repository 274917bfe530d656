import { PostgresAdapter, type RawBuilder, sql } from 'kysely';
import type { Db } from './store.ts';

/** For the few statements that the two engines spell differently. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** SQL that locks the rows which are read until the transaction ends; nothing where one write runs at a time. */
export function forUpdate(tx: Db): RawBuilder<unknown> {
  return isPostgres(tx) ? sql`for update` : sql``;
}
