import { sql } from 'kysely';
import { isPostgres } from './engine/dialect.ts';
import type { Db } from './store.ts';

/** Any fixed numbers, as long as no two are the same. */
const NUMBERS = {
  migration: 7_246_000_001,
  owners: 7_246_000_002,
  rules: 7_246_000_004,
  plans: 7_246_000_005,
  facts: 7_246_000_008,
  'former-ids': 7_246_000_009,
} as const;

/**
 * Holds a lock that is no row's until the transaction ends; `shared` keeps out those alone who want it for
 * themselves. SQLite has one writer, who is us, and needs none.
 */
export async function lockUntilCommit(
  tx: Db,
  name: keyof typeof NUMBERS,
  mode: 'alone' | 'shared' = 'alone',
): Promise<void> {
  if (!isPostgres(tx)) return;
  const lock = sql.raw(
    mode === 'shared' ? 'pg_advisory_xact_lock_shared' : 'pg_advisory_xact_lock',
  );
  await sql`select ${lock}(${NUMBERS[name]}::bigint)`.execute(tx);
}
