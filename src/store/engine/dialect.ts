import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RawBuilder, SqlBool } from 'kysely';
import { PostgresAdapter, sql } from 'kysely';
import { JSON_COLUMNS } from '../schema.ts';
import type { Db, ListPart } from '../store.ts';
import { StoreError } from './store-error.ts';

/** True for PostgreSQL; for the few statements that the two engines spell differently. */
export function isPostgres(db: Db): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}

/** Statement after which those of its transaction take as long as they take. PostgreSQL only. */
export const UNLIMITED = 'set local statement_timeout = 0';

/** How rows are locked: others wait, those that are locked are passed by, or they stay as they are. */
type RowLock = 'update' | 'update skip locked' | 'share' | 'key share';

/** SQL that locks the rows which are read until the transaction ends; nothing where one write runs at a time. */
export function forUpdate(tx: Db, how: RowLock = 'update'): RawBuilder<unknown> {
  return isPostgres(tx) ? sql.raw(`for ${how}`) : sql``;
}

/** Holds a lock of no row until the commit; `shared` locks out exclusive holders alone. SQLite needs none. */
export async function lockUntilCommit(
  tx: Db,
  name: 'migration' | 'owners' | 'rules' | 'plans' | 'shared-state' | 'former-ids',
  mode: 'alone' | 'shared' = 'alone',
): Promise<void> {
  if (!isPostgres(tx)) return;
  const lock = sql.raw(mode === 'shared' ? '_shared' : '');
  await sql`select pg_advisory_xact_lock${lock}(hashtext(${`scim-bridge ${name}`}))`.execute(tx);
}

/** Now (epoch milliseconds), by the clock of the server where hosts share the store, else by the host's. */
export function storeNow(db: Db, hostNow: number): RawBuilder<number> {
  return isPostgres(db) ? SERVER_NOW : sql<number>`${hostNow}`;
}

/** Now (epoch milliseconds), by the clock of the server. PostgreSQL only. */
export const SERVER_NOW = sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`;

/** Limit of ids in one statement: below every engine's limit of parameters. */
const CHUNK = 500;

/** Cuts a list into statements' worth. @param size entries of one statement, for those that take long */
export function* chunks<T>(list: readonly T[], size = CHUNK): Generator<T[]> {
  for (let start = 0; start < list.length; start += size) yield list.slice(start, start + size);
}

/** Reads what a long list names, a statement's worth of it at a time. */
export async function readInChunks<T, Row>(
  list: readonly T[],
  read: (some: T[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const some of chunks(list)) rows.push(...(await read(some)));
  return rows;
}

/** Reads a list in the order of its numbers, at most `limit` rows at a time. Many reads in a row would block the event loop. */
export async function* readParts<Row extends { readonly seq: number }>(
  limit: number,
  read: (part: ListPart) => Promise<Row[]>,
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

/** SQL of the changed columns of a row; undefined ones are left out. kysely's builder costs more than the statement. */
export function toAssignments(change: object): RawBuilder<unknown> {
  const given = listGiven(change);
  const texts = [...given.map(([column], n) => `${n === 0 ? '' : ', '}"${column}" = `), ''];
  return sql(Object.assign(texts, { raw: texts }), ...given.map(([, value]) => toSql(value)));
}

/** SQL of new rows, as `toAssignments`. @throws StoreError when one has a column that another has not */
export function toValues(rows: readonly object[]): RawBuilder<unknown> {
  const columns = listGiven(rows[0] ?? {}).map(([column]) => column);
  const values = rows.map((row) => {
    const given = new Map(listGiven(row));
    if (given.size === columns.length && columns.every((column) => given.has(column)))
      return sql`(${sql.join(columns.map((column) => toSql(given.get(column))))})`;
    throw new StoreError('store-failed', 'rows of one statement differ in columns');
  });
  return sql`("${sql.raw(columns.join('", "'))}") values ${sql.join(values)}`;
}

/** Objects and lists are stored as JSON. */
const toSql = (value: unknown) =>
  typeof value !== 'object' || value === null || 'toOperationNode' in value
    ? value
    : JSON.stringify(value);

const listGiven = (row: object): [string, unknown][] =>
  Object.entries(row).filter(([, value]) => value !== undefined);

/** Condition that all of these hold; what is not given is none. */
export function allOf(
  conditions: readonly (RawBuilder<unknown> | undefined | false | '')[],
): RawBuilder<SqlBool> {
  const given = conditions.filter((condition) => typeof condition === 'object');
  return given.length === 0 ? sql<SqlBool>`1 = 1` : sql<SqlBool>`(${sql.join(given, sql` and `)})`;
}

/** Runs a query of one number; null, or no row, is 0. */
export const readNumber = async (db: Db, query: RawBuilder<unknown>) =>
  (await readOne<{ number: number | null }>(db)`select (${query}) as number`).number ?? 0;

/** Runs a statement, and returns how many rows it has changed. */
export async function execute(tx: Db, statement: RawBuilder<unknown>): Promise<number> {
  return Number((await statement.execute(tx)).numAffectedRows ?? 0);
}

/** Tag of a statement in SQL, which runs it and returns its rows, with their JSON parsed. */
export function select<Row extends object = object>(db: Db) {
  return async (texts: TemplateStringsArray, ...values: readonly unknown[]): Promise<Row[]> =>
    parseRows((await sql<Row>(texts, ...values).execute(db)).rows);
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
