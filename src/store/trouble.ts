import { sql } from 'kysely';
import { isStuck, type Refusal, type StuckField } from '../domain/stuck.ts';
import { IS_FAILING, WAITS_SINCE } from './backlog.ts';
import type { Db } from './database.ts';
import { parseStored } from './documents.ts';
import type { LinkTable } from './links.ts';

/** A resource whose change the service does not take, although it is tried again and again. */
export interface TroubledResource {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The service's words and their code. */
  readonly problem: { readonly code: string; readonly words: string };
  /** Since when the change waits; epoch milliseconds. */
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

/** What is tried again and again in vain, the longest first; what is stuck is not among it. */
export async function listFailing(db: Db, limit: number): Promise<TroubledResource[]> {
  const where = sql`due_at is not null and ${IS_FAILING}`;
  const { rows } = await sql<TroubledRow>`
    select * from (
      select 'user' as type, id, user_name as name, last_error, ${WAITS_SINCE} as since, due_at
      from users where ${where}
      union all
      select 'group' as type, id, display_name as name, last_error, ${WAITS_SINCE} as since, due_at
      from groups where ${where}
    ) as troubled order by since, id limit ${limit}`.execute(db);
  return rows.map(({ last_error, due_at, ...row }) => ({
    ...row,
    problem: parseStored(last_error ?? '{"code":"unknown","words":""}'),
    nextAttemptAt: due_at,
  }));
}

/** One thing that was acknowledged and that the service refuses: a field, or one person in a list of a group. */
export interface StuckPart {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  /** The field of the person or group; `members` or `admins` for a person in a list. */
  readonly field: string;
  /** The SCIM id of the person in the list. */
  readonly person?: string;
  /** The service's words and their code. */
  readonly problem: Refusal;
  /** Epoch milliseconds. */
  readonly since: number;
  /** When it is tried again, epoch milliseconds; null: as soon as it can be. */
  readonly nextAttemptAt: number | null;
}

interface StuckRow {
  readonly type: 'user' | 'group';
  readonly id: string;
  readonly name: string;
  readonly stuck: string;
}

interface StuckLinkRow {
  readonly id: string;
  readonly name: string;
  readonly field: string;
  readonly person: string;
  readonly problem: string;
  readonly since: number;
  readonly retry_at: number | null;
}

/** What is stuck, the longest first. */
export async function listStuck(db: Db, limit: number): Promise<StuckPart[]> {
  const parts = [...(await listStuckFields(db, limit)), ...(await listStuckLinks(db, limit))];
  return parts
    .toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : Number(a.id > b.id)))
    .slice(0, limit);
}

async function listStuckFields(db: Db, limit: number): Promise<StuckPart[]> {
  const { rows } = await sql<StuckRow>`
    select * from (
      select 'user' as type, id, user_name as name, stuck, stuck_at from users where stuck_at is not null
      union all
      select 'group' as type, id, display_name as name, stuck, stuck_at from groups where stuck_at is not null
    ) as stuck order by stuck_at, id limit ${limit}`.execute(db);
  return rows.flatMap(({ type, id, name, stuck }) =>
    Object.entries(parseStored<Record<string, StuckField>>(stuck)).flatMap(([field, one]) =>
      isStuck(one)
        ? [
            {
              ...{ type, id, name, field, problem: one.problem, since: one.since },
              nextAttemptAt: one.retryAt,
            },
          ]
        : [],
    ),
  );
}

async function listStuckLinks(db: Db, limit: number): Promise<StuckPart[]> {
  const select = (table: LinkTable, field: string) => sql`
    select ${sql.lit(field)} as field, link.group_id as id, home.display_name as name,
      link.user_id as person, link.problem, link.stuck_at as since, link.retry_at
    from ${sql.table(table)} as link join groups as home on home.id = link.group_id
    where link.stuck_at is not null`;
  const { rows } = await sql<StuckLinkRow>`
    select * from (${select('memberships', 'members')} union all ${select('group_admins', 'admins')}) as stuck
    order by since, id, person limit ${limit}`.execute(db);
  return rows.map(({ retry_at, problem, ...row }) => ({
    type: 'group',
    ...row,
    problem: parseStored<Refusal>(problem),
    nextAttemptAt: retry_at,
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
