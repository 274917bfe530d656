import { type RawBuilder, sql } from 'kysely';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { forUpdate, isPostgres } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import { readAllLinks } from './links.ts';

/** Members that one statement reads, so that it does not hold the event loop for long. */
const MEMBERS_AT_ONCE = 2_000;

/**
 * Gives every group that shows this user a new version, after the name that it shows or the user's existence has
 * changed. `now` is epoch milliseconds.
 */
export async function touchGroupsOf(tx: Db, userId: string, now: number): Promise<void> {
  await sql`update resources set version = version + 1,
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
export function toGroupsOf(userId: string, which: 'all' | 'waiting' = 'all'): RawBuilder<unknown> {
  const some = which === 'waiting' ? sql`and pending is not null` : sql``;
  return sql`select group_id from memberships where user_id = ${userId} ${some}
    union select group_id from group_admins where user_id = ${userId} ${some}`;
}

/** SQL of the groups that a query names, each locked in the order of all until the transaction ends. */
export function lockedInOrder(tx: Db, named: RawBuilder<unknown>): RawBuilder<{ id: GroupId }> {
  return sql`select id from resources where id in (${named}) order by seq ${forUpdate(tx)}`;
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

/** Some of the members of a group as JSON text, joined by commas, in order of joining. */
export interface MembersPart {
  readonly items: string;
  /** Place behind which the next part begins; undefined: this is the last one. */
  readonly next: number | undefined;
}

/**
 * Reads the members of a group behind a place, some thousands at a time, so that no group is too large for the memory.
 * Written by the database, which is quickest: a page of a list has thousands of them. A user is a member when that is
 * wanted or, where no provider named the user, seen; one whom only inner groups want is not shown. The links are counted
 * before they are looked at, and names are looked up one by one: PostgreSQL would guess how many of the links are shown,
 * mostly far too few, and sort the whole group, or join all users, for each part.
 * @param usersUrl where users are: what `$ref` is before a slash and the id
 */
export async function readMembers(
  db: Db,
  id: GroupId,
  { after, usersUrl }: { readonly after: number; readonly usersUrl: string },
): Promise<MembersPart> {
  // Ids are digits of ours, so only the name needs quoting.
  const name = isPostgres(db) ? sql`to_json(p.name)::text` : sql`json_quote(p.name)`;
  const ref = sql.lit(`","$ref":"${usersUrl}/`);
  const entry = sql`'{"value":"' || p.id || ${ref} || p.id || '","display":' || ${name} || ',"type":"User"}'`;
  const { rows } = await sql<{ items: string | null; last: number | null; count: number }>`
    select string_agg(${entry}, ',' order by p.seq) filter (where p.name is not null) as items,
      max(p.seq) as last, count(*) as count
    from (select m.seq, m.user_id as id, case when coalesce(m.desired, m.observed) = 1 and m.by_rule = 0 then
        (select u.name from resources as u where u.id = m.user_id and u.deleted_at is null) end as name
      from memberships as m where m.group_id = ${id} and m.seq > ${after}
      order by m.seq limit ${MEMBERS_AT_ONCE}) as p`.execute(db);
  const { items = null, last = null, count = 0 } = rows[0] ?? {};
  const isLast = last === null || Number(count) < MEMBERS_AT_ONCE;
  return { items: items ?? '', next: isLast ? undefined : Number(last) };
}
