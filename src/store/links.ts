import type { LinkChange } from '../domain/group.ts';
import type { GroupId, UserId } from '../domain/ids.ts';
import type { Db } from './database.ts';
import type { LinkColumns } from './schema.ts';

/** Two tables of the same form: who is in a group, and who administers it. */
export type LinkTable = 'memberships' | 'group_admins';

/** One stored link. */
export type LinkRow = Pick<LinkColumns, 'user_id' | 'desired' | 'observed' | 'pending' | 'put_in'>;

/** How many ids go into one statement: below every engine's limit of parameters. */
const CHUNK = 500;

/** All links of a group, or those of some users. */
export async function listLinks(
  db: Db,
  table: LinkTable,
  groupId: GroupId,
  userIds?: readonly UserId[],
): Promise<LinkRow[]> {
  const query = db
    .selectFrom(table)
    .select(['user_id', 'desired', 'observed', 'pending', 'put_in'])
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
        })),
      )
      .onConflict((conflict) =>
        conflict.columns(['user_id', 'group_id']).doUpdateSet((set) => ({
          desired: set.ref('excluded.desired'),
          observed: set.ref('excluded.observed'),
          pending: set.ref('excluded.pending'),
          put_in: set.ref('excluded.put_in'),
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

/** Which waiting changes to list. */
export interface WaitingQuery {
  readonly limit: number;
  /** True when the service refuses inactive people as members: their additions wait. */
  readonly inactiveWait: boolean;
}

/**
 * The waiting changes of a group that can be made now, removals first, then the oldest. A person
 * without an account, or one who is to be deactivated first, makes a change wait.
 */
export async function listWaitingLinks(
  db: Db,
  table: LinkTable,
  groupId: GroupId,
  { limit, inactiveWait }: WaitingQuery,
): Promise<LinkChange[]> {
  let query = db
    .selectFrom(`${table} as link`)
    .innerJoin('users as person', 'person.id', 'link.user_id')
    .select(['link.user_id', 'link.desired', 'link.pending', 'person.upstream_id'])
    .where('link.group_id', '=', groupId)
    .where('link.pending', 'is not', null)
    .where('person.upstream_id', 'is not', null)
    .where((where) =>
      // A deleted person whose deactivation still waits is deactivated first.
      where.or([
        where('person.deleted_at', 'is', null),
        where('person.pending', 'not like', '%"active"%'),
      ]),
    );
  if (inactiveWait) {
    query = query.where((where) =>
      where.or([where('link.desired', '=', 0), where('person.active', '=', 1)]),
    );
  }
  const rows = await query
    .orderBy('link.desired')
    .orderBy('link.pending')
    .orderBy('link.seq')
    .limit(limit)
    .execute();
  return rows.flatMap((row) =>
    row.upstream_id === null
      ? []
      : [
          {
            userId: row.user_id,
            upstreamUserId: row.upstream_id,
            wanted: row.desired === 1,
            version: row.pending ?? 0,
          },
        ],
  );
}

/** The oldest waiting version of a group's links, or undefined when nothing waits. */
export async function findOldestWaiting(db: Db, groupId: GroupId): Promise<number | undefined> {
  let oldest: number | undefined;
  for (const table of ['memberships', 'group_admins'] as const) {
    const row = await db
      .selectFrom(table)
      .select((select) => select.fn.min<number | null>('pending').as('version'))
      .where('group_id', '=', groupId)
      .where('pending', 'is not', null)
      .executeTakeFirst();
    const version = row?.version ?? undefined;
    if (version !== undefined && (oldest === undefined || version < oldest)) oldest = version;
  }
  return oldest;
}

/**
 * Raises the version of users whose groups changed: a user's ETag covers its groups.
 * `now` is epoch milliseconds.
 */
export async function touchUsers(tx: Db, userIds: readonly UserId[], now: number): Promise<void> {
  for (const chunk of chunks(userIds)) {
    await tx
      .updateTable('users')
      .set((set) => ({ version: set('version', '+', 1), modified_at: now }))
      .where('id', 'in', chunk)
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
      .where('id', 'in', chunk as UserId[])
      .where('deleted_at', 'is', null)
      .execute();
    for (const { id } of rows) found.add(id);
  }
  return found;
}

/** Makes every group due in which something waits for this person. */
export async function wakeGroupsOf(tx: Db, userId: UserId, now: number): Promise<GroupId[]> {
  const woken = await tx
    .updateTable('groups')
    .set({ due_at: now })
    .where('id', 'in', (query) =>
      query
        .selectFrom('memberships')
        .select('group_id')
        .where('user_id', '=', userId)
        .where('pending', 'is not', null)
        .union(
          query
            .selectFrom('group_admins')
            .select('group_id')
            .where('user_id', '=', userId)
            .where('pending', 'is not', null),
        ),
    )
    .returning('id')
    .execute();
  return woken.map(({ id }) => id);
}

/** Cuts a list into statements' worth. */
function* chunks<T>(list: readonly T[]): Generator<T[]> {
  for (let start = 0; start < list.length; start += CHUNK) yield list.slice(start, start + CHUNK);
}
