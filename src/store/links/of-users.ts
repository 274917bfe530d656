import { type RawBuilder, sql } from 'kysely';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { forUpdate, isPostgres, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { GroupKey } from './links.ts';

function toSeq(userId: string): RawBuilder<number> {
  return sql<number>`(select seq from resources where id = ${userId})`;
}

/** SQL of the groups that name this user; of those `waiting`, the groups with a waiting change of the user. */
function toGroupsOf(userId: string, which: 'all' | 'waiting'): RawBuilder<unknown> {
  const some = which === 'waiting' ? sql`and pending is not null` : sql``;
  return sql`select group_id from links where target = ${toSeq(userId)} ${some}`;
}

/** SQL of the groups that a query names by their numbers, each locked in the order of all until the transaction ends. */
export function lockedInOrder(tx: Db, named: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`select seq from resources where seq in (${named}) order by seq ${forUpdate(tx)}`;
}

/**
 * Locks the groups that name this user until the transaction ends; of those `waiting`, the groups with a waiting change of
 * the user. A transaction that writes both locks groups first, in their order, and then users, so that none deadlock.
 */
export async function lockGroupsOf(
  tx: Db,
  userId: UserId,
  which: 'all' | 'waiting',
): Promise<void> {
  if (isPostgres(tx)) await lockedInOrder(tx, toGroupsOf(userId, which)).execute(tx);
}

/**
 * Gives every group that shows this user a new version, after the name that it shows or the user's existence has
 * changed. `now` is epoch milliseconds.
 */
export async function touchGroupsOf(tx: Db, userId: string, now: number): Promise<void> {
  await sql`update resources set version = version + 1,
      modified_at = case when modified_at > ${now} then modified_at else ${now} end
    where seq in (${lockedInOrder(tx, toGroupsOf(userId, 'all'))})`.execute(tx);
}

/** Makes every group due that has a waiting change of this user. */
export async function notifyGroupsOf(tx: Db, userId: UserId, now: number): Promise<GroupId[]> {
  const waiting = lockedInOrder(tx, toGroupsOf(userId, 'waiting'));
  const rows = await select<{
    id: GroupId;
  }>(tx)`update resources set due_at = ${now}, steps = steps + 1
    where seq in (${waiting}) returning id`;
  return rows.map(({ id }) => id);
}

const GROUP_VERSION = sql`(select version from resources where resources.seq = links.group_id)`;

/**
 * Removes a deleted user from every list of every managed group, and forgets links that the service does not hold: a
 * user without an account is in none. Unmanaged groups are never written. Returns the groups that are due now. `now` is
 * epoch milliseconds.
 */
export async function leaveGroups(tx: Db, userId: UserId, now: number): Promise<GroupId[]> {
  const isTheirs = sql`target = ${toSeq(userId)}`;
  const named = sql`select group_id from links where ${isTheirs} and (desired is null or desired = 1)`;
  const rows = await select<{ id: GroupId; seq: number }>(tx)`
    update resources set version = version + 1, modified_at = ${now}, due_at = ${now}, due_class = 0
    where origin is not null and deleted_at is null and seq in (${lockedInOrder(tx, named)})
    returning id, seq`;
  await sql`delete from links where ${isTheirs} and (
    (pending is null and (observed is null or observed = 0))
    or (select upstream_id from resources where id = ${userId}) is null)`.execute(tx);
  if (rows.length === 0) return [];
  await sql`update links set desired = 0, pending = ${GROUP_VERSION}
    where ${isTheirs} and group_id in (${sql.join(rows.map(({ seq }) => seq))})`.execute(tx);
  return rows.map(({ id }) => id);
}

/**
 * Ends what is known of the links of a user: the account is gone (`observed` 0), or has another id by now (null: unknown).
 * What a provider or rule decided waits to be sent again; links that nobody decided about are forgotten.
 */
export async function resetLinksOf(tx: Db, userId: UserId, observed: 0 | null): Promise<void> {
  const isTheirs = sql`target = ${toSeq(userId)}`;
  const isUnwanted = observed === 0 ? sql`or desired = 0` : sql``;
  await sql`delete from links where ${isTheirs} and (desired is null ${isUnwanted})`.execute(tx);
  await sql`update links set observed = ${observed}, sent = null, pending = coalesce(pending, ${GROUP_VERSION}),
      retry_at = null, attempts = 0
    where ${isTheirs} and (desired = 1 or observed = 1 or pending is not null)`.execute(tx);
}

/** The columns of links with what they are moved from, and with the others. */
const ENDS = { user: ['target', 'group_id'], group: ['group_id', 'target'] } as const;

/**
 * Moves the links of one user to another, or of one group. Where both have a link, the one of the other keeps what it wants,
 * and sees what was seen.
 */
export async function moveLinks(
  tx: Db,
  type: keyof typeof ENDS,
  { seq: from }: GroupKey,
  { seq: to }: GroupKey,
): Promise<void> {
  const [column, other] = ENDS[type].map((end) => sql.ref(end));
  const listOf = (end: number) => sql`(list, ${other}) in (
    select list, ${other} from links where ${column} = ${end})`;
  await sql`update links set observed = (select old.observed from links as old
      where old.${column} = ${from} and old.list = links.list and old.${other} = links.${other})
    where ${column} = ${to} and ${listOf(from)}`.execute(tx);
  await sql`delete from links where ${column} = ${from} and ${listOf(to)}`.execute(tx);
  await sql`update links set ${column} = ${to} where ${column} = ${from}`.execute(tx);
}
