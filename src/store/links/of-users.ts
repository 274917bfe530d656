import type { Sql } from 'sql-template-tag';
import sql, { empty, join, raw } from 'sql-template-tag';
import type { NameQuery } from '../../domain/rule-book.ts';
import type { GroupId, UserId } from '../../domain/values.ts';
import { foldCase } from '../../domain/values.ts';
import { allOf, execute, forUpdate, isPostgres, readInChunks, select } from '../engine/dialect.ts';
import type { Db } from '../store.ts';
import type { GroupKey } from './links.ts';

const toSeq = (userId: string) => sql`(select seq from resources where id = ${userId})`;

/** SQL of the groups that name this user; of those `waiting`, the groups with a waiting change of the user. */
const toGroupsOf = (userId: string, which: 'all' | 'waiting') =>
  sql`select group_id from links where target = ${toSeq(userId)}
    ${which === 'waiting' ? sql`and pending is not null` : empty}`;

/** SQL of the groups that a query names by their numbers, each locked in the order of all until the transaction ends. */
const lockedInOrder = (tx: Db, named: Sql) =>
  sql`select seq from resources where seq in (${named}) order by seq ${forUpdate(tx)}`;

/** Locks the groups that name this user, or those where a change waits. Groups come before users, in order: no deadlock. */
export async function lockGroupsOf(tx: Db, userId: UserId, which: 'all' | 'waiting') {
  if (isPostgres(tx)) await tx.run(lockedInOrder(tx, toGroupsOf(userId, which)));
}

/** Waits until nobody else writes these groups, and keeps them as they are until the transaction ends. */
export async function lockGroups(tx: Db, ids: readonly GroupId[]): Promise<void> {
  if (!isPostgres(tx) || ids.length === 0) return;
  const named = sql`select seq from resources where id in (${join(ids)})`;
  await tx.run(lockedInOrder(tx, named));
}

/** Gives every group that shows this user a new version. `now` is epoch milliseconds. */
export async function touchGroupsOf(tx: Db, userId: string, now: number): Promise<void> {
  await execute(tx)`update resources set version = version + 1,
      modified_at = case when modified_at > ${now} then modified_at else ${now} end
    where seq in (${lockedInOrder(tx, toGroupsOf(userId, 'all'))})`;
}

/** Time that a group waits for the accounts of others before it takes users in, in milliseconds. */
const GATHER_MS = 10_000;

/** Makes every group due that has a waiting change of this user: soon where it waits for other accounts too, so that one call takes many in. */
export async function notifyGroupsOf(tx: Db, userId: UserId, now: number): Promise<GroupId[]> {
  const waiting = lockedInOrder(tx, toGroupsOf(userId, 'waiting'));
  const soon = now + GATHER_MS;
  const waitsForMore = sql`exists (select 1 from links join resources as person on person.seq = target
    where group_id = resources.seq and pending is not null and person.id <> ${userId}
      and person.upstream_id is null and person.due_at <= ${now})`;
  const rows = await select<{ id: GroupId }>(tx)`
    update resources set due_at = case when due_class = 0 or not ${waitsForMore} then ${now}
      when due_at <= ${soon} then due_at else ${soon} end
    where seq in (${waiting}) returning id`;
  return rows.map(({ id }) => id);
}

const GROUP_VERSION = sql`(select version from resources where resources.seq = links.group_id)`;

/** Removes a deleted user from the lists of managed groups, forgets what the service does not hold, and returns the groups that are due now. */
export async function leaveGroups(tx: Db, userId: UserId, now: number): Promise<GroupId[]> {
  const isTheirs = sql`target = ${toSeq(userId)}`;
  const named = sql`select group_id from links where ${isTheirs} and (desired is null or desired = 1)`;
  const rows = await select<{ id: GroupId; seq: number }>(tx)`
    update resources set version = version + 1, modified_at = ${now}, due_at = ${now}, due_class = 0
    where origin is not null and deleted_at is null and seq in (${lockedInOrder(tx, named)})
    returning id, seq`;
  await execute(tx)`delete from links where ${isTheirs} and (
    (pending is null and (observed is null or observed = 0))
    or (select upstream_id from resources where id = ${userId}) is null)`;
  if (rows.length === 0) return [];
  await execute(tx)`update links set desired = 0, pending = ${GROUP_VERSION}
    where ${isTheirs} and group_id in (${join(rows.map(({ seq }) => seq))})`;
  return rows.map(({ id }) => id);
}

/** Ends what is known of the links of a user whose account is gone (`observed` 0), or has another id (null). */
export async function resetLinksOf(tx: Db, userId: UserId, observed: 0 | null): Promise<void> {
  const isTheirs = sql`target = ${toSeq(userId)}`;
  const isUnwanted = observed === 0 ? sql`or desired = 0` : empty;
  await execute(tx)`delete from links where ${isTheirs} and (desired is null ${isUnwanted})`;
  await execute(tx)`update links set observed = ${observed}, sent = null,
      pending = coalesce(pending, ${GROUP_VERSION}), failure = null, retry_at = null, attempts = 0, stuck_at = null
    where ${isTheirs} and (desired = 1 or observed = 1 or pending is not null)`;
}

