import { chmodSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { BridgeError } from '../domain/errors.ts';
import { select, UNLIMITED } from './engine/dialect.ts';
import { MOVED, migrate } from './engine/migrate.ts';
import { connect, toSqliteStoreError } from './engine/sqlite-file.ts';
import type { Db, Store } from './store.ts';

/** The two stores of a move. */
export interface Move {
  /** The SQLite file, which is only read. */
  readonly source: DatabaseSync;
  /** PostgreSQL; migrated by the move. */
  readonly target: Store;
  /** Called with the number of rows that are copied and compared. */
  readonly onProgress: (part: { readonly done: number; readonly total: number }) => void;
}

/**
 * Copies every table into an empty store and compares each row as it was stored, in one transaction: nothing stays of a
 * move that fails or is cut off. Returns the tables.
 * @throws BridgeError `move-failed`; StoreError. The source is only read.
 */
export async function moveStore({ source, target, onProgress }: Move): Promise<SourceTable[]> {
  await assertFree(target);
  await migrate(target);
  const tables = listTables(source);
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  await target.write(async (tx) => {
    await takeTables(tx, tables);
    let done = 0;
    for (const table of tables) {
      await assertEmpty(tx, table);
      for (const rows of readBatches(source, table)) {
        await copyRows(tx, table, rows);
        done += rows.length;
        onProgress({ done, total });
      }
      await continueNumbers(tx, table);
    }
  });
  return tables;
}

/** Makes sure that the target is of the bridge or empty, and can hold every text. @throws BridgeError `move-failed` */
async function assertFree({ read }: Store): Promise<void> {
  const rows = await select<{ encoding: string; tables: number; isBridge: boolean }>(read)`
    select current_setting('server_encoding') as encoding,
      to_regclass('migrations') is not null as "isBridge",
      (select count(*) from information_schema.tables where table_schema = current_schema()) as tables`;
  const [found] = rows;
  if (found?.encoding !== 'UTF8') {
    throw toFailure(`the target is encoded in ${found?.encoding ?? 'nothing'}, not in UTF8`);
  }
  if (found.isBridge || found.tables === 0) return;
  throw toFailure('the target holds tables of something else: give it a database of its own');
}

/** Keeps everybody else away from the tables until the commit, and takes the limits of time away. */
async function takeTables(tx: Db, tables: readonly SourceTable[]): Promise<void> {
  await sql.raw(UNLIMITED).execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const names = sql.join(tables.map(({ name }) => sql.table(name)));
  await sql`lock table ${names} in access exclusive mode`.execute(tx);
}

async function assertEmpty(tx: Db, { name }: SourceTable): Promise<void> {
  const rows = await select(tx)`select 1 from ${sql.table(name)} limit 1`;
  if (rows.length === 0) return;
  throw toFailure(
    `the target holds another store already (${name} has rows): give it an empty database`,
  );
}

/** Inserts rows in one JSON, of which the table knows the types, because a parameter for each value is more work. */
async function copyRows(
  tx: Db,
  { name, columns }: SourceTable,
  rows: readonly TextRow[],
): Promise<void> {
  const names = columns.map((column) => sql.ref(column));
  const texts = names.map((column) => sql`${column}::text`);
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column, n) => [column, row[n]])),
  );
  const stored = await select<{ row: TextRow }>(tx)`
    insert into ${sql.table(name)} (${sql.join(names)}) select ${sql.join(names)}
    from json_populate_recordset(null::${sql.table(name)}, ${JSON.stringify(objects)}::json)
    returning array[${sql.join(texts)}] as row`;
  const arrived = stored.map(({ row }) => row);
  if (isDeepStrictEqual(arrived, rows)) return;
  throw toFailure(`${name} did not arrive as it is; the target is as it was`);
}

