import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** People of whom nothing personal is kept any more, and those who may become one of them. */
export const erasure: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('users').addColumn('erased_at', 'bigint').execute();
    await sql`create index users_tombstones on users (deleted_at, seq)
      where deleted_at is not null and erased_at is null`.execute(db);
  },
};
