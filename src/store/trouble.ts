import { type RawBuilder, sql } from 'kysely';
import type { Db } from './database.ts';
import { parseStored } from './documents.ts';
import { IS_FAILING } from './lanes.ts';

/** A resource whose change the service does not take: refused, or tried again and again in vain. */
export interface TroubledResource {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The service's words and their code. */
  readonly problem: { readonly code: string; readonly words: string };
  /** Since when it is stuck, or since when the change waits; epoch milliseconds. */
  readonly since: number;
  /** When it is tried again, epoch milliseconds. */
  readonly nextAttemptAt: number | null;
}

interface TroubledRow {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  readonly last_error: string | null;
  readonly since: number;
  readonly due_at: number | null;
}

/** What was acknowledged and then refused, the longest first. */
export async function listStuck(db: Db, limit: number): Promise<TroubledResource[]> {
  return list(db, limit, { since: sql.ref('stuck_at'), where: sql`stuck_at is not null` });
}

/** What is tried again and again in vain, the longest first; what is stuck is not among it. */
export async function listFailing(db: Db, limit: number): Promise<TroubledResource[]> {
  const where = sql`due_at is not null and ${IS_FAILING}`;
  return list(db, limit, { since: sql.ref('modified_at'), where });
}

async function list(
  db: Db,
  limit: number,
  { since, where }: { since: RawBuilder<unknown>; where: RawBuilder<unknown> },
): Promise<TroubledResource[]> {
  const { rows } = await sql<TroubledRow>`
    select * from (
      select 'user' as type, id, user_name as name, last_error, ${since} as since, due_at
      from users where ${where}
      union all
      select 'group' as type, id, display_name as name, last_error, ${since} as since, due_at
      from groups where ${where}
    ) as troubled order by since, id limit ${limit}`.execute(db);
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
