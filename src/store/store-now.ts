import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from './dialect.ts';
import type { Db } from './store.ts';

/**
 * Now (epoch milliseconds), by the clock that leases are measured with: the server's where hosts share the store, so
 * that a host whose clock is wrong takes nothing too early; the host's where one process has it.
 */
export function storeNow(db: Db, hostNow: number): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${hostNow}`;
}
