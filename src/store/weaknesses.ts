import { sql } from 'kysely';
import { isPostgres } from './dialect.ts';
import type { Db } from './store.ts';

/**
 * Why what is committed may be lost although nobody made a mistake:
 * - `not-flushed`: `fsync` is off, so a crash of the server's host may lose commits, or the whole database
 * - `standby-behind`: a standby follows that no commit waits for, so a fail-over to it may lose the last ones
 */
export type Weakness = 'not-flushed' | 'standby-behind';

interface Settings {
  readonly is_flushed: boolean;
  readonly is_followed: boolean;
}

/** What PostgreSQL's settings say of its commits; a SQLite file has none of this. @throws StoreError */
export async function findWeaknesses(db: Db): Promise<readonly Weakness[]> {
  if (!isPostgres(db)) return [];
  const { rows } = await sql<Settings>`
    select current_setting('fsync') = 'on' as is_flushed,
      exists (select from pg_stat_replication) and (current_setting('synchronous_standby_names') = ''
        or current_setting('synchronous_commit') = 'local') as is_followed`.execute(db);
  return rows.flatMap(({ is_flushed, is_followed }): Weakness[] => [
    ...(is_flushed ? [] : (['not-flushed'] as const)),
    ...(is_followed ? (['standby-behind'] as const) : []),
  ]);
}
