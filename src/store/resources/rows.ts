import type { Sql } from 'sql-template-tag';
import sql from 'sql-template-tag';
import { listFoldedEmails } from '../../domain/address.ts';
import { onlyEchoes } from '../../domain/cell.ts';
import { onlyEntities } from '../../domain/entity.ts';
import type { ObservedGroup, ObservedUser } from '../../domain/kinds.ts';
import type { GivenKey, GroupId, ResourceKey, UserId } from '../../domain/values.ts';
import { userId } from '../../domain/values.ts';
import { findGraceEnd } from '../credentials.ts';
import { isSameJson, NOTHING_OPEN } from '../engine/columns.ts';
import { execute, literal, readParts, select, toAssignments } from '../engine/dialect.ts';
import { StoreError } from '../engine/store-error.ts';
import { leaveGroups, notifyGroupsOf, touchGroupsOf } from '../links/of-users.ts';
import type { Db } from '../store.ts';
import type { Choice, Insertable, Row, Where } from '../tables.ts';
import { insertAll, listWhere, putAll, updateWhere } from '../tables.ts';

/** Users or groups. */
export type ResourceType = GivenKey['type'];
type Typed<Row, Type extends ResourceType> = Row & {
  readonly type: Type;
  readonly id: { readonly user: UserId; readonly group: GroupId }[Type];
};
type Seen<Type extends ResourceType> = {
  readonly observed: { readonly user: ObservedUser; readonly group: ObservedGroup }[Type] | null;
};
type Stored<Type extends ResourceType> = Typed<Omit<Row<'resources'>, 'observed'>, Type> &
  Seen<Type>;

/** A user as stored. */
export type UserRow = Stored<'user'>;
/** A group as stored, without its members. */
export type GroupRow = Stored<'group'>;
/** Row of a user or group. */
export type ResourceRow = UserRow | GroupRow;
/** Rows of a type. */
export type RowOf<Type extends ResourceType> = Extract<ResourceRow, { readonly type: Type }>;
/** The columns of a new row. */
export type NewRow<Type extends ResourceType = ResourceType> = Typed<Insertable<'resources'>, Type>;
type Names = (typeof NAME_COLUMNS)[number] | 'name' | 'attributes';
/** The columns of a change; undefined: it stays. */
export type RowChange = Partial<Pick<ResourceRow, Names>> & {
  readonly [Column in Exclude<keyof ResourceRow, Names>]?: ResourceRow[Column] | undefined;
};

type Key<Type extends ResourceType> = { readonly type: Type; readonly id: string };

/** Reads the rows that a condition selects; order, limit and lock may follow it. */
export const selectRows = <Type extends ResourceType>(db: Db, type: Type, which: Sql) =>
  readResources<RowOf<Type>>(db, sql`type = ${literal(type)} and ${which}`);

/** The same of both. */
export const readResources = <Found extends object = ResourceRow>(db: Db, which: Sql) =>
  select<Found>(db)`select * from resources where ${which}`;

/** Lists users or groups by their columns, as `listWhere` lists rows of any table. */
export const listRows = <Type extends ResourceType>(
  db: Db,
  type: Type,
  where: Where<'resources'>,
  choice: Choice<'resources'> = {},
): Promise<RowOf<Type>[]> => listWhere(db, 'resources', { ...where, type: literal(type) }, choice);

/** Condition of users and groups that are not deleted. */
export const LIVE = { deleted_at: null } as const;
/** Condition of those that the bridge may write, the deleted too. */
export const MANAGED = { origin: { '<>': null } } as const;

/** Condition of those that are both. */
export const LIVE_MANAGED = { ...MANAGED, ...LIVE };

/** Finds the row of a user or group, deleted or not. */
export const findRow = async <Type extends ResourceType>(db: Db, { type, id }: Key<Type>) =>
  (await listRows(db, type, { id }))[0];

/** Finds a row as `findRow` does, locked until the transaction ends. */
export const lockRow = async <Type extends ResourceType>(tx: Db, { type, id }: Key<Type>) =>
  (await listRows(tx, type, { id }, { lock: true }))[0];

/** Reads a row that the caller knows to be there. @throws StoreError when it is not */
export async function getRow<Type extends ResourceType>(db: Db, key: Key<Type>) {
  const row = await findRow(db, key);
  if (row === undefined) throw new StoreError('store-failed', `${key.type} ${key.id} is gone`);
  return row;
}

/** Adds a user or group, as `insertRows` does. */
export const insertRow = async <Type extends ResourceType>(tx: Db, row: NewRow<Type>) =>
  (await insertRows(tx, [row]))[0] ?? getRow(tx, row);

/** Adds users or groups with their addresses. @throws StoreError `store-conflict` when another live managed one has the name or the account */
export async function insertRows<Type extends ResourceType>(
  tx: Db,
  rows: readonly NewRow<Type>[],
): Promise<RowOf<Type>[]> {
  const stored = await insertAll<'resources', RowOf<Type>>(tx, 'resources', rows);
  const addresses = stored.flatMap((row) =>
    listEmails(row.type, row).map((name) => ({ resource: row.id, name })),
  );
  await insertAll(tx, 'names', addresses);
  return stored;
}

/**
 * Changes a user or group, given as it was read in this transaction, with the addresses by which filters find a user, and
 * remembers the names that it loses. The groups that show a user get a new version with the name that they show.
 */
