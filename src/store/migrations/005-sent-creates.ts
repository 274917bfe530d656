import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Under which names a create may have left something, so that it is found after the resource was renamed. */
export const sentCreates: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['users', 'groups']) {
      await db.schema
        .alterTable(table)
        .addColumn('sent_creates', 'text', (c) => c.notNull().defaultTo('[]'))
        .execute();
    }
  },
};
