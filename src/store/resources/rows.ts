import { setImmediate as nextTurn } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import type { ObservedGroup } from '../../domain/group.ts';
import { type GivenKey, type GroupId, groupId, type UserId, userId } from '../../domain/ids.ts';
import type { ObservedUser } from '../../domain/user.ts';
import { hasEntities, parseStored } from '../engine/columns.ts';
import { chunks, forUpdate, readInChunks, readParts } from '../engine/dialect.ts';
import { selectRows } from '../engine/row-sql.ts';
import {
  deleteGroup,
  findGroupRow,
  type GroupChange,
  type GroupRow,
  hasUpstreamIds,
  lockGroup,
  toObservedGroup,
  updateGroup,
} from '../groups/groups.ts';
import { touchGroupsOf } from '../links/shown.ts';
import type { Db, Part } from '../store.ts';
import {
  deleteUser,
  findUserRow,
  lockUser,
  toObservedUser,
  type UserChange,
  type UserRow,
  updateUser,
} from '../users/users.ts';

/** Row of a user or group. */
export type ResourceRow = UserRow | GroupRow;

/** True for the row of a user. */
export function isUserRow(row: ResourceRow): row is UserRow {
  return 'upstream_id' in row;
}

/** Finds the row of a user or group, deleted or not. */
export async function findRow(db: Db, { type, id }: GivenKey): Promise<ResourceRow | undefined> {
  return type === 'user' ? findUserRow(db, id) : findGroupRow(db, id);
}

/** Finds it as `findRow` does, locked until the transaction ends. */
export async function lockRow(tx: Db, { type, id }: GivenKey): Promise<ResourceRow | undefined> {
  return type === 'user' ? lockUser(tx, userId(id)) : lockGroup(tx, groupId(id));
}

/** Locks a user or group whose row was read before, until the transaction ends. */
export async function lockAgain(tx: Db, row: ResourceRow): Promise<ResourceRow | undefined> {
  return isUserRow(row) ? lockUser(tx, row.id) : lockGroup(tx, row.id);
}

/** Changes a user or group, whose row the caller has read in the same transaction. */
export async function updateRow(
  tx: Db,
  row: ResourceRow,
  change: UserChange & GroupChange,
): Promise<void> {
  await (isUserRow(row) ? updateUser(tx, row.id, change) : updateGroup(tx, row.id, change));
}

/** Removes a user or group that was never created, or that is unmanaged and not in the service any more. */
export async function deleteRow(tx: Db, row: ResourceRow): Promise<void> {
  await (isUserRow(row) ? deleteUser(tx, row.id) : deleteGroup(tx, row.id));
}

/** True when the service is known to have what the row stands for, or had it at the last look. */
export function isLinked(row: ResourceRow): boolean {
  return isUserRow(row) ? row.upstream_id !== null : hasUpstreamIds(row);
}

/** Parses the last observation; undefined: there was none. */
export function toObservation(row: ResourceRow): ObservedUser | ObservedGroup | undefined {
  return isUserRow(row) ? toObservedUser(row) : toObservedGroup(row);
}

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
  const page = sql`seq > ${afterSeq} ${CONDITIONS[of]} order by seq limit ${limit}`;
  return selectRows<RowOf<Table>>(db, table, page);
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

/** Reads the users or groups of these numbers, in their order; `lock`: locked until the transaction ends. */
export async function readBySeq<Table extends 'users' | 'groups'>(
  db: Db,
  table: Table,
  { seqs, lock }: { readonly seqs: readonly number[]; readonly lock: boolean },
): Promise<RowOf<Table>[]> {
  const end = lock ? sql`order by seq ${forUpdate(db)}` : sql`order by seq`;
  return readInChunks(seqs, (some) =>
    selectRows<RowOf<Table>>(db, table, sql`seq in (${sql.join(some)}) ${end}`),
  );
}