export async function updateRow(tx: Db, row: ResourceRow, change: RowChange): Promise<void> {
  if (Object.values(change).every((value) => value === undefined)) return;
  await keepNames(tx, row, change);
  await execute(tx)`update resources set ${toAssignments(change)} where id = ${row.id}`;
  const isNamedAsBefore = change.name === undefined || change.name === row.name;
  if (row.type === 'group' || (isNamedAsBefore && change.deleted_at === undefined)) return;
  await touchGroupsOf(tx, row.id, change.modified_at ?? 0);
}

/** Stores the columns that differ from what was read, so that what the transaction changed elsewhere in the row stays. */
export function saveRow(tx: Db, before: ResourceRow, after: ResourceRow): Promise<void> {
  const changed = Object.entries(after).filter(
    ([column, value]) => !isSameJson(value, Reflect.get(before, column)),
  );
  return updateRow(tx, before, Object.fromEntries(changed));
}

const NAME_COLUMNS = ['name_folded', 'observed_user_name_folded', 'observed_email_folded'] as const;

const listEmails = (type: ResourceType, { attributes }: Pick<ResourceRow, 'attributes'>) =>
  type === 'user' ? listFoldedEmails(attributes) : [];

/** Keeps the shown addresses of a user, and remembers the names that a change takes away: a rename ends no protection. */
async function keepNames(tx: Db, row: ResourceRow, change: RowChange): Promise<void> {
  const isTouched = [...NAME_COLUMNS, 'attributes' as const].some(
    (column) => change[column] !== undefined && !isSameJson(change[column], row[column]),
  );
  // No name of an erased user is kept either.
  if (!isTouched || typeof change.erased_at === 'number') return;
  const after: Pick<ResourceRow, Names> = { ...row, ...change };
  const [had, has] = [listEmails(row.type, row), listEmails(row.type, after)];
  const left = new Set([...NAME_COLUMNS.map((column) => after[column]), ...has]);
  const gone = new Set([...NAME_COLUMNS.map((column) => row[column]), ...had]).difference(left);
  const toRows = (names: Iterable<string | null>, former: 0 | 1) =>
    [...names].flatMap((name) => (name ? [{ resource: row.id, name, former }] : []));
  const changed = [...toRows(new Set(has).difference(new Set(had)), 0), ...toRows(gone, 1)];
  await putAll(tx, 'names', ['name', 'resource'], changed);
}

/** Removes a user or group with its links: never created, or unmanaged and gone. The groups that show a user change with it. */
export async function deleteRow(tx: Db, { type, id }: GivenKey, now: number): Promise<void> {
  if (type === 'user') await touchGroupsOf(tx, id, now);
  await execute(tx)`delete from resources where id = ${id}`;
}

/** Reads users or groups in order of creation, so many at a time. */
export const readRows = <Type extends ResourceType>(
  db: Db,
  type: Type,
  { limit: size, where = {} }: { readonly limit?: number; readonly where?: Where<'resources'> },
) =>
  readParts(
    ({ afterSeq, limit }) =>
      listRows(db, type, { ...where, seq: { '>': afterSeq } }, { order: 'seq', limit }),
    size,
  );

/** Makes a deleted user or group a new one under another id. What the service holds and calls may still do stays known; departures stand, and within the grace there were none. */
export async function revive<Type extends ResourceKey['type']>(
  tx: Db,
  row: ResourceRow,
  { id, type, ...columns }: NewRow<Type>,
  now: number,
): Promise<RowOf<Type>> {
  const isUser = row.type === 'user';
  const isInGrace = row.provider === columns.provider && (await findGraceEnd(tx, row)) > now;
  if (isUser && !isInGrace) await leaveGroups(tx, row.id, now);
  await execute(tx)`update resources set id = ${id} where id = ${row.id}`;
  await updateWhere(tx, 'own_calls', { resource_id: row.id }, { resource_id: id });
  const mayExist = row.sent_creates.length > 0;
  await updateRow(tx, await getRow(tx, { type, id }), {
    ...NOTHING_OPEN,
    cells: isUser ? onlyEchoes(row.cells) : onlyEntities(row.cells),
    sent_creates: row.sent_creates,
    // A call that is on its way finds no row of its id to record its outcome in.
    must_look: Math.max(row.must_look, mayExist ? 1 : 0),
    unsure_until: row.unsure_until,
    version: row.version + 1,
    due_class: 1,
    deleted_at: null,
    left_at: null,
    out_at: null,
    erased_at: null,
    seat_since: null,
    ...columns,
  });
  // What waited for the deactivation waits for nothing now.
  if (isUser) await notifyGroupsOf(tx, userId(id), now);
  return getRow(tx, { type, id });
}

/** Locks the first of these deleted rows whose create may have left something, and returns it; undefined: there is none. */
export async function lockLost<Type extends ResourceType>(
  tx: Db,
  type: Type,
  deleted: readonly RowOf<Type>[],
): Promise<RowOf<Type> | undefined> {
  const isLost = (row: ResourceRow) =>
    row.sent_creates.length > 0 && (row.type === 'group' || row.upstream_id === null);
  const id = deleted.find(isLost)?.id;
  const row = id && (await lockRow(tx, { type, id }));
  return row && row.deleted_at !== null && isLost(row) ? row : undefined;
}
