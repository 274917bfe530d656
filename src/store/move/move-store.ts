import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { BridgeError } from '../../domain/errors.ts';
import { select, UNLIMITED } from '../engine/dialect.ts';
import { migrate } from '../engine/migrate.ts';
import type { Db, Store } from '../store.ts';
import { listTables, readBatches, type SourceTable, type TextRow } from './source.ts';

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
  if (found.isBridge || Number(found.tables) === 0) return;
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
