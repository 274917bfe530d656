import { PostgresAdapter } from 'kysely';
import type { Db } from './store.ts';

/** For the few statements that the two engines spell differently. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
