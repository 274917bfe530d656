import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The index of what is due holds all that is counted of it, so that a long backlog is told of without reading its rows. */
export const backlog: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['users', 'groups']) {
      await db.schema.dropIndex(`${table}_due`).execute();
      await db.schema
        .createIndex(`${table}_due`)
        .on(table)
        .columns(['due_class', 'due_at'])
        .columns(['stuck_at', 'attempts', 'must_look', 'pending', 'created_at', 'modified_at'])
        .where('due_at', 'is not', null)
        .execute();
    }
  },
};
