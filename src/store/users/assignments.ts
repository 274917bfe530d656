import { sql } from 'kysely';
import { isPostgres } from '../engine/dialect.ts';
import type { Db } from '../store.ts';

/** Active accounts that have the same role and licences. */
export interface AssignedAccounts {
  /** Role in the company; null: not known. */
  readonly role: number | null;
  /** Licences as bits; null: not known. */
  readonly appsPermissions: number | null;
  readonly count: number;
}

/** Rows that one statement looks at, so that no write and no other request waits long for it. */
const ROWS_MAX = 2_000;

/** Counts the active accounts of the service by role and licences, as they were last seen. */
export async function countAssigned(db: Db): Promise<AssignedAccounts[]> {
  const { last } = await db
    .selectFrom('users')
    .select(({ fn }) => fn.max('seq').as('last'))
    .executeTakeFirstOrThrow();
  const counted: AssignedAccounts[] = [];
  for (let after = 0; after < Number(last ?? 0); after += ROWS_MAX) {
    const { rows } = await sql<AssignedAccounts>`
      select ${seen(db, 'role')} as role, ${seen(db, 'appsPermissions')} as "appsPermissions",
        count(*) as count
      from users
      where seq > ${after} and seq <= ${after + ROWS_MAX} and upstream_id is not null
        and ${isActive(db)}
      group by 1, 2`.execute(db);
    counted.push(...rows);
  }
  return counted;
}

function seen(db: Db, name: 'role' | 'appsPermissions') {
  return isPostgres(db)
    ? sql`cast(observed::json ->> ${sql.lit(name)} as bigint)`
    : sql`observed ->> ${sql.lit(`$.${name}`)}`;
}

function isActive(db: Db) {
  return isPostgres(db)
    ? sql`observed::json ->> 'active' = 'true'`
    : sql`observed ->> '$.active' = 1`;
}
