import { type RawBuilder, sql } from 'kysely';
import { isPostgres } from './dialect.ts';
import type { Db } from './store.ts';

/** Whether the service was seen to have a person or group since then (epoch milliseconds). */
export function isSeenSince(db: Db, since: number): RawBuilder<boolean> {
  const at = isPostgres(db)
    ? sql`cast(observed::json ->> 'at' as bigint)`
    : sql`observed ->> '$.at'`;
  return sql<boolean>`coalesce(${at}, 0) >= ${since}`;
}
