import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What became of each of our own calls, and whether a plan of repairs asked for it: harm counts subjects, not attempts. */
export const callOutcomes: Migration = {
  async up(db: Kysely<unknown>) {
    const calls = () => db.schema.alterTable('own_calls');
    await calls().addColumn('outcome', 'text').execute();
    await calls().addColumn('error', 'text').execute();
    await calls()
      .addColumn('is_repair', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema.dropIndex('own_calls_kind').execute();
    // It holds all that is counted, so that no row is read for it.
    await sql`create index own_calls_kind on own_calls
      (kind, at, is_repair, outcome, resource_id, upstream_id, member_id)`.execute(db);
  },
};
