import { sql } from 'kysely';
import type { LinkChange, SettledLink } from '../../domain/group.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { addAttempt, type Deferral, type Failing, type Refusal } from '../../domain/stuck.ts';
import type { StuckLink } from '../engine/columns.ts';
import { parseStored } from '../engine/columns.ts';
import { chunks } from '../engine/dialect.ts';
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

interface WaitingRow {
  readonly list: LinkTable;
  readonly user_id: UserId;
  readonly upstream_id: number;
  readonly desired: number;
  readonly pending: number;
  readonly attempts: number;
  readonly stuck_at: number | null;
}

/**
 * The waiting changes of a group that can be made now: what was tried before after all others, removals first, then the
 * oldest. A user without an account, or one who is to be deactivated first, makes a change wait.
 */
export async function listWaitingLinks(
  db: Db,
  groupId: GroupId,
  { limit, now, inactiveWait }: WaitingQuery,
): Promise<WaitingLinks> {
  const select = (list: LinkTable) => sql`
    select ${sql.lit(list)} as list, link.user_id, listed.upstream_id, link.desired, link.pending,
      link.attempts, link.stuck_at, coalesce(link.retry_at, 0) as tried_at, link.seq
    from ${sql.table(list)} as link join users as listed on listed.id = link.user_id
    where link.group_id = ${groupId} and link.pending is not null and listed.upstream_id is not null
    and (link.retry_at is null or link.retry_at <= ${now})
    and (listed.deleted_at is null or listed.pending not like '%"active"%')
    ${inactiveWait ? sql`and (link.desired = 0 or listed.active = 1)` : sql``}`;
  const { rows } = await sql<WaitingRow>`
    select * from (${select('memberships')} union all ${select('group_admins')}) as waiting
    order by tried_at, desired, pending, seq limit ${limit}`.execute(db);
  const toChanges = (list: LinkTable) =>
    rows.flatMap((row) => (row.list === list ? [toChange(row)] : []));
  return { members: toChanges('memberships'), admins: toChanges('group_admins') };
}

function toChange(row: WaitingRow): LinkChange {
  return {
    userId: row.user_id,
    upstreamUserId: row.upstream_id,
    wanted: row.desired === 1,
    version: row.pending,
    ...(row.attempts === 0 ? {} : { attempts: row.attempts }),
    ...(row.stuck_at === null ? {} : { stuck: true }),
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

/** Sums up what waits in the lists of a group. What was to be tried before `now` (epoch milliseconds) waits for something else. */
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
  return {
    oldest: row?.oldest ?? undefined,
    nextRetryAt: row?.retry_at ?? undefined,
    removes: row?.desired === 0,
    stuck: since === undefined ? undefined : await findStuckLink(db, groupId, since),
    failed: row?.attempts ? await findFailedLink(db, groupId, row.attempts) : undefined,
  };
}

async function findFailedLink(db: Db, groupId: GroupId, attempts: number): Promise<FailedLink> {
  const select = (list: LinkTable) => sql`
    select problem from ${sql.table(list)}
    where group_id = ${groupId} and attempts = ${attempts} and pending is not null`;
  const { rows } = await sql<{ problem: string }>`
    ${select('memberships')} union all ${select('group_admins')} limit 1`.execute(db);
  return { attempts, problem: parseStored<Refusal>(rows[0]?.problem ?? 'null') };
}

/** Finds one of the changes that are refused since then, with the service's words. */
async function findStuckLink(db: Db, groupId: GroupId, since: number): Promise<StuckLink> {
  const select = (list: LinkTable) => sql`
    select problem from ${sql.table(list)}
    where group_id = ${groupId} and stuck_at = ${since} and pending is not null`;
  const { rows } = await sql<{ problem: string }>`
    ${select('memberships')} union all ${select('group_admins')} limit 1`.execute(db);
  return { since, problem: parseStored<Refusal>(rows[0]?.problem ?? 'null') };
}

/** Makes every group due that has a waiting change of this user. */
export async function notifyGroupsOf(tx: Db, userId: UserId, now: number): Promise<GroupId[]> {
  const notified = await tx
    .updateTable('groups')
    .set({ due_at: now })
    .where('id', 'in', (query) =>
      query
        .selectFrom('memberships')
        .select('group_id')
        .where('user_id', '=', userId)
        .where('pending', 'is not', null)
        .union(
          query
            .selectFrom('group_admins')
            .select('group_id')
            .where('user_id', '=', userId)
            .where('pending', 'is not', null),
        ),
    )
    .returning('id')
    .execute();
  return notified.map(({ id }) => id);
}

/** Records that these changes hold now. One that was overtaken by a later write keeps waiting for that. */
export async function settleLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { changes, plannedVersion }: { changes: readonly SettledLink[]; plannedVersion: number },
): Promise<void> {
  const put = changes.filter(({ wanted, heldAlready }) => wanted && !heldAlready);
  const found = changes.filter(({ wanted, heldAlready }) => wanted && heldAlready);
  const gone = changes.filter(({ wanted }) => !wanted).map(({ userId }) => userId);
  const write = { table, groupId, plannedVersion };
  await settle(tx, write, { userIds: toIds(put), observed: 1, putIn: 1 });
  await settle(tx, write, { userIds: toIds(found), observed: 1, putIn: 0 });
  await settle(tx, write, { userIds: gone, observed: 0, putIn: 0 });
  await deleteSettled(tx, table, groupId, gone);
}

function toIds(changes: readonly LinkChange[]): UserId[] {
  return changes.map(({ userId }) => userId);
}

