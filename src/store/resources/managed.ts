import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { type GroupId, groupId, type UserId, userId } from '../../domain/ids.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { hasEntities, parseStored } from '../engine/columns.ts';
import { chunks, readParts } from '../engine/dialect.ts';
import { deleteGroup, type GroupRow } from '../groups/groups.ts';
import { touchGroupsOf } from '../links/shown.ts';
import type { Db, Part } from '../store.ts';
import { deleteUser, toObservedUser, type UserRow } from '../users/users.ts';
import { isUserRow, type ResourceRow } from './rows.ts';

/**
 * Which users or groups a list has: `all`, the deleted too; `managed`: those that the bridge may write, the deleted too;
 * `live`: those that are not deleted; `ruled`: those that are both, to which rules apply.
 */
type ListOf = 'all' | 'managed' | 'live' | 'ruled';

const CONDITIONS: Readonly<Record<ListOf, RawBuilder<unknown>>> = {
  all: sql``,
  managed: sql`and origin is not null`,
  live: sql`and deleted_at is null`,
  ruled: sql`and origin is not null and deleted_at is null`,
};

/** Row of a table. */
export type RowOf<Table extends 'users' | 'groups'> = Table extends 'users' ? UserRow : GroupRow;

/** Lists users or groups in order of creation. */
export async function listRows<Table extends 'users' | 'groups'>(
  db: Db,
  table: Table,
  { afterSeq, limit, of }: Part & { readonly of: ListOf },
): Promise<RowOf<Table>[]> {
  const { rows } = await sql<RowOf<Table>>`select * from ${sql.table(table)}
    where seq > ${afterSeq} ${CONDITIONS[of]} order by seq limit ${limit}`.execute(db);
  return rows;
}

/** Reads users or groups in order of creation, `limit` at a time. Many reads in a row would block the event loop. */
export async function* readRows<Table extends 'users' | 'groups'>(
  db: Db,
  table: Table,
  { limit, of }: { readonly limit: number; readonly of: ListOf },
): AsyncGenerator<RowOf<Table>[]> {
  for await (const rows of readParts(limit, (part) => listRows(db, table, { ...part, of }))) {
    yield rows;
    await nextTurn();
  }
}

/** Ends the doubt about these users or groups, where no call is under way and nothing due. */
export async function trust(
  tx: Db,
  table: 'users' | 'groups',
  ids: readonly (UserId | GroupId)[],
): Promise<void> {
  for (const some of chunks(ids)) {
    await sql`update ${sql.table(table)} set must_look = 0
      where id in (${sql.join(some)}) and in_flight = 0 and due_at is null`.execute(tx);
  }
}

/** Lists live managed groups with an observed or a wanted admin. */
export async function listGroupsWithAdmins(db: Db): Promise<GroupId[]> {
  const { rows } = await sql<{ id: GroupId }>`select id from groups
    where origin is not null and deleted_at is null and upstream_uid is not null
    and id in (select group_id from group_admins) order by seq`.execute(db);
  return rows.map(({ id }) => id);
}

/** The next live managed groups that have lists of their own in the service. */
function selectWithUid(db: Db, { afterSeq, limit }: Part) {
  return db
    .selectFrom('groups')
    .selectAll()
    .where('seq', '>', afterSeq)
    .where('origin', 'is not', null)
    .where('deleted_at', 'is', null)
    .where('upstream_uid', 'is not', null)
    .orderBy('seq')
    .limit(limit);
}

/** Lists live managed groups whose admins a provider or a rule ever named: the admins of others are not ours. */
export async function listGroupsWithOwnedAdmins(db: Db, part: Part): Promise<GroupRow[]> {
  return selectWithUid(db, part)
    .where((where) => {
      const named = where
        .selectFrom('group_admins')
        .select('group_id')
        .where('desired', 'is not', null);
      return where.or([where('admins_asked', '=', 1), where('id', 'in', named)]);
    })
    .execute();
}

/** Lists live managed groups with roles in entities that rules want, or wanted. */
export async function listGroupsWithEntities(db: Db, part: Part): Promise<GroupRow[]> {
  return selectWithUid(db, part).where(hasEntities('cells')).execute();
}

