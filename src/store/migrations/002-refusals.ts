import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** What the service refused after it was acknowledged, field by field and person by person; lost creates. */
export const refusals: Migration = {
  async up(db: Kysely<unknown>) {
    for (const table of ['users', 'groups']) {
      await db.schema
        .alterTable(table)
        .addColumn('stuck', 'text', (c) => c.notNull().defaultTo('{}'))
        .execute();
      await db.schema
        .alterTable(table)
        .addColumn('lost_looks', 'integer', (c) => c.notNull().defaultTo(0))
        .execute();
      await sql`create index ${sql.ref(`${table}_lost`)} on ${sql.table(table)} (lost_looks) where lost_looks > 0`.execute(
        db,
      );
      await sql`create index ${sql.ref(`${table}_stuck`)} on ${sql.table(table)} (stuck_at) where stuck_at is not null`.execute(
        db,
      );
    }
    for (const table of ['memberships', 'group_admins']) {
      await db.schema.alterTable(table).addColumn('stuck_at', 'bigint').execute();
      await db.schema.alterTable(table).addColumn('problem', 'text').execute();
      await sql`create index ${sql.ref(`${table}_stuck`)} on ${sql.table(table)} (stuck_at) where stuck_at is not null`.execute(
        db,
      );
    }
  },
};
