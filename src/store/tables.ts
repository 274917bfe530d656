import sql, { empty, join, raw, Sql } from 'sql-template-tag';
import {
  allOf,
  chunks,
  execute,
  forUpdate,
  lockUntilCommit,
  readInChunks,
  readOne,
  select,
  toAssignments,
  toInsertSize,
  toValues,
} from './engine/dialect.ts';
import type { NewRowOf, RowOf } from './engine/table.ts';
import type { Schema } from './schema.ts';
import type { Db } from './store.ts';

type Table = keyof Schema;
/** Row of a table: see the schema for its columns. */
export type Row<Name extends Table> = RowOf<Schema[Name]>;

/** Comparisons of a column with a value; `<>` null: it has any value. */
type Bounds<Value> = Partial<
  Readonly<Record<'<' | '<=' | '>' | '>=' | '<>' | 'like', Value | Sql | null>>
> & { readonly 'not in'?: readonly Value[] };

type Is<Value> = Value | readonly Value[] | Bounds<NonNullable<Value>> | Sql;

/** Condition of rows: all of these columns are so. An id is compared with any text. */
export type Where<Name extends Table> = {
  readonly [Column in keyof Row<Name>]?:
    | Is<[Column, Row<Name>[Column]] extends ['id', string] ? string : Row<Name>[Column]>
    | undefined;
};

type Order<Name extends Table> = `${keyof Row<Name> & string}${'' | ' desc'}`;

/** Order and number of the rows of a list. */
export interface Choice<Name extends Table> {
  readonly order?: Order<Name> | readonly Order<Name>[];
  readonly limit?: number;
  /** How the rows are locked until the transaction ends; true: for an update. */
  readonly lock?: boolean | 'share' | 'key share';
}

/** Lists rows of a table. With more values of a column than one statement takes, they come in no order. */
export function listWhere<Name extends Table, Found extends object = Row<Name>>(
  db: Db,
  table: Name,
  where: Where<Name>,
  { order = [], limit, lock = false }: Choice<Name> = {},
): Promise<Found[]> {
  const by = typeof order === 'string' ? order : order.join(', ');
  const sorted = by === '' ? empty : sql`order by ${raw(by)}`;
  const limited = limit === undefined ? empty : sql`limit ${limit}`;
  const end = sql`${sorted} ${limited} ${lock ? forUpdate(db, lock === true ? 'update' : lock) : empty}`;
  return run(db, sql`select * from ${raw(table)}`, where, end);
}

/** Part of a list, the newest first: at most so many rows, before the one with the number `from`. */
export type NewestPart = { readonly from: number; readonly limit: number };

/** Lists rows of a table that numbers them, the newest first. */
export function listNewest<Name extends Table>(
  db: Db,
  table: Name,
  where: Where<Name>,
  { from, limit }: NewestPart,
): Promise<Row<Name>[]> {
  const end = sql`order by seq desc limit ${limit}`;
  return run(db, sql`select * from ${raw(table)}`, { ...where, seq: { '<': from } }, end);
}

/** Finds a row of a table; undefined: there is none. */
export async function findOne<Name extends Table>(
  db: Db,
  table: Name,
  where: Where<Name>,
  choice: Choice<Name> = {},
): Promise<Row<Name> | undefined> {
  return (await listWhere(db, table, where, { ...choice, limit: 1 }))[0];
}

/** Counts rows of a table. */
export async function countWhere<Name extends Table>(
  db: Db,
  table: Name,
  where: Where<Name>,
): Promise<number> {
  const count = sql`select count(*) as count from ${raw(table)}`;
  const counts = await run<{ count: number }>(db, count, where, empty);
  return counts.reduce((sum, { count }) => sum + count, 0);
}

/** A row to be added: see the schema for what may be left out. */
export type Insertable<Name extends Table> = NewRowOf<Schema[Name]>;

type NewRow<Name extends Table, New = Insertable<Name>> = {
  readonly [Column in keyof New]: New[Column] | Sql;
};

/** Adds rows to a table, and returns them as stored. */
export const insertAll = <Name extends Table, Found extends object = Row<Name>>(
  tx: Db,
  table: Name,
  rows: readonly NewRow<Name>[],
  conflict: Sql = empty,
) =>
  readInChunks(
    rows,
    (some) =>
      select<Found>(tx)`
        insert into ${raw(table)} ${toValues(some)} ${conflict} returning *`,
    toInsertSize(rows),
  );

/** Adds a row to a table, and returns it as stored. */
export const insertOne = <Name extends Table>(tx: Db, table: Name, row: NewRow<Name>) =>
  readOne<Row<Name>>(tx)`insert into ${raw(table)} ${toValues([row])} returning *`;