async function settle(
  tx: Db,
  {
    table,
    groupId,
    plannedVersion,
  }: { table: LinkTable; groupId: GroupId; plannedVersion: number },
  { userIds, observed, putIn }: { userIds: readonly UserId[]; observed: number; putIn: number },
): Promise<void> {
  for (const chunk of chunks(userIds)) {
    // Every write after the plan has a higher version, so this is the compare-and-set of each row.
    await tx
      .updateTable(table)
      .set({
        observed,
        put_in: putIn,
        retry_at: null,
        attempts: 0,
        stuck_at: null,
        problem: null,
        pending: sql`case when pending <= ${plannedVersion} then null else pending end`,
      })
      .where('group_id', '=', groupId)
      .where('user_id', 'in', chunk)
      .execute();
  }
}

/** Forgets those of `userIds` that are not desired, not in the service and not pending. */
async function deleteSettled(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  userIds: readonly UserId[],
): Promise<void> {
  for (const chunk of chunks(userIds)) {
    await tx
      .deleteFrom(table)
      .where('group_id', '=', groupId)
      .where('user_id', 'in', chunk)
      .where('desired', '=', 0)
      .where('pending', 'is', null)
      .execute();
  }
}

/** Makes the desired state of these users pending since `version`, where nothing is pending yet. */
export async function claimLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { userIds, version }: { userIds: readonly UserId[]; version: number },
): Promise<void> {
  for (const chunk of chunks(userIds)) {
    await tx
      .updateTable(table)
      .set({ pending: version })
      .where('group_id', '=', groupId)
      .where('user_id', 'in', chunk)
      .where('pending', 'is', null)
      .execute();
  }
}

/** Puts refused changes off until `retryAt`. What was stuck before stays so since then. */
export async function postponeLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { userIds, problem, now, retryAt }: Deferral & { readonly userIds: readonly UserId[] },
): Promise<void> {
  const text = JSON.stringify(problem);
  for (const chunk of chunks(userIds)) {
    await tx
      .updateTable(table)
      .set((set) => ({
        retry_at: retryAt,
        attempts: 0,
        problem: text,
        stuck_at: set.fn.coalesce('stuck_at', set.val(now)),
      }))
      .where('group_id', '=', groupId)
      .where('user_id', 'in', chunk)
      .execute();
  }
}

/** One more attempt at changes of users that failed. */
export interface FailedLinks extends Failing {
  readonly changes: readonly LinkChange[];
  readonly problem: Refusal;
}

/** Counts a failed attempt at each of these changes, and puts them off. */
export async function failLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { changes, problem, ...failing }: FailedLinks,
): Promise<void> {
  const byAttempts = Map.groupBy(changes, (change) => addAttempt(change.attempts ?? 0, failing));
  for (const [attempts, same] of byAttempts) {
    for (const chunk of chunks(toIds(same))) {
      await tx
        .updateTable(table)
        .set({
          attempts,
          retry_at: failing.toRetryAt(attempts),
          problem: JSON.stringify(problem),
        })
        .where('group_id', '=', groupId)
        .where('user_id', 'in', chunk)
        .execute();
    }
  }
}

/** Changes that failed `attemptsMax` times are stuck, since `now` (epoch milliseconds) where they were not before. */
export async function markExhausted(
  tx: Db,
  groupId: GroupId,
  { attemptsMax, now }: { readonly attemptsMax: number; readonly now: number },
): Promise<void> {
  for (const table of LINK_TABLES) {
    await tx
      .updateTable(table)
      .set({ stuck_at: now })
      .where('group_id', '=', groupId)
      .where('pending', 'is not', null)
      .where('stuck_at', 'is', null)
      .where('attempts', '>=', attemptsMax)
      .execute();
  }
}

/**
 * Removes a deleted user from every managed group and admin list, and forgets links that the service does not hold: a
 * user without an account is in none. Unmanaged groups are never written. Returns the groups that are due now. `now` is
 * epoch milliseconds.
 */
export async function leaveGroups(tx: Db, userId: UserId, now: number): Promise<GroupId[]> {
  const left = new Set<GroupId>();
  for (const name of LINK_TABLES) {
    const table = sql.table(name);
    const managed = sql`select id from groups where origin is not null and deleted_at is null and id in (
      select group_id from ${table} where user_id = ${userId} and (desired is null or desired = 1))`;
    const { rows } = await sql<{ id: GroupId }>`
      update groups set version = version + 1, modified_at = ${now}, due_at = ${now}, due_class = 0
      where id in (${managed}) returning id`.execute(tx);
    await sql`delete from ${table} where user_id = ${userId} and (
      (pending is null and (observed is null or observed = 0))
      or (select upstream_id from users where id = ${userId}) is null)`.execute(tx);
    if (rows.length === 0) continue;
    const ids = sql.join(rows.map(({ id }) => id));
    await sql`update ${table} set desired = 0,
      pending = (select version from groups where groups.id = ${table}.group_id)
      where user_id = ${userId} and group_id in (${ids})`.execute(tx);
    for (const { id } of rows) left.add(id);
  }
  return [...left];
}

/** Makes the desired state of these users pending again since `version`, because what was seen of them may be over. */
export async function distrustLinks(
  tx: Db,
  groupId: GroupId,
  { members, admins, version }: { members: UserId[]; admins: UserId[]; version: number },
): Promise<void> {
  for (const [table, userIds] of [
    ['memberships', members],
    ['group_admins', admins],
  ] as const) {
    for (const chunk of chunks(userIds)) {
      await tx
        .updateTable(table)
        .set((set) => ({ pending: set.fn.coalesce('pending', set.val(version)) }))
        .where('group_id', '=', groupId)
        .where('user_id', 'in', chunk)
        .where('desired', 'is not', null)
        .execute();
    }
  }
}
