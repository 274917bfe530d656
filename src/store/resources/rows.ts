import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Insertable, type RawBuilder, type Selectable, sql, type UpdateObject } from 'kysely';
import type { GivenKey, GroupId, UserId } from '../../domain/ids.ts';
import { hasEntities } from '../engine/columns.ts';
import { chunks, forUpdate, readInChunks, readParts } from '../engine/dialect.ts';
import { toAssignments, toValues } from '../engine/row-sql.ts';
import { StoreError } from '../engine/store-error.ts';
import { touchGroupsOf } from '../links/of-users.ts';
import type { ResourcesTable, Schema } from '../schema.ts';
import type { Db, Part } from '../store.ts';
import { keepFormerNames } from './known-names.ts';

type ResourceType = GivenKey['type'];
/** Ids by the types of what they name. */
interface Ids {
  readonly user: UserId;
  readonly group: GroupId;
}
/** Row of a type, and its key too: see the schema for its columns. */
type Typed<Row, Type extends ResourceType> = Row & { readonly type: Type; readonly id: Ids[Type] };

/** A user as stored. */
export type UserRow = Typed<Selectable<ResourcesTable>, 'user'>;
/** A group as stored, without its members. */
export type GroupRow = Typed<Selectable<ResourcesTable>, 'group'>;
/** Row of a user or group. */
export type ResourceRow = UserRow | GroupRow;
/** Rows of a type. */
export type RowOf<Type extends ResourceType> = Extract<ResourceRow, { readonly type: Type }>;
/** The columns of a new row. */
export type NewRow<Type extends ResourceType = ResourceType> = Typed<
  Insertable<ResourcesTable>,
  Type
>;
/** The columns of a change. */
export type RowChange = UpdateObject<Schema, 'resources'>;

/** Type and id of a row. */
interface Key<Type extends ResourceType> {
  readonly type: Type;
  readonly id: string;
}

/**
 * Reads the rows that a condition selects; an order, a limit and a lock may follow it. Written as SQL, which costs kysely
 * least: some of it is read several times by each write.
 */
export async function selectRows<Type extends ResourceType>(
  db: Db,
  type: Type,
  which: RawBuilder<unknown>,
): Promise<RowOf<Type>[]> {
  const { rows } = await sql<
    RowOf<Type>
  >`select * from resources where type = ${sql.lit(type)} and ${which}`.execute(db);
  return rows;
}

/** Finds the row of a user or group, deleted or not. */
export async function findRow<Type extends ResourceType>(
  db: Db,
  { type, id }: Key<Type>,
): Promise<RowOf<Type> | undefined> {
  return (await selectRows(db, type, sql`id = ${id}`))[0];
}

/** Finds a user or group that is not deleted. */
export async function findLiveRow<Type extends ResourceType>(
  db: Db,
  { type, id }: Key<Type>,
): Promise<RowOf<Type> | undefined> {
  return (await selectRows(db, type, sql`id = ${id} and deleted_at is null`))[0];
}

/** Reads a row that the caller knows to be there. @throws StoreError when it is not */
export async function getRow<Type extends ResourceType>(
  db: Db,
  key: Key<Type>,
): Promise<RowOf<Type>> {
  const row = await findRow(db, key);
  if (row === undefined) throw new StoreError('store-failed', `${key.type} ${key.id} is not there`);
  return row;
}

/** Finds a row as `findRow` does, locked until the transaction ends. */
export async function lockRow<Type extends ResourceType>(
  tx: Db,
  { type, id }: Key<Type>,
): Promise<RowOf<Type> | undefined> {
  return (await selectRows(tx, type, sql`id = ${id} ${forUpdate(tx)}`))[0];
}

/** The rows of these ids, deleted or not, in no order. */
export async function listRowsById<Type extends ResourceType>(
  db: Db,
  type: Type,
  ids: readonly string[],
): Promise<RowOf<Type>[]> {
  return readInChunks(ids, (some) => selectRows(db, type, sql`id in (${sql.join(some)})`));
}

/** Adds a user or group. @throws StoreError when another live one that is managed has the name, or one its account. */
export async function insertRow<Type extends ResourceType>(
  tx: Db,
  row: NewRow<Type>,
): Promise<RowOf<Type>> {
  const { rows } = await sql<RowOf<Type>>`
    insert into resources ${toValues([row])} returning *`.execute(tx);
  const [stored] = rows;
  if (stored === undefined) throw new StoreError('store-failed', 'a new row is not there');
  return stored;
}

/** Adds users or groups as the service shows them, and returns their rows. @throws StoreError `store-conflict` when one is known by now. */
export async function insertRows(tx: Db, rows: readonly NewRow[]): Promise<ResourceRow[]> {
  return readInChunks(rows, async (some) => {
    const inserted = sql<ResourceRow>`insert into resources ${toValues(some)} returning *`;
    return (await inserted.execute(tx)).rows;
  });
}

/**
 * Changes a user or group, and remembers the names that it loses. The groups that show a user get a new version with the
 * name that they show. The caller has read the row in the same transaction.
 * @param held the row as it was read; absent: its names are read again where they may change
 */
export async function updateRow(
  tx: Db,
  { type, id }: GivenKey,
  change: RowChange,
  held?: HeldRow,
): Promise<void> {
  if (Object.keys(change).length === 0) return;
  if (losesName(change)) await keepNames(tx, { type, id }, change, held);
  await sql`update resources set ${toAssignments(change)} where id = ${id}`.execute(tx);
  const isNamedAsBefore = change.name === undefined || change.name === held?.name;
  if (type === 'group' || (isNamedAsBefore && change.deleted_at === undefined)) return;
  await touchGroupsOf(tx, id, typeof change.modified_at === 'number' ? change.modified_at : 0);
}