/** The same, without rows that a unique index knows already: they are not among those that are returned. */
export const insertNew = <Name extends Table>(
  tx: Db,
  table: Name,
  rows: readonly NewRow<Name>[],
): Promise<Row<Name>[]> => insertAll(tx, table, rows, sql`on conflict do nothing`);

/** Stores rows, each in the place of the one with the same key, where `isOpen` holds of that one. */
export async function putAll<Name extends Table>(
  tx: Db,
  table: Name,
  key: readonly (keyof Row<Name> & string)[],
  rows: readonly NewRow<Name>[],
  isOpen: Sql = sql`1 = 1`,
): Promise<void> {
  const set = Object.keys(rows[0] ?? {}).map(
    (column) => sql`${raw(column)} = ${raw(`excluded.${column}`)}`,
  );
  for (const some of chunks(rows, toInsertSize(rows))) {
    await execute(tx)`insert into ${raw(table)} ${toValues(some)}
      on conflict (${join(key.map((column) => raw(column)))})
      do update set ${join(set)} where ${isOpen}`;
  }
}

/** Changes rows of a table, and returns them as they are then. */
export const updateWhere = <Name extends Table>(
  tx: Db,
  table: Name,
  where: Where<Name>,
  change: Partial<Row<Name>>,
): Promise<Row<Name>[]> => run(tx, sql`update ${raw(table)} set ${toAssignments(change)}`, where);

/** Deletes rows of a table, and returns them. */
export const deleteWhere = <Name extends Table>(
  tx: Db,
  table: Name,
  where: Where<Name>,
): Promise<Row<Name>[]> => run(tx, sql`delete from ${raw(table)}`, where);

async function run<Found extends object>(
  db: Db,
  act: Sql,
  where: object,
  end = sql`returning *`,
): Promise<Found[]> {
  const parts: Found[][] = [];
  for (const which of toConditions(where)) {
    parts.push(await select<Found>(db)`${act} where ${which} ${end}`);
  }
  return parts.flat();
}

/** SQL of a condition, in parts where a list of values is too long for one statement; none for an empty list. */
function toConditions(where: object): Sql[] {
  const columns: [string, unknown][] = Object.entries(where);
  const toCondition = (given: object) =>
    allOf(Object.entries(given).flatMap(([name, is]) => compare(raw(name), is)));
  const lists = columns.flatMap(([name, is]) => (Array.isArray(is) ? [{ name, is }] : []));
  const [longest] = lists.toSorted((a, b) => b.is.length - a.is.length);
  if (longest === undefined) return [toCondition(where)];
  const { name, is } = longest;
  return [...chunks<unknown>(is)].map((some) => toCondition({ ...where, [name]: some }));
}

function compare(column: Sql, is: unknown): Sql[] {
  if (is === undefined) return [];
  if (is === null) return [sql`${column} is null`];
  if (Array.isArray(is)) return [sql`${column} in (${join(is.length === 0 ? [null] : is)})`];
  if (typeof is !== 'object' || is instanceof Sql) return [sql`${column} = ${is}`];
  return Object.entries(is).map(([operator, value]: [string, unknown]) => {
    if (value === null) return sql`${column} is not null`;
    if (!Array.isArray(value)) return sql`${column} ${raw(operator)} ${value}`;
    return value.length === 0 ? sql`1 = 1` : sql`${column} not in (${join(value)})`;
  });
}

/** Makes the state that the store keeps under this name, for all processes and across restarts; its user alone knows the shape that is stored. */
export function createShared<Value>(name: string) {
  /** Finds it; undefined: it is not known. `lock`: until the transaction ends, so that processes take turns. */
  async function find(db: Db, lock = false): Promise<Value | undefined> {
    const row = await findOne(db, 'state', { name }, { lock });
    return row && JSON.parse(row.value);
  }

  /** Stores it, over what was. `now` is epoch milliseconds. */
  const save = (tx: Db, value: Value, now: number) =>
    putAll(tx, 'state', ['name'], [{ name, value: JSON.stringify(value), updated_at: now }]);

  return {
    find,
    save,
    /** Changes it, one process after the other, also where it is not stored yet. Returns it as it is then. */
    async change(tx: Db, now: number, change: (before: Value | undefined) => Value) {
      await lockUntilCommit(tx, 'shared-state');
      const value = change(await find(tx));
      await save(tx, value, now);
      return value;
    },
    /** Forgets it; false: it was not known. Of several processes one forgets it. */
    delete: async (tx: Db) => (await deleteWhere(tx, 'state', { name })).length > 0,
  };
}