/** Counts the live users or groups that the service was seen to have, and so the price of a complete list. */
export async function countKnown(db: Db, table: 'users' | 'groups'): Promise<number> {
  const id = sql.ref(table === 'users' ? 'upstream_id' : 'upstream_uid');
  const { rows } = await sql<{ count: number }>`select count(${id}) as count
    from ${sql.table(table)} where deleted_at is null`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Finds which of these users or groups are not deleted. */
export async function findLive(
  db: Db,
  table: 'users' | 'groups',
  ids: readonly string[],
): Promise<Set<string>> {
  const live = await readInChunks(ids, async (some) => {
    const { rows } = await sql<{ id: string }>`select id from ${sql.table(table)}
      where id in (${sql.join(some)}) and deleted_at is null`.execute(db);
    return rows;
  });
  return new Set(live.map(({ id }) => id));
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

/** Condition of a live managed group that has lists of its own in the service. */
const HAS_LISTS = sql`origin is not null and deleted_at is null and upstream_uid is not null`;

/** Lists live managed groups with an observed or a wanted admin. */
export async function listGroupsWithAdmins(db: Db): Promise<GroupId[]> {
  const { rows } = await sql<{ id: GroupId }>`select id from groups
    where ${HAS_LISTS} and id in (select group_id from group_admins) order by seq`.execute(db);
  return rows.map(({ id }) => id);
}

/** Lists live managed groups whose admins a provider or a rule ever named: the admins of others are not ours. */
export async function listGroupsWithOwnedAdmins(db: Db, part: Part): Promise<GroupRow[]> {
  const named = sql`select group_id from group_admins where desired is not null`;
  return listWithLists(db, sql`(admins_asked = 1 or id in (${named}))`, part);
}

/** Lists live managed groups with roles in entities that rules want, or wanted. */
export async function listGroupsWithEntities(db: Db, part: Part): Promise<GroupRow[]> {
  return listWithLists(db, hasEntities('cells'), part);
}

function listWithLists(
  db: Db,
  which: RawBuilder<unknown>,
  { afterSeq, limit }: Part,
): Promise<GroupRow[]> {
  const page = sql`seq > ${afterSeq} and ${HAS_LISTS} and ${which}`;
  return selectRows<GroupRow>(db, 'groups', sql`${page} order by seq limit ${limit}`);
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
  const rows = await readInChunks(namesFolded, (some) => {
    const names = sql`(${sql.join(some)})`;
    const isNamed = sql`(observed_user_name_folded in ${names} or observed_email_folded in ${names})`;
    return selectRows<UserRow>(
      db,
      'users',
      sql`origin is null and deleted_at is null and ${isNamed}`,
    );
  });
  const found = new Map<string, ExistingNamed<UserId>>();
  for (const row of rows) {
    const { id, user_name: name, observed_user_name_folded, observed_email_folded } = row;
    const existing = {
      ...{ id, name, upstreamId: String(row.upstream_id), takesSeat: row.takes_seat === 1 },
      observed: toObservedUser(row),
    };
    for (const key of [observed_user_name_folded, observed_email_folded])
      if (key !== null) found.set(key, existing);
  }
  return found;
}

/** Lists unmanaged groups, by each name among these. */
export async function listExistingGroups(
  db: Db,
  namesFolded: readonly string[],
): Promise<Map<string, ExistingNamed<GroupId>>> {
  const rows = await readInChunks(namesFolded, (some) => {
    const isNamed = sql`display_name_folded in (${sql.join(some)})`;
    return selectRows<GroupRow>(
      db,
      'groups',
      sql`origin is null and deleted_at is null and ${isNamed}`,
    );
  });
  return new Map(
    rows.map(({ id, display_name: name, display_name_folded, ...ids }) => {
      const upstreamId = String(ids.upstream_uid ?? ids.upstream_rest_id ?? ids.upstream_scim_id);
      return [display_name_folded, { id, name, upstreamId }];
    }),
  );
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
