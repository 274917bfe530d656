import type { Selectable } from 'kysely';
import { type GroupId, type UserId, userId } from '../domain/ids.ts';
import { chunks } from './chunks.ts';
import type { Db } from './database.ts';
import type { LinkColumns } from './schema.ts';

/** Two tables of the same form: who is in a group, and who administers it. */
export const LINK_TABLES = ['memberships', 'group_admins'] as const;

/** One of the two. */
export type LinkTable = (typeof LINK_TABLES)[number];

/** One stored link. */
export type LinkRow = Pick<
  Selectable<LinkColumns>,
  'user_id' | 'desired' | 'observed' | 'pending' | 'put_in' | 'retry_at' | 'problem'
>;

/** All links of a group, or those of some users. */
export async function listLinks(
  db: Db,
  table: LinkTable,
  groupId: GroupId,
  userIds?: readonly UserId[],
): Promise<LinkRow[]> {
  const query = db
    .selectFrom(table)
    .select(['user_id', 'desired', 'observed', 'pending', 'put_in', 'retry_at', 'problem'])
    .where('group_id', '=', groupId);
  if (userIds === undefined) return query.orderBy('seq').execute();
  const rows: LinkRow[] = [];
  for (const chunk of chunks(userIds))
    rows.push(...(await query.where('user_id', 'in', chunk).execute()));
  return rows;
}

/** A link as it is to be. */
export interface LinkWrite {
  readonly userId: UserId;
  readonly desired: number | null;
  readonly observed: number | null;
  readonly pending: number | null;
  readonly putIn?: number;
  /** When a refused change is tried again (epoch milliseconds); absent: there is nothing to wait for. */
  readonly retryAt?: number | null;
}

/** Stores links, replacing the three facts of those that exist. */
export async function saveLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  links: readonly LinkWrite[],
): Promise<void> {
  for (const chunk of chunks(links)) {
    await tx
      .insertInto(table)
      .values(
        chunk.map((link) => ({
          group_id: groupId,
          user_id: link.userId,
          desired: link.desired,
          observed: link.observed,
          pending: link.pending,
          put_in: link.putIn ?? 0,
          retry_at: link.retryAt ?? null,
          attempts: 0,
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'group_id']).doUpdateSet((set) => ({
          desired: set.ref('excluded.desired'),
          observed: set.ref('excluded.observed'),
          pending: set.ref('excluded.pending'),
          put_in: set.ref('excluded.put_in'),
          retry_at: set.ref('excluded.retry_at'),
          attempts: set.ref('excluded.attempts'),
        })),
      )
      .execute();
  }
}

/** Forgets links that nobody wants and the service does not hold. */
export async function deleteLinks(
  tx: Db,
  table: LinkTable,
  groupId: GroupId,
  userIds: readonly UserId[],
): Promise<void> {
  for (const chunk of chunks(userIds)) {
    await tx
      .deleteFrom(table)
      .where('group_id', '=', groupId)
      .where('user_id', 'in', chunk)
      .execute();
  }
}

/** The ids among `ids` that are live users. */
export async function listExistingUsers(db: Db, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (const chunk of chunks(ids)) {
    const rows = await db
      .selectFrom('users')
      .select('id')
      .where('id', 'in', chunk.map(userId))
      .where('deleted_at', 'is', null)
      .execute();
    for (const { id } of rows) found.add(id);
  }
  return found;
}
