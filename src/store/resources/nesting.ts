import { sql } from 'kysely';
import type { GroupId } from '../../domain/ids.ts';
import type { Owned } from '../../domain/provider.ts';
import { parseStored } from '../engine/columns.ts';
import { isPostgres, readInChunks } from '../engine/dialect.ts';
import { lockedInOrder } from '../links/of-users.ts';
import type { Db } from '../store.ts';
import type { GroupRow } from './rows.ts';

/** The groups that a provider made members of this one. */
export function parseInner({ inner_groups }: Pick<GroupRow, 'inner_groups'>): GroupId[] {
  return parseStored<GroupId[]>(inner_groups);
}

/** A group as a list of members shows it. */
export interface InnerGroup extends Owned {
  readonly id: GroupId;
  readonly display: string;
}

/** Finds the groups of these ids that are not deleted, by id. */
export async function findInnerGroups(
  db: Db,
  ids: readonly string[],
): Promise<Map<string, InnerGroup>> {
  const rows = await readInChunks(ids, async (some) => {
    const live = sql<InnerGroup>`select id, name as display, origin, provider from resources
      where id in (${sql.join(some)}) and type = 'group' and deleted_at is null`;
    return (await live.execute(db)).rows;
  });
  return new Map(rows.map((row) => [row.id, row]));
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
  const { rows } = await sql<{ id: GroupId }>`
    with recursive nested as (select o.id as outer_id, i.id as inner_id
      from resources as o cross join ${list} join resources as i on i.id = listed.value
      where o.inner_groups <> '[]' and o.deleted_at is null and o.origin is not null ${counts}),
    reached(id) as (select ${to} from nested where ${from} = ${id}
      union select ${to} from nested join reached on reached.id = ${from})
    select id from reached`.execute(db);
  return rows.map((row) => row.id);
}

/** Waits until nobody else writes these groups, and keeps them as they are until the transaction ends. */
export async function lockGroups(tx: Db, ids: readonly GroupId[]): Promise<void> {
  if (!isPostgres(tx) || ids.length === 0) return;
  await lockedInOrder(tx, sql`select seq from resources where id in (${sql.join(ids)})`).execute(
    tx,
  );
}
