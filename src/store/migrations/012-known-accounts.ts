import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Who an account of the service is lies in an index: lists of members name accounts by the hundred thousand. */
export const knownAccounts: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index users_account on users (upstream_id, deleted_at, id)
      where upstream_id is not null`.execute(db);
  },
};
