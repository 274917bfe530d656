import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What waited when the bridge went from observing to live: the plan of that has nothing else in it. */
export const heldWishes: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('held_wishes')
      .addColumn('resource_type', 'text', (c) => c.notNull())
      .addColumn('resource_id', 'text', (c) => c.notNull())
      .addColumn('pending', 'text', (c) => c.notNull())
      .addColumn('list', 'text', (c) => c.notNull())
      .addColumn('member_id', 'text', (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('held_wishes_resource')
      .on('held_wishes')
      .columns(['resource_id'])
      .execute();
  },
};