/** Unmanaged account or group of the service, under a name by which it is recognised. */
interface ExistingNamed<Id extends string> {
  readonly id: Id;
  readonly name: string;
  readonly upstreamId: string;
  /** The last observation of an account. */
  readonly observed?: ObservedUser | undefined;
}

/** Lists unmanaged accounts, by each observed userName and address among these. */
export async function listExistingUsers(
  db: Db,
  namesFolded: readonly string[],
): Promise<Map<string, ExistingNamed<UserId>>> {
  const found = new Map<string, ExistingNamed<UserId>>();
  for (const names of chunks(namesFolded)) {
    const rows = await db
      .selectFrom('users')
      .select(['id', 'user_name', 'upstream_id', 'takes_seat', 'observed'])
      .select(['observed_user_name_folded', 'observed_email_folded'])
      .where('origin', 'is', null)
      .where('deleted_at', 'is', null)
      .where((where) =>
        where.or([
          where('observed_user_name_folded', 'in', names),
          where('observed_email_folded', 'in', names),
        ]),
      )
      .execute();
    for (const { id, user_name, upstream_id, takes_seat, observed, ...names } of rows) {
      const takesSeat = takes_seat === 1;
      const existing = {
        ...{ id, name: user_name, upstreamId: String(upstream_id), takesSeat },
        observed: toObservedUser({ observed }),
      };
      for (const name of Object.values(names)) if (name !== null) found.set(name, existing);
    }
  }
  return found;
}

/** Lists unmanaged groups, by each name among these. */
export async function listExistingGroups(
  db: Db,
  namesFolded: readonly string[],
): Promise<Map<string, ExistingNamed<GroupId>>> {
  const found = new Map<string, ExistingNamed<GroupId>>();
  for (const names of chunks(namesFolded)) {
    const rows = await db
      .selectFrom('groups')
      .select(['id', 'display_name', 'display_name_folded'])
      .select(['upstream_uid', 'upstream_rest_id', 'upstream_scim_id'])
      .where('origin', 'is', null)
      .where('deleted_at', 'is', null)
      .where('display_name_folded', 'in', names)
      .execute();
    for (const { id, display_name, display_name_folded, ...ids } of rows) {
      const upstreamId = String(ids.upstream_uid ?? ids.upstream_rest_id ?? ids.upstream_scim_id);
      found.set(display_name_folded, { id, name: display_name, upstreamId });
    }
  }
  return found;
}

/**
 * Forgets an unmanaged user or group that the service has no more, and its links: the same account counts as a new user
 * when it comes back. `now` is epoch milliseconds.
 */
export async function endObserved(tx: Db, row: ResourceRow, now: number): Promise<void> {
  if (isUserRow(row)) {
    await touchGroupsOf(tx, row.id, now);
    return deleteUser(tx, row.id);
  }
  await deleteGroup(tx, row.id);
}

/** Notes beside the last observation of a user or group that the service does not have it any more. */
export async function noteGone(
  tx: Db,
  type: 'user' | 'group',
  { id: text, now }: { readonly id: string; readonly now: number },
): Promise<void> {
  const id = type === 'user' ? userId(text) : groupId(text);
  const table = `${type}s` as const;
  const row = await tx.selectFrom(table).select('observed').where('id', '=', id).executeTakeFirst();
  if (row === undefined || row.observed === null) return;
  const observed = JSON.stringify({ ...parseStored<object>(row.observed), goneAt: now });
  await tx.updateTable(table).set({ observed }).where('id', '=', id).execute();
}

/** Lists those of these names with which an account of the service was seen, managed or not. */
export async function listUserNamesSeen(
  db: Db,
  namesFolded: readonly string[],
): Promise<Set<string>> {
  const seen = new Set<string>();
  for (const names of chunks(namesFolded)) {
    for (const column of ['observed_user_name_folded', 'observed_email_folded'] as const) {
      const { rows } = await sql<{ name: string }>`select ${sql.ref(column)} as name from users
        where upstream_id is not null and ${sql.ref(column)} in (${sql.join(names)})`.execute(db);
      for (const { name } of rows) seen.add(name);
    }
  }
  return seen;
}