/** Lets a table that numbers its rows go on behind the last number that was ever given out. */
async function continueNumbers(tx: Db, { name, numbered }: SourceTable): Promise<void> {
  if (numbered === undefined || numbered.last < 1n) return;
  const sequence = sql`pg_get_serial_sequence(${name}, ${numbered.column})`;
  await sql`select setval(${sequence}, ${numbered.last.toString()}::bigint)`.execute(tx);
}

function toFailure(message: string): BridgeError {
  return new BridgeError('move-failed', message);
}

/** A row in the order of its columns, each value as the text that PostgreSQL has for it; null where there is none. */
export type TextRow = readonly (string | null)[];

/** A table of the store that is moved. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Of a table that numbers its rows: the column, and the last number that was given out, which never is again. */
  readonly numbered: { readonly column: string; readonly last: bigint } | undefined;
}

/** All tables of the bridge, each behind those that it refers to. @throws StoreError */
function listTables(file: DatabaseSync): SourceTable[] {
  // In the order in which they were made, for which PostgreSQL needs what a table refers to before it.
  const names = file
    .prepare(
      `select name from sqlite_schema where type = 'table'
       and name not like 'sqlite\\_%' escape '\\' and name <> 'migrations' order by rowid`,
    )
    .all()
    .map(({ name }) => String(name));
  const lastNumber = file.prepare('select seq from sqlite_sequence where name = ?');
  lastNumber.setReadBigInts(true);
  return names.map((name) => {
    const columns = file
      .prepare('select name from pragma_table_info(?) order by pk desc')
      .all(name)
      .map((column) => String(column.name));
    const rows = file.prepare(`select count(*) as n from "${name}"`).get()?.n;
    const { seq } = lastNumber.get(name) ?? {};
    // A number is the primary key alone, which comes first here.
    const [column = ''] = columns;
    const numbered = typeof seq === 'bigint' ? { column, last: seq } : undefined;
    return { name, columns, rows: Number(rows ?? 0), numbered };
  });
}

const BATCH_MAX = 1_024 * 1_024;

/** Rows of a table in batches that are small enough for a statement. @throws BridgeError for what cannot be moved */
function* readBatches(file: DatabaseSync, { name, columns }: SourceTable): Generator<TextRow[]> {
  const quoted = columns.map((column) => `"${column}"`).join(', ');
  const statement = file.prepare(`select ${quoted} from "${name}"`);
  statement.setReadBigInts(true);
  let batch: TextRow[] = [];
  let size = 0;
  for (const row of statement.iterate()) {
    const texts = columns.map((column) => toText(row[column], `${name}.${column}`));
    batch.push(texts);
    // The names of the columns come with each row.
    size += texts.reduce((sum, text) => sum + (text?.length ?? 0), 200);
    if (size < BATCH_MAX) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The value as PostgreSQL reads and writes it. */
function toText(value: unknown, place: string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string' && !value.includes('\0')) return value;
  const what =
    typeof value === 'string'
      ? 'a NUL, which PostgreSQL cannot keep'
      : 'a value that is no text and no whole number';
  throw new BridgeError('move-failed', `${place} holds ${what}`);
}

/**
 * Marks a file as moved away and makes it read-only, so that no bridge starts on it by mistake. @throws StoreError
 */
export function sealSqlite(path: string): void {
  change(path, (file) => {
    file.prepare('insert or ignore into migrations (name) values (?)').run(MOVED);
  });
  chmodSync(path, 0o400);
}

/** Makes a moved file a store again. @throws StoreError */
export function unsealSqlite(path: string): void {
  chmodSync(path, 0o600);
  change(path, (file) => file.prepare('delete from migrations where name = ?').run(MOVED));
}

/** The change is in the file itself in the end, not in a log beside it. */
function change(path: string, write: (file: DatabaseSync) => void): void {
  const file = connect(path, { readOnly: false });
  try {
    file.exec('pragma synchronous=full');
    write(file);
    file.exec('pragma wal_checkpoint(truncate)');
  } catch (error) {
    throw toSqliteStoreError(error);
  } finally {
    file.close();
  }
}
