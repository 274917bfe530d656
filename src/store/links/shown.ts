import { type RawBuilder, sql } from 'kysely';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { chunks, forUpdate, isPostgres } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { readAllLinks } from './links.ts';

/** Members that one statement reads, so that it does not hold the event loop for long. */
const MEMBERS_AT_ONCE = 2_000;

/**
 * Gives every group that shows this user a new version, after the name that it shows or the user's existence has
 * changed. `now` is epoch milliseconds.
 */
export async function touchGroupsOf(tx: Db, userId: UserId, now: number): Promise<void> {
  await sql`update groups set version = version + 1,
      modified_at = case when modified_at > ${now} then modified_at else ${now} end
    where id in (${lockedInOrder(tx, toGroupsOf(userId))})`.execute(tx);
}

/**
 * Locks the groups that name this user until the transaction ends; of those `waiting`, the groups with a waiting change of
 * the user. Whoever writes both locks groups first, in their order, and then users: nobody waits for somebody who waits.
 */
export async function lockGroupsOf(
  tx: Db,
  userId: UserId,
  which: 'all' | 'waiting',
): Promise<void> {
  if (!isPostgres(tx)) return;
  await lockedInOrder(tx, toGroupsOf(userId, which)).execute(tx);
}

/** SQL of the groups that name this user; of those `waiting`, the groups with a waiting change of the user. */
export function toGroupsOf(userId: UserId, which: 'all' | 'waiting' = 'all'): RawBuilder<unknown> {
  const some = which === 'waiting' ? sql`and pending is not null` : sql``;
  return sql`select group_id from memberships where user_id = ${userId} ${some}
    union select group_id from group_admins where user_id = ${userId} ${some}`;
}

/** SQL of the groups that a query names, each locked in the order of all until the transaction ends. */
export function lockedInOrder(tx: Db, named: RawBuilder<unknown>): RawBuilder<{ id: GroupId }> {
  return sql`select id from groups where id in (${named}) order by seq ${forUpdate(tx)}`;
}

/** Lists users who are or were linked to a group. */
export async function listLinkedUsers(db: Db, groupId: GroupId): Promise<UserId[]> {
  const links = db
    .selectFrom('memberships')
    .select(['user_id', 'seq'])
    .where('group_id', '=', groupId)
    .orderBy('seq');
  const rows = await readAllLinks(({ afterSeq, limit }) =>
    links.where('seq', '>', afterSeq).limit(limit).execute(),
  );
  return rows.map(({ user_id }) => user_id);
}

/**
 * Lists the members of these groups as JSON text, by group, in order of joining. Written by the database, because a
 * page of a list has thousands of them, so many at once. A user is a member when that is wanted or, where no provider
 * named the user, seen.
 * @param usersUrl where users are: what `$ref` is before a slash and the id
 */
export async function readMembersOfGroups(
  db: Db,
  ids: readonly GroupId[],
  usersUrl: string,
): Promise<Map<string, string>> {
  const byGroup = new Map<string, string>();
  for (const chunk of chunks(ids)) {
    for (let last = 0, isMore = true; isMore; ) {
      const condition = sql`m.group_id in (${sql.join(chunk)}) and m.seq > ${last}`;
      const parts = await readMembers(db, usersUrl, condition);
      for (const { group_id: id, items } of parts) {
        if (items === null) continue;
        const before = byGroup.get(id);
        byGroup.set(id, before === undefined ? items : `${before},${items}`);
      }
      last = parts.reduce((max, part) => Math.max(max, Number(part.last)), last);
      isMore = parts.reduce((sum, { count }) => sum + Number(count), 0) === MEMBERS_AT_ONCE;
    }
  }
  return byGroup;
}

/** Numbers of stored links to members of these groups: at least as many as are shown. */
export async function countMembersOfGroups(
  db: Db,
  ids: readonly GroupId[],
): Promise<Map<GroupId, number>> {
  const counts = new Map<GroupId, number>();
  for (const chunk of chunks(ids)) {
    const { rows } = await sql<{ group_id: GroupId; count: number }>`
      select group_id, count(*) as count from memberships
      where group_id in (${sql.join(chunk)}) group by group_id`.execute(db);
    for (const { group_id: id, count } of rows) counts.set(id, Number(count));
  }
  return counts;
}

/**
 * The members of one group as JSON text in order of joining, joined by commas, some thousands at a time, so that no
 * group is too large for the memory. Members who join meanwhile may be missing.
 * @param usersUrl as in `readMembersOfGroups`
 */
export async function* streamMembers(
  db: Db,
  id: GroupId,
  usersUrl: string,
): AsyncGenerator<string> {
  for (let last = 0, isMore = true; isMore; ) {
    const condition = sql`m.group_id = ${id} and m.seq > ${last}`;
    const [part] = await readMembers(db, usersUrl, condition);
    if (part?.items) yield part.items;
    last = Number(part?.last ?? last);
    isMore = Number(part?.count ?? 0) === MEMBERS_AT_ONCE;
  }
}

/** The next links of one group. */
interface MembersPart {
  readonly group_id: string;
  /** null: none of the links is shown. */
  readonly items: string | null;
  readonly last: number;
  /** Also of links that are not shown. */
  readonly count: number;
}

/**
 * The next members of the groups that the condition names, written by the database, which is quickest. The links are
 * counted before they are looked at, and names are looked up one by one: PostgreSQL would guess how many of the links
 * are shown, mostly far too few, and sort the whole group, or join all users, for each page.
 */
async function readMembers(
  db: Db,
  usersUrl: string,
  condition: RawBuilder<unknown>,
): Promise<MembersPart[]> {
  // Ids are digits of ours, so only the name needs quoting.
  const name = isPostgres(db) ? sql`to_json(p.user_name)::text` : sql`json_quote(p.user_name)`;
  const ref = sql.lit(`","$ref":"${usersUrl}/`);
  const entry = sql`'{"value":"' || p.id || ${ref} || p.id || '","display":' || ${name} || ',"type":"User"}'`;
  const { rows } = await sql<MembersPart>`
    select p.group_id, string_agg(${entry}, ',' order by p.seq) filter (where p.user_name is not null) as items,
      max(p.seq) as last, count(*) as count
    from (select m.group_id, m.seq, m.user_id as id, case when coalesce(m.desired, m.observed) = 1 then
        (select u.user_name from users as u where u.id = m.user_id and u.deleted_at is null) end as user_name
      from memberships as m where ${condition}
      order by m.seq limit ${MEMBERS_AT_ONCE}) as p
    group by p.group_id`.execute(db);
  return rows;
}
