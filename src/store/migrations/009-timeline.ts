import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Whom events of the audit log name. */
export const timeline: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('audit_event_resources')
      .addColumn('event_id', 'text', (c) => c.notNull())
      .addColumn('resource_type', 'text', (c) => c.notNull())
      .addColumn('resource_id', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('people', 'integer', (c) => c.notNull())
      .addPrimaryKeyConstraint('audit_event_resources_key', ['event_id', 'resource_id'])
      .execute();
    await sql`create index audit_event_resources_at on audit_event_resources (resource_id, at)`.execute(
      db,
    );
    // Events of a group that name nobody of it: few, where most name somebody.
    await sql`create index audit_event_resources_alone on audit_event_resources (resource_id, at)
      where people = 0`.execute(db);
    await db.schema
      .createTable('audit_event_names')
      .addColumn('event_id', 'text', (c) => c.notNull())
      .addColumn('name_folded', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addPrimaryKeyConstraint('audit_event_names_key', ['event_id', 'name_folded'])
      .execute();
    await sql`create index audit_events_unresolved on audit_events (seen_at) where origin = 'unresolved'`.execute(
      db,
    );
    await sql`create index audit_event_names_at on audit_event_names (name_folded, at)`.execute(db);
  },
};
