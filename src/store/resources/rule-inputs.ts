import { type RawBuilder, sql } from 'kysely';
import { foldCase } from '../../domain/fold.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { createMatcher } from '../../domain/matcher.ts';
import type { NameQuery } from '../../domain/rule-book.ts';
import { chunks, isPostgres, readInChunks, select } from '../engine/dialect.ts';
import { lockedInOrder } from '../links/of-users.ts';
import type { Db } from '../store.ts';
import type { GroupRow } from './rows.ts';

type RuledGroup = Pick<GroupRow, 'id' | 'name'>;

/** Live managed groups that are meant by any of the queries, by id. Rules know no others. */
export async function listManagedGroups(
  db: Db,
  queries: readonly NameQuery[],
): Promise<RuledGroup[]> {
  const groups = new Map<GroupId, RuledGroup>();
  for (const query of queries) {
    const rows = await select<RuledGroup>(db)`select id, name from resources
      where type = 'group' and origin is not null and deleted_at is null and ${isNamed(query)}`;
    const matches = query.kind === 'name' ? undefined : createMatcher([query.pattern]);
    for (const group of rows) if (matches?.([group.name]) !== false) groups.set(group.id, group);
  }
  return [...groups.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

function isNamed(query: NameQuery): RawBuilder<unknown> {
  if (query.kind === 'name') return sql`name_folded = ${query.folded}`;
  const like = foldCase(query.pattern).replace(/[\\%_]/g, '\\$&');
  return sql`name_folded like ${like.replaceAll('*', '%')} escape '\\'`;
}

/** The names of the live managed groups that each of these users is wanted in. */
export async function listGroupNamesOf(
  db: Db,
  userIds: readonly UserId[],
): Promise<ReadonlyMap<UserId, readonly string[]>> {
  const wanted = await readInChunks(
    userIds,
    (some) =>
      select<{ user_id: UserId; name: string }>(db)`
      select u.id as user_id, g.name from resources as u
      join links as m on m.target = u.seq join resources as g on g.seq = m.group_id
      where u.id in (${sql.join(some)}) and m.list = 'member' and m.desired = 1
      and g.origin is not null and g.deleted_at is null`,
  );
  const byUser = Map.groupBy(wanted, ({ user_id }) => user_id);
  return new Map([...byUser].map(([id, groups]) => [id, groups.map(({ name }) => name)]));
}

/** The live users who are wanted in any of these groups, or those `among` some; `by` a provider: not by an inner group alone. */
export async function listWantedMembers(
  db: Db,
  groupIds: readonly GroupId[],
  { among: userIds, by }: { among?: readonly UserId[] | undefined; by?: 'provider' } = {},
): Promise<Set<UserId>> {
  const found = new Set<UserId>();
  const isDirect = by === 'provider' ? sql`and m.by_rule = 0` : sql``;
  for (const groups of chunks(groupIds)) {
    for (const some of userIds === undefined ? [undefined] : chunks(userIds)) {
      const among =
        some === undefined ? isDirect : sql`${isDirect} and u.id in (${sql.join(some)})`;
      const rows = await select<{ user_id: UserId }>(db)`
        select distinct u.id as user_id from links as m join resources as u on u.seq = m.target
        where m.group_id in (select seq from resources where id in (${sql.join(groups)})) and m.list = 'member' and m.desired = 1 and u.deleted_at is null ${among}`;
      for (const { user_id } of rows) found.add(user_id);
    }
  }
  return found;
}

/**
 * Lists the groups inside of a group or around it, at any depth, among its provider's. A circle ends where it began.
 * Mostly no group is a member of another one, which an index tells.
 */
export async function listNested(
  db: Db,
  id: GroupId,
  direction: 'inside' | 'around',
): Promise<GroupId[]> {
  const list = isPostgres(db)
    ? sql`json_array_elements_text(o.inner_groups::json) as listed(value)`
    : sql`json_each(o.inner_groups) as listed`;
  const ends = [sql.ref('outer_id'), sql.ref('inner_id')] as const;
  const [from, to] = direction === 'inside' ? ends : ends.toReversed();
  // From the groups around one that was deleted its people have to go.
  const counts =
    direction === 'inside'
      ? sql`and i.deleted_at is null and i.origin is not null and i.provider = o.provider`
      : sql``;
  const rows = await select<{ id: GroupId }>(db)`
    with recursive nested as (select o.id as outer_id, i.id as inner_id
      from resources as o cross join ${list} join resources as i on i.id = listed.value
      where o.inner_groups <> '[]' and o.deleted_at is null and o.origin is not null ${counts}),
    reached(id) as (select ${to} from nested where ${from} = ${id}
      union select ${to} from nested join reached on reached.id = ${from})
    select id from reached`;
  return rows.map((row) => row.id);
}

/** Waits until nobody else writes these groups, and keeps them as they are until the transaction ends. */
export async function lockGroups(tx: Db, ids: readonly GroupId[]): Promise<void> {
  if (!isPostgres(tx) || ids.length === 0) return;
  await lockedInOrder(tx, sql`select seq from resources where id in (${sql.join(ids)})`).execute(
    tx,
  );
}
