import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** How often each change failed, since when what waits fails, and the index of what is due with that. */
export const attempts: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['memberships', 'group_admins']) {
      await db.schema
        .alterTable(table)
        .addColumn('attempts', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
    }
    for (const table of ['users', 'groups']) {
      await db.schema.alterTable(table).addColumn('failing_since', 'bigint').execute();
      await sql`update ${sql.table(table)} set failing_since = modified_at
        where attempts > 0 and due_at is not null`.execute(db);
      await db.schema.dropIndex(`${table}_due`).execute();
      await db.schema
        .createIndex(`${table}_due`)
        .on(table)
        .columns(['due_class', 'due_at', 'stuck_at', 'attempts', 'failing_since'])
        .where('due_at', 'is not', null)
        .execute();
    }
  },
};
