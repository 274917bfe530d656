import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Names that people and groups carried before, because who is protected under one stays so under the next. */
export const formerNames: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('former_names')
      .addColumn('resource_type', 'text', (c) => c.notNull())
      .addColumn('resource_id', 'text', (c) => c.notNull())
      .addColumn('name_folded', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('former_names_pk', ['resource_type', 'resource_id', 'name_folded'])
      .execute();
  },
};
