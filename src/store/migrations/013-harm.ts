import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How much providers have taken away lies in an index: it is asked for again and again. */
export const harm: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create index own_calls_kind on own_calls (kind, at)`.execute(db);
  },
};
