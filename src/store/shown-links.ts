import { type RawBuilder, sql } from 'kysely';
import type { GroupId, UserId } from '../domain/ids.ts';
import { chunks } from './chunks.ts';
import { isPostgres } from './dialect.ts';
import type { Db, Store } from './store.ts';

/** People brought up to date in one transaction, so that nobody waits for long. */
const TOUCH_ALL_CHUNK = 250;

/** People brought up to date in one statement, which must not hold the event loop for long. */
const TOUCH_CHUNK = 100;

/** Members that one statement reads. */
const MEMBERS_AT_ONCE = 5_000;

/**
 * Writes what these people's answers say of their groups, after any of it may have changed: who is in a
 * group, what it is called, whether it is there. Where the answer differs that is another version of it,
 * elsewhere nothing. `now` is epoch milliseconds.
 */
export async function touchUsers(tx: Db, userIds: readonly UserId[], now: number): Promise<void> {
  const entry = toEntry(tx, {
    id: sql.ref('g.id'),
    display: sql.ref('g.display_name'),
    ref: '../Groups/',
    type: 'direct',
  });
  for (const chunk of chunks(userIds, TOUCH_CHUNK)) {
    await sql`update users set version = version + 1, modified_at = case when modified_at > ${now} then modified_at else ${now} end,
      shown_groups = fresh.items
      from (select u.id, coalesce((
          select string_agg(${entry}, ',' order by g.seq)
          from memberships as m join groups as g on g.id = m.group_id
          where m.user_id = u.id and coalesce(m.desired, m.observed) = 1 and g.deleted_at is null), '') as items
        from users as u where u.id in (${sql.join(chunk)})) as fresh
      where users.id = fresh.id and users.shown_groups <> fresh.items`.execute(tx);
  }
}

/**
 * Gives every group that shows this user a new version, after the name that it shows or the user's existence has
 * changed. `now` is epoch milliseconds.
 */
export async function touchGroupsOf(tx: Db, userId: UserId, now: number): Promise<void> {
  await sql`update groups set version = version + 1,
      modified_at = case when modified_at > ${now} then modified_at else ${now} end
    where id in (select group_id from memberships where user_id = ${userId}
      union select group_id from group_admins where user_id = ${userId})`.execute(tx);
}

/** `touchUsers` for everybody, a chunk a transaction, after many groups were read. */
export async function touchAllUsers(store: Store, now: number): Promise<void> {
  for (let afterSeq = 0; ; ) {
    const rows = await store.read
      .selectFrom('users')
      .select(['id', 'seq'])
      .where('seq', '>', afterSeq)
      .orderBy('seq')
      .limit(TOUCH_ALL_CHUNK)
      .execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    const ids = rows.map(({ id }) => id);
    await store.write((tx) => touchUsers(tx, ids, now));
    afterSeq = last.seq;
  }
}

/** `touchUsers` for everybody who is or was linked to a group. */
export async function touchMembers(tx: Db, groupId: GroupId, now: number): Promise<void> {
  await touchUsers(tx, await listLinkedUsers(tx, groupId), now);
}

/** Everybody who is or was linked to a group, to be touched after the links are gone. */
export async function listLinkedUsers(db: Db, groupId: GroupId): Promise<UserId[]> {
  const rows = await db
    .selectFrom('memberships')
    .select('user_id')
    .where('group_id', '=', groupId)
    .execute();
  return rows.map(({ user_id }) => user_id);
}

/**
 * The people in these groups as JSON text, by group, in order of joining. Written by the database,
 * because a page of a list has thousands of them, so many at once. A person is in a group when that is wanted or,
 * where nobody said, seen.
 * @param usersUrl where users are: what `$ref` is before a slash and the id
 */
export async function readMembersOfGroups(
  db: Db,
  ids: readonly GroupId[],
  usersUrl: string,
): Promise<Map<string, string>> {
  const entry = toEntry(db, {
    id: sql.ref('p.id'),
    display: sql.ref('p.user_name'),
    ref: `${usersUrl}/`,
    type: 'User',
  });
  const byGroup = new Map<string, string>();
  for (const some of await toReads(db, ids)) {
    for (let last = 0, isMore = true; isMore; ) {
      const { rows } = await sql<MembersPart>`
        select p.group_id, string_agg(${entry}, ',' order by p.seq) as items, max(p.seq) as last, count(*) as count
        from (select m.group_id, m.seq, u.id, u.user_name
          from memberships as m join users as u on u.id = m.user_id
          where m.group_id in (${sql.join(some)}) and m.seq > ${last}
            and coalesce(m.desired, m.observed) = 1 and u.deleted_at is null
          order by m.seq limit ${MEMBERS_AT_ONCE}) as p
        group by p.group_id`.execute(db);
      for (const { group_id: id, items } of rows) {
        const before = byGroup.get(id);
        byGroup.set(id, before === undefined ? items : `${before},${items}`);
      }
      last = rows.reduce((max, part) => Math.max(max, Number(part.last)), last);
      isMore = rows.reduce((sum, { count }) => sum + Number(count), 0) === MEMBERS_AT_ONCE;
    }
  }
  return byGroup;
}

/** Members of one group, or the next of them. */
interface MembersPart {
  readonly group_id: string;
  readonly items: string;
  readonly last: number;
  readonly count: number;
}

/** Groups that are read together: as many as have not too many members, and larger ones by themselves. */
async function toReads(db: Db, ids: readonly GroupId[]): Promise<GroupId[][]> {
  if (ids.length <= 1) return ids.length === 0 ? [] : [[...ids]];
  const reads: GroupId[][] = [];
  for (const chunk of chunks(ids)) {
    const { rows } = await sql<{ group_id: GroupId; count: number }>`
      select group_id, count(*) as count from memberships
      where group_id in (${sql.join(chunk)}) group by group_id`.execute(db);
    let total = MEMBERS_AT_ONCE;
    for (const { group_id: id, count } of rows) {
      total += Number(count);
      const last = reads.at(-1);
      if (last && total <= MEMBERS_AT_ONCE) last.push(id);
      else {
        reads.push([id]);
        total = Number(count);
      }
    }
  }
  return reads;
}

interface EntryParts {
  readonly id: RawBuilder<unknown>;
  readonly display: RawBuilder<unknown>;
  /** What `$ref` is before the id: absolute, or where it is stored relative to the resource that lists it (RFC 7643 §2.3.7). */
  readonly ref: string;
  readonly type: string;
}

/** One entry of a list of links. Ids are UUIDs of ours, so only the name needs quoting. */
function toEntry(db: Db, { id, display, ref, type }: EntryParts): RawBuilder<string> {
  const quoted = isPostgres(db) ? sql`to_json(${display})::text` : sql`json_quote(${display})`;
  const middle = sql.lit(`","$ref":"${ref}`);
  return sql<string>`'{"value":"' || ${id} || ${middle} || ${id} || '","display":' || ${quoted}
    || ${sql.lit(`,"type":"${type}"}`)}`;
}
