import { setImmediate as nextTurn } from 'node:timers/promises';
import sql, { empty, join, raw, Sql } from 'sql-template-tag';
import { JSON_COLUMNS } from '../schema.ts';
import type { Db, ListPart } from '../store.ts';
import { StoreError } from './store-error.ts';

/** True for PostgreSQL; for the few statements that the two engines spell differently. */
export const isPostgres = (db: Db) => db.engine === 'postgres';

/** Statement after which those of its transaction take as long as they take. PostgreSQL only. */
export const UNLIMITED = 'set local statement_timeout = 0';

/** How rows are locked: others wait, those that are locked are passed by, or they stay as they are. */
type RowLock = 'update' | 'update skip locked' | 'share' | 'key share';

/** SQL that locks the rows which are read until the transaction ends; nothing where one write runs at a time. */
export function forUpdate(tx: Db, how: RowLock = 'update'): Sql {
  return isPostgres(tx) ? raw(`for ${how}`) : empty;
}

/** Holds a lock of no row until the commit; `shared` locks out exclusive holders alone. SQLite needs none. */
export async function lockUntilCommit(
  tx: Db,
  name: 'migration' | 'owners' | 'rules' | 'plans' | 'shared-state' | 'former-ids',
  mode: 'alone' | 'shared' = 'alone',
): Promise<void> {
  if (!isPostgres(tx)) return;
  const lock = raw(mode === 'shared' ? '_shared' : '');
  await execute(tx)`select pg_advisory_xact_lock${lock}(hashtext(${`scim-bridge ${name}`}))`;
}

/** Now (epoch milliseconds), by the clock of the server where hosts share the store, else by the host's. */
export const storeNow = (db: Db, hostNow: number) =>
  isPostgres(db) ? SERVER_NOW : sql`${hostNow}`;

/** Now (epoch milliseconds), by the clock of the server. PostgreSQL only. */
export const SERVER_NOW = sql`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Ids and rows of one statement: below every engine's limit of parameters. */
const CHUNK = 500;

/** Cuts a list into statements' worth. @param size entries of one statement, for those that take long */
export function* chunks<T>(list: readonly T[], size = CHUNK): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

/** Values of one insert: a statement of more is prepared anew each time, and SQLite holds it until it is collected. */
const VALUES_MAX = 1_000;

/** Number of such rows that one insert adds. */
export const toInsertSize = ([row = {}]: readonly object[]) =>
  Math.ceil(VALUES_MAX / Math.max(Object.keys(row).length, 1));

/** Reads what a long list names, a statement's worth of it at a time. @param size as of `chunks` */
export async function readInChunks<T, Row>(
  list: readonly T[],
  read: (some: T[]) => Promise<readonly Row[]>,
  size?: number,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const some of chunks(list, size)) rows.push(...(await read(some)));
  return rows;
}

/** Reads a list in the order of its numbers, so many rows at a time. Many reads in a row would block the event loop. */
export async function* readParts<Row extends { readonly seq: number }>(
  read: (part: ListPart) => Promise<Row[]>,
  limit = CHUNK,
): AsyncGenerator<Row[]> {
  for (let afterSeq = 0; ; ) {
    const rows = await read({ afterSeq, limit });
    const last = rows.at(-1);
    if (last !== undefined) yield rows;
    if (last === undefined || rows.length < limit) return;
    await nextTurn();
    afterSeq = last.seq;
  }
}

/** SQL of a text of ours that is part of the statement, so that a partial index with the same text answers it. */
export const literal = (text: string): Sql => raw(`'${text.replaceAll("'", "''")}'`);

/** SQL of the changed columns of a row; undefined ones are left out. */
export const toAssignments = (change: object): Sql =>
  join(listGiven(change).map(([column, value]) => new Sql([`${column} = `, ''], [toSql(value)])));

/** SQL of new rows, as `toAssignments`. @throws StoreError when one has a column that another has not */
export function toValues(rows: readonly object[]): Sql {
  const columns = listGiven(rows[0] ?? {}).map(([column]) => column);
  const values = rows.map((row) => {
    const given = columns.map((column): unknown => Reflect.get(row, column));
    if (given.includes(undefined) || listGiven(row).length > columns.length)
      throw new StoreError('store-failed', 'rows of one statement differ in columns');
    return join(given.map(toSql), ',', '(', ')');
  });
  return sql`(${raw(columns.join())}) values ${join(values)}`;
}

/** Objects and lists are stored as JSON. */
const toSql = (value: unknown) =>
  typeof value !== 'object' || value === null || value instanceof Sql
    ? value
    : JSON.stringify(value);

const listGiven = (row: object): [string, unknown][] =>
  Object.entries(row).filter(([, value]) => value !== undefined);

/** Condition that all of these hold; what is not given is none. */
export function allOf(conditions: readonly (Sql | undefined | false | '')[]): Sql {
  const given = conditions.filter((condition) => typeof condition === 'object');
  return given.length === 0 ? sql`1 = 1` : sql`(${join(given, ' and ')})`;
}

/** Runs a query of one number; null, or no row, is 0. */
export const readNumber = async (db: Db, query: Sql) =>
  (await readOne<{ number: number | null }>(db)`select (${query}) as number`).number ?? 0;

/** Tag of a statement in SQL, which runs it and returns how many rows it has changed. */
export const execute =
  (tx: Db) =>
  async (texts: TemplateStringsArray, ...values: readonly unknown[]): Promise<number> =>
    (await tx.run(sql(texts, ...values))).changes;

/** Tag of a statement in SQL, which runs it and returns its rows, with their JSON parsed. */
export function select<Row extends object = object>(db: Db) {
  return async (texts: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]> =>
    parseRows((await db.run<Row>(sql(texts, ...values))).rows);
}

function parseRows<Row extends object>(rows: Row[]): Row[] {
  const columns = Object.keys(rows[0] ?? {}).filter((name) => JSON_COLUMNS.has(name));
  for (const column of columns) {
    for (const row of rows) {
      const text: unknown = Reflect.get(row, column);
      if (typeof text === 'string') Reflect.set(row, column, JSON.parse(text));
    }
  }
  return rows;
}

/** The same of a statement that gives one row, such as one of counts. */
export function readOne<Row extends object>(db: Db) {
  return async (texts: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row> => {
    const [row] = await select<Row>(db)(texts, ...values);
    if (row === undefined) throw new StoreError('store-failed', 'a statement gave no row');
    return row;
  };
}
