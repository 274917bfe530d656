import { chmodSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { BridgeError } from '../domain/values.ts';
import { readOne, select, UNLIMITED } from './engine/dialect.ts';
import { MOVED, migrate } from './engine/migrate.ts';
import { connect, orStoreError } from './engine/sqlite.ts';
import { TABLES } from './schema.ts';
import type { Db, Store } from './store.ts';

/** A row in the order of its columns, each value as the text that PostgreSQL has for it; null where there is none. */
type TextRow = readonly (string | null)[];

interface MovedTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly serial: string | undefined;
  readonly rows: number;
}

/**
 * Copies every table of a SQLite file, which has had the same migrations and is only read, into an empty store, and compares
 * each row as it was stored, in one transaction: nothing stays of a move that fails or is cut off. Returns the tables.
 * @param onProgress called with the number of rows that are copied and compared
 * @throws BridgeError `move-failed`; StoreError
 */
export async function moveStore(
  source: DatabaseSync,
  target: Store,
  onProgress: (part: { readonly done: number; readonly total: number }) => void,
): Promise<MovedTable[]> {
  await assertFree(target);
  await migrate(target);
  const tables = listTables(source);
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  await target.write(async (tx) => {
    await takeTables(tx, tables);
    let done = 0;
    for (const table of tables) {
      for (const rows of readBatches(source, table)) {
        await copyRows(tx, table, rows);
        done += rows.length;
        onProgress({ done, total });
      }
      await continueNumbers(tx, table, source);
    }
  });
  return tables;
}

/** Makes sure that the target is of the bridge or empty, and can hold every text. @throws BridgeError `move-failed` */
async function assertFree({ read }: Store): Promise<void> {
  type Found = { encoding: string; tables: number; isBridge: boolean };
  const { encoding, tables, isBridge } = await readOne<Found>(read)`
    select current_setting('server_encoding') as encoding,
      to_regclass('migrations') is not null as "isBridge",
      (select count(*) from information_schema.tables where table_schema = current_schema()) as tables`;
  if (encoding !== 'UTF8') throw toFailure(`the target is encoded in ${encoding}, not in UTF8`);
  if (isBridge || tables === 0) return;
  throw toFailure('the target holds tables of something else: give it a database of its own');
}

function listTables(source: DatabaseSync): MovedTable[] {
  return Object.entries(TABLES).map(([name, { columns }]) => {
    const rows = Number(source.prepare(`select count(*) as n from "${name}"`).get()?.n);
    const [serial] = Object.entries(columns).find(([, column]) => column.sql === 'serial') ?? [];
    return { name, columns: Object.keys(columns), serial, rows };
  });
}

/** Locks the tables until the commit, without limits of time. @throws BridgeError `move-failed` if one has rows */
async function takeTables(tx: Db, tables: readonly MovedTable[]): Promise<void> {
  await sql.raw(UNLIMITED).execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const names = sql.join(tables.map(({ name }) => sql.table(name)));
  await sql`lock table ${names} in access exclusive mode`.execute(tx);
  for (const { name } of tables) {
    const rows = await select(tx)`select 1 from ${sql.table(name)} limit 1`;
    if (rows.length === 0) continue;
    throw toFailure(
      `the target holds another store already (${name} has rows): give it an empty database`,
    );
  }
}

const BATCH_MAX = 1_024 * 1_024;

/** Rows of a table in batches that are small enough for a statement. @throws BridgeError for what cannot be moved */
function* readBatches(file: DatabaseSync, { name, columns }: MovedTable): Generator<TextRow[]> {
  const statement = file.prepare(`select "${columns.join('", "')}" from "${name}"`);
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

function toText(value: unknown, place: string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'string') {
    throw toFailure(`${place} holds a value that is no text and no whole number`);
  }
  if (!value.includes('\0')) return value;
  throw toFailure(`${place} holds a NUL, which PostgreSQL cannot keep`);
}

/** Inserts rows in one JSON, of which the table knows the types, because a parameter for each value is more work. */
async function copyRows(
  tx: Db,
  { name, columns }: MovedTable,
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

/** Lets a table that numbers its rows go on behind the last number that was ever given out, which never is again. */
async function continueNumbers(
  tx: Db,
  { name, serial }: MovedTable,
  source: DatabaseSync,
): Promise<void> {
  const last = source.prepare('select seq from sqlite_sequence where name = ?').get(name)?.seq;
  if (serial === undefined || typeof last !== 'number' || last < 1) return;
  await sql`select setval(pg_get_serial_sequence(${name}, ${serial}), ${last})`.execute(tx);
}

const toFailure = (message: string) => new BridgeError('move-failed', message);

/** Marks a file as moved away and makes it read-only, so that no bridge starts on it by mistake. @throws StoreError */
export function sealSqlite(path: string): void {
  markMoved(path, 'insert or ignore into migrations (name) values (?)');
  chmodSync(path, 0o400);
}

/** Makes a moved file a store again. @throws StoreError */
export function unsealSqlite(path: string): void {
  chmodSync(path, 0o600);
  markMoved(path, 'delete from migrations where name = ?');
}

/** The mark is in the file itself in the end, not in a log beside it. */
function markMoved(path: string, statement: string): void {
  using file = connect(path, { readOnly: false });
  orStoreError(() => {
    file.exec('pragma synchronous=full');
    file.prepare(statement).run(MOVED);
    file.exec('pragma wal_checkpoint(truncate)');
  });
}
