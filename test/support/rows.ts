import { sql } from 'kysely';
import { type GroupId, groupId, newId, type UserId, userId } from '../../src/domain/ids.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { toGroupColumns, toUserColumns } from '../../src/store/engine/columns.ts';
import {
  findGroupRow,
  type GroupRow,
  insertGroup,
  type NewGroupRow,
} from '../../src/store/groups/groups.ts';
import { type LinkTable, saveLinks } from '../../src/store/links/links.ts';
import type { Db, Store } from '../../src/store/store.ts';
import {
  findUserRow,
  insertUser,
  type NewUserRow,
  type UserRow,
} from '../../src/store/users/users.ts';

/** Both tables of links, for promises that each of them keeps. */
export const LINK_TABLES: readonly LinkTable[] = ['memberships', 'group_admins'];

const BORN = { created_at: 1, modified_at: 1 } as const;

/** Stores a managed person without an account of whom nothing waits, apart from what `change` says. */
export async function addUser(
  store: Store,
  change: Partial<NewUserRow> & { doc?: JsonObject } = {},
): Promise<UserRow> {
  const { doc, ...columns } = change;
  const id = userId(newId());
  const attributes = { userName: `name-${id}`, ...doc };
  const row = { id, origin: 'created' as const, ...toUserColumns(attributes), ...BORN };
  return store.write((tx) => insertUser(tx, { ...row, ...columns }));
}

/** Stores a managed group that the service does not know, of which nothing waits. */
export async function addGroup(
  store: Store,
  change: Partial<NewGroupRow> & { doc?: JsonObject } = {},
): Promise<GroupRow> {
  const { doc, ...columns } = change;
  const id = groupId(newId());
  const attributes = { displayName: `name-${id}`, ...doc };
  const row = { id, origin: 'created' as const, ...toGroupColumns(attributes), ...BORN };
  return store.write((tx) => insertGroup(tx, { ...row, ...columns }));
}

/** The row as it is now. @throws Error when it is gone */
export async function getUser({ read }: Store, { id }: { id: UserId }): Promise<UserRow> {
  const row = await findUserRow(read, id);
  if (row === undefined) throw new Error('the user is gone');
  return row;
}

/** The row as it is now. @throws Error when it is gone */
export async function getGroup({ read }: Store, { id }: { id: GroupId }): Promise<GroupRow> {
  const row = await findGroupRow(read, id);
  if (row === undefined) throw new Error('the group is gone');
  return row;
}

/** The three facts of a link, as [desired, observed, pending]. */
export type Facts = readonly [number | null, number | null, number | null];

/** Where a link is, and what is stored beside its facts. */
export interface LinkPlace {
  readonly group: { id: GroupId };
  readonly user: { id: UserId };
  /** `memberships` when absent. */
  readonly table?: LinkTable;
  readonly putIn?: number;
  /** Epoch milliseconds. */
  readonly retryAt?: number;
}

/** Stores one link. */
export async function addLink(store: Store, place: LinkPlace, facts: Facts): Promise<void> {
  const { group, user, table = 'memberships', putIn = 0, retryAt } = place;
  const [desired, observed, pending] = facts;
  await store.write(async (tx) => {
    await saveLinks(tx, table, group.id, [{ userId: user.id, desired, observed, pending, putIn }]);
    if (retryAt === undefined) return;
    await tx
      .updateTable(table)
      .set({ retry_at: retryAt })
      .where('group_id', '=', group.id)
      .where('user_id', '=', user.id)
      .execute();
  });
}

/** One link as it is now. */
export interface StoredLink {
  readonly facts: Facts;
  readonly putIn: number;
  readonly retryAt: number | null;
}

/** The link between these two, or undefined. */
export async function findLink(store: Store, place: LinkPlace): Promise<StoredLink | undefined> {
  const row = await store.read
    .selectFrom(place.table ?? 'memberships')
    .selectAll()
    .where('group_id', '=', place.group.id)
    .where('user_id', '=', place.user.id)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { desired, observed, pending, put_in, retry_at } = row;
  return { facts: [desired, observed, pending], putIn: put_in, retryAt: retry_at };
}

/** The facts of the link between these two, or undefined. */
export async function findFacts(store: Store, place: LinkPlace): Promise<Facts | undefined> {
  return (await findLink(store, place))?.facts;
}

/** Inserts a row for each number. A column is a value or made of `n`; undefined: the database gives it. */
export async function insertMany(
  tx: Db,
  table: string,
  row: object,
  { first, last }: { first: number; last: number },
): Promise<void> {
  const columns = Object.entries(row).filter(([, value]) => value !== undefined);
  const names = sql.join(columns.map(([name]) => sql.ref(name)));
  const values = sql.join(columns.map(([, value]) => value));
  await sql`
    insert into ${sql.table(table)} (${names})
    with recursive numbers(n) as (
      select ${sql.lit(first)} union all select n + 1 from numbers where n < ${sql.lit(last)})
    select ${values} from numbers`.execute(tx);
}
