import { type RawBuilder, sql } from 'kysely';
import type { GroupId, UserId } from '../domain/ids.ts';
import { chunks } from './chunks.ts';
import type { Db } from './database.ts';
import { isPostgres } from './dialect.ts';

/**
 * Writes what these people's answers say of their groups, after any of it may have changed: who is in a
 * group, what it is called, whether it is there. That is another version of each of them.
 * `now` is epoch milliseconds.
 */
export async function touchUsers(tx: Db, userIds: readonly UserId[], now: number): Promise<void> {
  const entry = toEntry(tx, {
    id: sql.ref('g.id'),
    display: sql.ref('g.display_name'),
    ref: '../Groups/',
    type: 'direct',
  });
  for (const chunk of chunks(userIds)) {
    await sql`update users set version = version + 1, modified_at = ${now}, shown_groups = coalesce((
        select string_agg(${entry}, ',' order by g.seq)
        from memberships as m join groups as g on g.id = m.group_id
        where m.user_id = users.id and coalesce(m.desired, m.observed) = 1 and g.deleted_at is null), '')
      where id in (${sql.join(chunk)})`.execute(tx);
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
 * because a page of a list has thousands of them. A person is in a group when that is wanted or, where
 * nobody said, seen.
 */
export async function readMembersOfGroups(
  db: Db,
  ids: readonly GroupId[],
): Promise<Map<string, string>> {
  const entry = toEntry(db, {
    id: sql.ref('u.id'),
    display: sql.ref('u.user_name'),
    ref: '../Users/',
    type: 'User',
  });
  const byGroup = new Map<string, string>();
  for (const chunk of chunks(ids)) {
    const { rows } = await sql<{ group_id: string; items: string }>`
      select m.group_id, string_agg(${entry}, ',' order by m.seq) as items
      from memberships as m join users as u on u.id = m.user_id
      where m.group_id in (${sql.join(chunk)}) and coalesce(m.desired, m.observed) = 1 and u.deleted_at is null
      group by m.group_id`.execute(db);
    for (const { group_id, items } of rows) byGroup.set(group_id, items);
  }
  return byGroup;
}

interface EntryParts {
  readonly id: RawBuilder<unknown>;
  readonly display: RawBuilder<unknown>;
  /** What `$ref` is before the id: relative to the resource that lists it (RFC 7643 §2.3.7). */
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
