import { type RawBuilder, type SqlBool, sql, type UpdateObject } from 'kysely';
import { addAttempt, type Deferral, type Failing } from '../../domain/failure.ts';
import type { DoneLink, LinkChange } from '../../domain/group.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import type { Refusal } from '../../domain/refusal.ts';
import { chunks } from '../engine/dialect.ts';
import { toAssignments } from '../engine/row-sql.ts';
import type { Schema } from '../schema.ts';
import type { Db } from '../store.ts';
import { LINK_TABLES, type LinkTable } from './links.ts';
import { lockedInOrder, toGroupsOf } from './shown.ts';

/** Makes every group due that has a waiting change of this user. */
export async function notifyGroupsOf(tx: Db, userId: UserId, now: number): Promise<GroupId[]> {
  const waiting = lockedInOrder(tx, toGroupsOf(userId, 'waiting'));
  const { rows } = await sql<{
    id: GroupId;
  }>`update resources set due_at = ${now}, steps = steps + 1
    where id in (${waiting}) returning id`.execute(tx);
  return rows.map(({ id }) => id);
}

/** Records that these changes hold now. A change that a later write replaced keeps waiting for that write. */
export async function saveDoneLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { changes, plannedVersion }: { changes: readonly DoneLink[]; plannedVersion: number },
): Promise<void> {
  const [put, found, gone]: [UserId[], UserId[], UserId[]] = [[], [], []];
  for (const { userId, wanted, heldAlready } of changes) {
    const isThere = heldAlready ? found : put;
    (wanted ? isThere : gone).push(userId);
  }
  const left =
    gone.length === 0 ? [] : await deleteDone(tx, { table, groupId, plannedVersion }, gone);
  for (const [userIds, observed, put_in] of [
    [put, 1, 1],
    [found, 1, 0],
    [left, 0, 0],
  ] as const) {
    const chosen = { table, groupId, userIds };
    await changeLinks(tx, chosen, {
      ...{ observed, put_in, retry_at: null, attempts: 0, stuck_at: null, problem: null },
      // Every write after the plan has a higher version, so this is the compare-and-set of each row.
      pending: sql`case when pending <= ${plannedVersion} then null else pending end`,
    });
  }
}

/** Links of some users in one list of a group, those of them that meet a condition. */
interface ChosenLinks {
  readonly table: LinkTable;
  readonly groupId: GroupId;
  readonly userIds: readonly UserId[];
  readonly where?: RawBuilder<SqlBool>;
}

/** Changes these links, a statement for some of them at a time. */
export async function changeLinks(
  tx: Db,
  { table, groupId, userIds, where = sql<SqlBool>`1 = 1` }: ChosenLinks,
  change: UpdateObject<Schema, LinkTable>,
): Promise<void> {
  for (const chunk of chunks(userIds)) {
    await sql`update ${sql.table(table)} set ${toAssignments(change)}
      where group_id = ${groupId} and user_id in (${sql.join(chunk)}) and ${where}`.execute(tx);
  }
}

/**
 * Forgets those of `userIds`, who are out of the group now, that are not wanted and that no later write waits for. Returns
 * the others.
 */
async function deleteDone(
  tx: Db,
  {
    table,
    groupId,
    plannedVersion,
  }: { table: LinkTable; groupId: GroupId; plannedVersion: number },
  userIds: readonly UserId[],
): Promise<UserId[]> {
  const left = new Set(userIds);
  for (const chunk of chunks(userIds)) {
    const { rows } = await sql<{ user_id: UserId }>`delete from ${sql.table(table)}
      where group_id = ${groupId} and user_id in (${sql.join(chunk)}) and desired = 0
      and (pending is null or pending <= ${plannedVersion}) returning user_id`.execute(tx);
    for (const { user_id } of rows) left.delete(user_id);
  }
  return [...left];
}

/** Makes the desired state of these users pending since `version`, where nothing is pending yet. */
export async function claimLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { userIds, version }: { userIds: readonly UserId[]; version: number },
): Promise<void> {
  const where = sql<SqlBool>`pending is null`;
  await changeLinks(tx, { table, groupId, userIds, where }, { pending: version });
}

