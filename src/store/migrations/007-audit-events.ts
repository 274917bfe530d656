import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Events of the service's audit log, as they were read. */
export const auditEvents: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('audit_events')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('created_at', 'bigint', (c) => c.notNull())
      .addColumn('seen_at', 'bigint', (c) => c.notNull())
      .addColumn('category', 'text', (c) => c.notNull())
      .addColumn('action', 'text', (c) => c.notNull())
      .addColumn('message', 'text')
      .addColumn('details', 'text')
      .addColumn('author_id', 'bigint')
      .addColumn('author_uid', 'text')
      .addColumn('author_username', 'text')
      .addColumn('author_address', 'text')
      .addColumn('origin', 'text', (c) => c.notNull())
      .addColumn('explained_by', 'text')
      .execute();
    await db.schema
      .createIndex('audit_events_created_at')
      .on('audit_events')
      .column('created_at')
      .execute();
  },
};