/** Moves the links of a user or group to another one, whose own links keep what they want. */
export async function moveLinks(
  tx: Db,
  type: 'user' | 'group',
  { seq: from }: GroupKey,
  { seq: to }: GroupKey,
): Promise<void> {
  const ends = [raw('group_id'), raw('target')];
  const [column, other] = type === 'group' ? ends : ends.toReversed();
  const listOf = (end: number) => sql`(list, ${other}) in (
    select list, ${other} from links where ${column} = ${end})`;
  await execute(tx)`update links set observed = (select old.observed from links as old
      where old.${column} = ${from} and old.list = links.list and old.${other} = links.${other})
    where ${column} = ${to} and ${listOf(from)}`;
  await execute(tx)`delete from links where ${column} = ${from} and ${listOf(to)}`;
  await execute(tx)`update links set ${column} = ${to} where ${column} = ${from}`;
}

/** Lists live managed groups that are meant by any of the queries, in order. Rules know no others. */
export async function listManagedGroups(db: Db, queries: readonly NameQuery[]): Promise<GroupId[]> {
  if (queries.length === 0) return [];
  const named = queries.map((query) => {
    if (query.kind === 'name') return sql`name_folded = ${query.folded}`;
    const like = foldCase(query.pattern)
      .replace(/[\\%_]/g, '\\$&')
      .replaceAll('*', '%');
    return sql`name_folded like ${like} escape '\\'`;
  });
  const rows = await select<{ id: GroupId }>(db)`select id from resources
    where type = 'group' and origin is not null and deleted_at is null and (${join(named, ' or ')})`;
  return rows.map(({ id }) => id).sort();
}

/** The names of the live managed groups that each of these users is wanted in. */
export async function listGroupNamesOf(
  db: Db,
  userIds: readonly UserId[],
): Promise<ReadonlyMap<UserId, readonly string[]>> {
  const rows = await listMemberships(db, userIds, sql`m.desired = 1 and g.origin is not null`);
  const byUser = Map.groupBy(rows, ({ userId }) => userId);
  return new Map([...byUser].map(([id, groups]) => [id, groups.map(({ name }) => name)]));
}

/** Lists the groups that the bridge does not manage and in which these users were last seen. */
export const listForeignGroups = (db: Db, userIds: readonly UserId[]) =>
  listMemberships(db, userIds, sql`m.observed = 1 and g.origin is null`);

const listMemberships = (db: Db, userIds: readonly UserId[], which: Sql) =>
  readInChunks(
    userIds,
    (some) =>
      select<{ userId: UserId; id: GroupId; name: string }>(db)`
      select u.id as "userId", g.id, g.name
      from resources as u join links as m on m.target = u.seq join resources as g on g.seq = m.group_id
      where u.id in (${join(some)}) and m.list = 'member' and g.deleted_at is null and ${which}
      order by g.name`,
  );

/** The live users who are wanted in any of these groups, or those `among` some; `by` a provider: not by an inner group alone. */
export async function listWantedMembers(
  db: Db,
  groupIds: readonly GroupId[],
  { among, by }: { among?: readonly UserId[] | undefined; by?: 'provider' } = {},
): Promise<Set<UserId>> {
  const read = (groups: readonly GroupId[], users?: readonly UserId[]) =>
    select<{ id: UserId }>(db)`
      select distinct u.id from links as m join resources as u on u.seq = m.target
      where m.group_id in (select seq from resources where id in (${join(groups)}))
        and m.list = 'member' and m.desired = 1 and u.deleted_at is null
        and ${allOf([by && sql`m.by_rule = 0`, users && sql`u.id in (${join(users)})`])}`;
  const found = await readInChunks(groupIds, (groups) =>
    among ? readInChunks(among, (users) => read(groups, users)) : read(groups),
  );
  return new Set(found.map(({ id }) => id));
}

/** Lists the groups inside of a group or around it, at any depth, among its provider's. A circle ends. */
export async function listNested(
  db: Db,
  id: GroupId,
  direction: 'inside' | 'around',
): Promise<GroupId[]> {
  const list = isPostgres(db)
    ? sql`json_array_elements_text(o.inner_groups::json) as listed(value)`
    : sql`json_each(o.inner_groups) as listed`;
  const ends = [raw('outer_id'), raw('inner_id')] as const;
  const [from, to] = direction === 'inside' ? ends : ends.toReversed();
  // From the groups around one that was deleted its people have to go.
  const counts =
    direction === 'inside'
      ? sql`and i.deleted_at is null and i.origin is not null and i.provider = o.provider`
      : empty;
  const rows = await select<{ id: GroupId }>(db)`
    with recursive nested as (select o.id as outer_id, i.id as inner_id
      from resources as o cross join ${list} join resources as i on i.id = listed.value
      where o.inner_groups <> '[]' and o.deleted_at is null and o.origin is not null ${counts}),
    reached(id) as (select ${to} from nested where ${from} = ${id}
      union select ${to} from nested join reached on reached.id = ${from})
    select id from reached`;
  return rows.map((row) => row.id);
}
