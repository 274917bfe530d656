import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Which processes share the store, and which lanes each of them holds. */
export const replicas: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('replicas')
      .addColumn('owner', 'text', (column) => column.primaryKey())
      .addColumn('heard_at', 'bigint', (column) => column.notNull())
      .execute();
    for (const table of ['users', 'groups']) {
      await db.schema
        .createIndex(`${table}_lane_owner`)
        .on(table)
        .column('lane_owner')
        .where('lane_owner', 'is not', null)
        .execute();
    }
  },
};