/**
 * Makes what is wanted of these accounts pending since `version`, where nothing is pending yet. One that is in no row of
 * the list is to be out of it.
 */
export async function claimAccounts(
  tx: Db,
  name: LinkTable,
  groupId: GroupId,
  { accounts, version }: { accounts: readonly number[]; version: number },
): Promise<void> {
  const table = sql.table(name);
  for (const chunk of chunks(accounts)) {
    await sql`insert into ${table} (group_id, user_id, desired, observed, pending)
      select ${groupId}, id, 0, null, cast(${version} as bigint) from resources
        where type = 'user' and upstream_id in (${sql.join(chunk)}) and deleted_at is null
      on conflict (user_id, group_id) do update set pending = coalesce(${table}.pending, excluded.pending)
        where ${table}.desired is not null`.execute(tx);
  }
}

/** Puts refused changes off until `retryAt`. What was stuck before stays so since then. */
export async function postponeLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  { userIds, problem, now, retryAt }: Deferral & { readonly userIds: readonly UserId[] },
): Promise<void> {
  const change = { retry_at: retryAt, attempts: 0, problem: JSON.stringify(problem) };
  const stuck_at = sql<number>`coalesce(stuck_at, ${now})`;
  await changeLinks(tx, { table, groupId, userIds }, { ...change, stuck_at });
}

/** Failed attempt at changes of users. */
export interface FailedLinks extends Failing {
  readonly changes: readonly Pick<LinkChange, 'userId' | 'attempts'>[];
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
    const change = {
      attempts,
      retry_at: failing.toRetryAt(attempts),
      problem: JSON.stringify(problem),
    };
    await changeLinks(tx, { table, groupId, userIds: same.map(({ userId }) => userId) }, change);
  }
}

/** Changes that failed `attemptsMax` times are stuck, since `now` (epoch milliseconds) where they were not before. */
export async function markExhausted(
  tx: Db,
  groupId: GroupId,
  { attemptsMax, now }: { readonly attemptsMax: number; readonly now: number },
): Promise<void> {
  for (const table of LINK_TABLES) {
    await sql`update ${sql.table(table)} set stuck_at = ${now} where group_id = ${groupId}
      and pending is not null and stuck_at is null and attempts >= ${attemptsMax}`.execute(tx);
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
    const named = sql`select group_id from ${table}
      where user_id = ${userId} and (desired is null or desired = 1)`;
    const { rows } = await sql<{ id: GroupId }>`
      update resources set version = version + 1, modified_at = ${now}, due_at = ${now}, due_class = 0
      where origin is not null and deleted_at is null and id in (${lockedInOrder(tx, named)})
      returning id`.execute(tx);
    await sql`delete from ${table} where user_id = ${userId} and (
      (pending is null and (observed is null or observed = 0))
      or (select upstream_id from resources where id = ${userId}) is null)`.execute(tx);
    if (rows.length === 0) continue;
    const ids = sql.join(rows.map(({ id }) => id));
    await sql`update ${table} set desired = 0,
      pending = (select version from resources where resources.id = ${table}.group_id)
      where user_id = ${userId} and group_id in (${ids})`.execute(tx);
    for (const { id } of rows) left.add(id);
  }
  return [...left];
}

/** Ends the waiting of those of these accounts that are to leave the list. Returns their users. */
export async function stopLeaving(
  tx: Db,
  name: LinkTable,
  groupId: GroupId,
  accounts: readonly number[],
): Promise<UserId[]> {
  const stopped: UserId[] = [];
  const table = sql.table(name);
  for (const chunk of chunks(accounts)) {
    const { rows } = await sql<{ id: UserId }>`
      update ${table} set pending = null, observed = coalesce(observed, 1), retry_at = null, attempts = 0, stuck_at = null, problem = null
      where group_id = ${groupId} and pending is not null and (desired is null or desired = 0)
      and user_id in (select id from resources where type = 'user' and upstream_id in (${sql.join(chunk)}))
      returning user_id as id`.execute(tx);
    stopped.push(...rows.map(({ id }) => id));
  }
  return stopped;
}
