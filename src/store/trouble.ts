import { sql } from 'kysely';
import type { Db } from './database.ts';
import { parseStored } from './documents.ts';

/** A resource whose acknowledged change the service refused. */
export interface StuckResource {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The service's words and their code. */
  readonly problem: { readonly code: string; readonly words: string };
  /** Epoch milliseconds. */
  readonly since: number;
  /** When it is tried again, epoch milliseconds. */
  readonly nextAttemptAt: number | null;
}

interface StuckRow {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  readonly last_error: string | null;
  readonly since: number;
  readonly due_at: number | null;
}

/** What is stuck, the longest first. */
export async function listStuck(db: Db, limit: number): Promise<StuckResource[]> {
  const { rows } = await sql<StuckRow>`
    select * from (
      select 'user' as type, id, user_name as name, last_error, stuck_at as since, due_at
      from users where stuck_at is not null
      union all
      select 'group' as type, id, display_name as name, last_error, stuck_at as since, due_at
      from groups where stuck_at is not null
    ) as stuck order by since, id limit ${limit}`.execute(db);
  return rows.map(({ last_error, due_at, ...row }) => ({
    ...row,
    problem: parseStored(last_error ?? '{"code":"unknown","words":""}'),
    nextAttemptAt: due_at,
  }));
}

/** A write that nobody but an operator can place. */
export interface DisputeView {
  readonly type: 'user' | 'group';
  readonly name: string;
  readonly reason: string;
  readonly count: number;
  /** Epoch milliseconds. */
  readonly firstSeenAt: number;
  readonly lastSeenAt: number;
}

/** What is disputed, the latest first. */
export async function listDisputes(db: Db, limit: number): Promise<DisputeView[]> {
  const rows = await db
    .selectFrom('disputes')
    .selectAll()
    .orderBy('last_seen_at', 'desc')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    type: row.resource_type,
    name: row.name_folded,
    reason: row.reason,
    count: row.count,
    firstSeenAt: row.first_seen_at,
    lastSeenAt: row.last_seen_at,
  }));
}
