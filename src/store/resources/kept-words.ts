import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../store.ts';

/** A place that keeps words of the service about a failure, which may name other users too. */
export interface KeptWords {
  readonly table: 'users' | 'groups' | 'memberships' | 'group_admins';
  readonly column: 'last_error' | 'cells' | 'problem';
  /** Number of the row in its table. */
  readonly seq: number;
  /** JSON with `words` in it. */
  readonly text: string;
}

/** The same place, and the text without those words. */
export interface SilencedWords extends KeptWords {
  readonly silent: string;
}

/** Lists them all: of users and groups as a whole, of their fields, and of places in groups. */
export async function listKeptWords(db: Db): Promise<KeptWords[]> {
  const failing = sql`(due_at is not null or stuck_at is not null)`;
  const hasFailed = sql`cells like '%"failure"%'`;
  const { rows } = await sql<KeptWords>`
    ${select('users', 'last_error', sql`${failing} and last_error is not null`)}
    union all ${select('users', 'cells', sql`${failing} and ${hasFailed}`)}
    union all ${select('groups', 'last_error', sql`last_error is not null`)}
    union all ${select('groups', 'cells', hasFailed)}
    union all ${select('memberships', 'problem', sql`pending is not null and problem is not null`)}
    union all ${select('group_admins', 'problem', sql`pending is not null and problem is not null`)}`.execute(
    db,
  );
  return rows.map((row) => ({ ...row, seq: Number(row.seq) }));
}

function select(
  table: KeptWords['table'],
  column: KeptWords['column'],
  where: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`select ${sql.lit(table)} as "table", ${sql.lit(column)} as "column", seq,
    ${sql.ref(column)} as text from ${sql.table(table)} where ${where}`;
}
