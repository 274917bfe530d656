import { sql } from 'kysely';
import type { HeldAction } from '../domain/plan.ts';
import { chunks } from './chunks.ts';
import { parseStored } from './documents.ts';
import { LINK_TABLES } from './links.ts';
import type { Db } from './store.ts';

/** Remembers what every managed resource waits for, beside what was remembered before and is not decided yet. */
export async function holdWishes(tx: Db): Promise<void> {
  for (const [table, type] of [
    ['users', 'user'],
    ['groups', 'group'],
  ] as const) {
    await sql`
      insert into held_wishes (resource_type, resource_id, pending, list, member_id)
      select ${sql.lit(type)}, id, pending, '', '' from ${sql.table(table)}
      where origin is not null and pending <> '{}'`.execute(tx);
  }
  for (const list of LINK_TABLES) {
    await sql`
      insert into held_wishes (resource_type, resource_id, pending, list, member_id)
      select 'group', group_id, '{}', ${sql.lit(list)}, user_id from ${sql.table(list)}
      where pending is not null`.execute(tx);
  }
}

/** Forgets them: the plan was decided about. */
export async function deleteHeldWishes(tx: Db): Promise<void> {
  await tx.deleteFrom('held_wishes').execute();
}

/**
 * Those of these actions that somebody asked for. What would be made, or looked for because it was not seen, is
 * asked for by whatever was asked of it.
 */
export async function selectWished(
  db: Db,
  actions: readonly HeldAction[],
): Promise<readonly HeldAction[]> {
  const wishes = await listWishes(db, [...new Set(actions.map(({ resourceId }) => resourceId))]);
  return actions.filter(({ resourceType, resourceId, field, memberId = '' }) => {
    const isWhole = field === 'account' || field === 'existence';
    const resource = toKey(resourceType, resourceId);
    return wishes.has(isWhole ? resource : `${resource} ${field} ${memberId}`);
  });
}

/** The resources of which something is wished, and each wish. */
async function listWishes(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const wishes = new Set<string>();
  for (const some of chunks(ids)) {
    const rows = await db
      .selectFrom('held_wishes')
      .selectAll()
      .where('resource_id', 'in', some)
      .execute();
    for (const { resource_type, resource_id, pending, list, member_id } of rows) {
      const resource = toKey(resource_type, resource_id);
      const fields = list === '' ? Object.keys(parseStored<object>(pending)) : [list];
      wishes.add(resource);
      for (const field of fields) wishes.add(`${resource} ${field} ${member_id}`);
    }
  }
  return wishes;
}

function toKey(type: 'user' | 'group', id: string): string {
  return `${type} ${id}`;
}