/** Columns of names, beside the addresses in `names`. */
const NAME_COLUMNS = ['name_folded', 'observed_user_name_folded', 'observed_email_folded'] as const;

type NamedRow = Pick<ResourceRow, (typeof NAME_COLUMNS)[number]>;

/** A row as `updateRow` needs it: with the name that groups show. */
type HeldRow = NamedRow & Pick<ResourceRow, 'name'>;

/** True when a change may take a name from a user or group. */
function losesName(change: RowChange): boolean {
  return NAME_COLUMNS.some((column) => change[column] !== undefined);
}

async function keepNames(
  tx: Db,
  key: GivenKey,
  change: RowChange,
  held: NamedRow | undefined,
): Promise<void> {
  // No name of an erased user is kept either.
  if (typeof change.erased_at === 'number') return;
  const row = held ?? (await findRow(tx, key));
  if (row === undefined) return;
  const old = NAME_COLUMNS.map((column) => row[column]);
  const names = NAME_COLUMNS.map((column) => {
    const next = change[column];
    return typeof next === 'string' || next === null ? next : row[column];
  });
  await keepFormerNames(tx, key.id, { old, names });
}

/** Removes a user or group with its links: it was never created, or is unmanaged and not in the service any more. */
export async function deleteRow(tx: Db, { id }: { readonly id: string }): Promise<void> {
  await sql`delete from resources where id = ${id}`.execute(tx);
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

/** Lists users or groups in order of creation. */
export async function listRows<Type extends ResourceType>(
  db: Db,
  type: Type,
  { afterSeq, limit, of }: Part & { readonly of: ListOf },
): Promise<RowOf<Type>[]> {
  const page = sql`seq > ${afterSeq} ${CONDITIONS[of]} order by seq limit ${limit}`;
  return selectRows(db, type, page);
}

/** Reads users or groups in order of creation, `limit` at a time. Many reads in a row would block the event loop. */
export async function* readRows<Type extends ResourceType>(
  db: Db,
  type: Type,
  { limit, of }: { readonly limit: number; readonly of: ListOf },
): AsyncGenerator<RowOf<Type>[]> {
  for await (const rows of readParts(limit, (part) => listRows(db, type, { ...part, of }))) {
    yield rows;
    await nextTurn();
  }
}

/** Reads the users or groups of these numbers, in their order; `lock`: locked until the transaction ends. */
export async function readBySeq<Type extends ResourceType>(
  db: Db,
  type: Type,
  { seqs, lock }: { readonly seqs: readonly number[]; readonly lock: boolean },
): Promise<RowOf<Type>[]> {
  const end = lock ? sql`order by seq ${forUpdate(db)}` : sql`order by seq`;
  return readInChunks(seqs, (some) => selectRows(db, type, sql`seq in (${sql.join(some)}) ${end}`));
}

/** Counts the live users or groups that the service was seen to have, and so the price of a complete list. */
export async function countKnown(db: Db, type: ResourceType): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from resources
    where type = ${sql.lit(type)} and upstream_id is not null and deleted_at is null`.execute(db);
  return Number(rows[0]?.count ?? 0);
}

/** Finds which of these users or groups are not deleted. */
export async function findLive(
  db: Db,
  type: ResourceType,
  ids: readonly string[],
): Promise<Set<string>> {
  const live = await readInChunks(ids, async (some) => {
    const found = sql<{ id: string }>`select id from resources
      where id in (${sql.join(some)}) and type = ${sql.lit(type)} and deleted_at is null`;
    return (await found.execute(db)).rows;
  });
  return new Set(live.map(({ id }) => id));
}

/** Ends the doubt about these users or groups, where nothing is due. */
export async function trust(tx: Db, ids: readonly (UserId | GroupId)[]): Promise<void> {
  for (const some of chunks(ids)) {
    await sql`update resources set must_look = 0
      where id in (${sql.join(some)}) and due_at is null`.execute(tx);
  }
}

/** Condition of a live managed group that has lists of its own in the service. */
const HAS_LISTS = sql`origin is not null and deleted_at is null and upstream_uid is not null`;

/** Lists live managed groups with an observed or a wanted admin. */
export async function listGroupsWithAdmins(db: Db): Promise<GroupId[]> {
  const named = sql`select group_id from links where list = 'admin'`;
  const rows = await selectRows(db, 'group', sql`${HAS_LISTS} and seq in (${named}) order by seq`);
  return rows.map(({ id }) => id);
}

/** Lists live managed groups whose admins a provider or a rule ever named: the admins of others are not ours. */
export async function listGroupsWithOwnedAdmins(db: Db, part: Part): Promise<GroupRow[]> {
  const named = sql`select group_id from links where list = 'admin' and desired is not null`;
  return listWithLists(db, sql`(admins_asked = 1 or seq in (${named}))`, part);
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
  return selectRows(db, 'group', sql`${page} order by seq limit ${limit}`);
}

/**
 * Forgets an unmanaged user or group that the service has no more, and its links: the same account counts as a new user
 * when it comes back. `now` is epoch milliseconds.
 */
export async function endObserved(tx: Db, row: ResourceRow, now: number): Promise<void> {
  if (row.type === 'user') await touchGroupsOf(tx, row.id, now);
  await deleteRow(tx, row);
}

/** Notes beside the last observation of a user or group that the service does not have it any more. */
export async function noteGone(tx: Db, key: GivenKey, now: number): Promise<void> {
  const row = await findRow(tx, key);
  if (row === undefined || row.observed === null) return;
  const observed = JSON.stringify({ ...JSON.parse(row.observed), goneAt: now });
  await sql`update resources set observed = ${observed} where id = ${row.id}`.execute(tx);
}
