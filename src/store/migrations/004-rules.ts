import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the rules of the configuration gave, apart from what providers sent. */
export const rules: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['users', 'groups']) {
      await db.schema
        .alterTable(table)
        .addColumn('given', 'text', (c) => c.notNull().defaultTo('{}'))
        .execute();
    }
    await db.schema
      .alterTable('groups')
      .addColumn('admins_asked', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
    await db.schema
      .alterTable('group_admins')
      .addColumn('by_rule', 'integer', (c) => c.notNull().defaultTo(0))
      .execute();
  },
};
