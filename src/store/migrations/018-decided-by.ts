import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which operator decided about a plan. */
export const decidedBy: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema.alterTable('plans').addColumn('decided_by', 'text').execute();
  },
};
