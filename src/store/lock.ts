import { PostgresAdapter } from 'kysely';
import type { Db } from './database.ts';

/**
 * Whether a row that is read in order to be changed has to be locked by name. SQLite has one writer at
 * a time, so there the transaction itself is the lock.
 */
export function needsRowLock(tx: Db): boolean {
  return tx.getExecutor().adapter instanceof PostgresAdapter;
}
