import { type RawBuilder, sql } from 'kysely';
import type { LinkChange } from '../../domain/group.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { isNotApplied, type Refusal } from '../../domain/refusal.ts';
import { parseStored, type StuckLink, waits } from '../engine/columns.ts';
import type { Db } from '../store.ts';
import { LINK_TABLES, type LinkTable } from './links.ts';

/** Selection of waiting changes. */
export interface WaitingQuery {
  readonly limit: number;
  /** Epoch milliseconds: what was refused waits until its time. */
  readonly now: number;
  /** True when the service refuses inactive users as members: their additions wait. */
  readonly inactiveWait: boolean;
}

/** The waiting changes of both lists of a group. */
export interface WaitingLinks {
  readonly members: LinkChange[];
  readonly admins: LinkChange[];
}

/** Lists of which nothing waits. */
export const NO_LINKS: WaitingLinks = { members: [], admins: [] };

interface WaitingRow {
  readonly list: LinkTable;
  readonly user_id: UserId;
  readonly upstream_id: number;
  readonly desired: number;
  readonly pending: number;
  readonly attempts: number;
  readonly stuck_at: number | null;
  readonly problem: string | null;
}

/**
 * Waiting changes of a group that can be made now: failed ones after all others, removals first, then the oldest. A
 * user without an account, or one who is to be deactivated first, makes a change wait.
 */
export async function listWaitingLinks(
  db: Db,
  groupId: GroupId,
  { limit, now, inactiveWait }: WaitingQuery,
): Promise<WaitingLinks> {
  const select = (list: LinkTable) => sql`
    select ${sql.lit(list)} as list, link.user_id, listed.upstream_id, link.desired, link.pending,
      link.attempts, link.stuck_at, link.problem, coalesce(link.retry_at, 0) as tried_at, link.seq
    from ${sql.table(list)} as link join resources as listed on listed.id = link.user_id
    where link.group_id = ${groupId} and link.pending is not null and listed.upstream_id is not null
    and (link.retry_at is null or link.retry_at <= ${now})
    and (listed.deleted_at is null or not ${waits('listed.cells', 'active')})
    ${inactiveWait ? sql`and (link.desired = 0 or listed.active = 1)` : sql``}`;
  const { rows } = await sql<WaitingRow>`
    select * from (${select('memberships')} union all ${select('group_admins')}) as waiting
    order by tried_at, desired, pending, seq limit ${limit}`.execute(db);
  const toChanges = (list: LinkTable) =>
    rows.flatMap((row) => (row.list === list ? [toChange(row)] : []));
  return { members: toChanges('memberships'), admins: toChanges('group_admins') };
}

function toChange(row: WaitingRow): LinkChange {
  const problem = row.problem === null ? undefined : parseStored<Refusal>(row.problem);
  return {
    userId: row.user_id,
    upstreamUserId: row.upstream_id,
    wanted: row.desired === 1,
    version: row.pending,
    ...(row.attempts === 0 ? {} : { attempts: row.attempts }),
    ...(row.stuck_at === null ? {} : { stuck: true }),
    ...(isNotApplied(problem) ? { ignored: true } : {}),
  };
}

/** Waiting changes of a group in sum, also those that rest. */
export interface WaitingSummary {
  /** The oldest waiting version; undefined: nothing waits. */
  readonly oldest: number | undefined;
  /** Time of the next attempt of a resting change (epoch milliseconds). */
  readonly nextRetryAt: number | undefined;
  /** True when a removal waits. */
  readonly removes: boolean;
  /** The oldest of the refused changes. */
  readonly stuck: StuckLink | undefined;
  /** The change that failed most often by its own fault. */
  readonly failed: FailedLink | undefined;
}

/** Lists of which nothing waits, in sum. */
export const NOTHING_WAITING: WaitingSummary = {
  oldest: undefined,
  nextRetryAt: undefined,
  removes: false,
  stuck: undefined,
  failed: undefined,
};

/** A change that failed by its own fault. */
interface FailedLink {
  readonly attempts: number;
  readonly problem: Refusal;
}

interface WaitingTotals {
  readonly oldest: number | null;
  readonly retry_at: number | null;
  readonly stuck_at: number | null;
  readonly desired: number | null;
  readonly attempts: number | null;
}

/**
 * Sums up the waiting changes of a group. A change that was to be tried before `now` (epoch milliseconds) waits for
 * another one.
 */
export async function readWaiting(db: Db, groupId: GroupId, now = 0): Promise<WaitingSummary> {
  const select = (list: LinkTable) => sql`
    select pending, case when retry_at > ${now} then retry_at end as retry_at, stuck_at, desired, attempts from ${sql.table(list)}
    where group_id = ${groupId} and pending is not null`;
  const { rows } = await sql<WaitingTotals>`
    select min(pending) as oldest, min(retry_at) as retry_at, min(stuck_at) as stuck_at, min(desired) as desired,
      max(attempts) as attempts
    from (${select('memberships')} union all ${select('group_admins')}) as waiting`.execute(db);
  const [row] = rows;
  const since = row?.stuck_at ?? undefined;
  const attempts = row?.attempts;
  /** The service's words about one of the waiting changes. */
  const findProblem = async (which: RawBuilder<unknown>) => {
    const of = (list: LinkTable) => sql`select problem from ${sql.table(list)}
      where group_id = ${groupId} and ${which} and pending is not null`;
    const found = await sql<{ problem: string }>`
      ${of('memberships')} union all ${of('group_admins')} limit 1`.execute(db);
    return parseStored<Refusal>(found.rows[0]?.problem ?? 'null');
  };
  return {
    oldest: row?.oldest ?? undefined,
    nextRetryAt: row?.retry_at ?? undefined,
    removes: row?.desired === 0,
    stuck:
      since === undefined
        ? undefined
        : { since, problem: await findProblem(sql`stuck_at = ${since}`) },
    failed: attempts
      ? { attempts, problem: await findProblem(sql`attempts = ${attempts}`) }
      : undefined,
  };
}

/** True when a member or admin of the group waits for the service. */
export async function hasWaitingLinks(db: Db, id: GroupId): Promise<boolean> {
  for (const table of LINK_TABLES) {
    const links = db.selectFrom(table).select('user_id').where('group_id', '=', id);
    if ((await links.where('pending', 'is not', null).limit(1).execute()).length > 0) return true;
  }
  return false;
}

/** True when a rule wants an admin of the group, or an inner group a member. */
export async function hasRuledLinks(db: Db, id: GroupId): Promise<boolean> {
  for (const table of LINK_TABLES) {
    const links = db.selectFrom(table).select('user_id').where('group_id', '=', id);
    if ((await links.where('by_rule', '!=', 0).limit(1).execute()).length > 0) return true;
  }
  return false;
}
