import { chmodSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import { BridgeError } from '../domain/values.ts';
import { readOne, select, toValues, UNLIMITED } from './engine/dialect.ts';
import { MOVED, migrate } from './engine/migrate.ts';
import { connect, orStoreError } from './engine/sqlite.ts';
import { TABLES } from './schema.ts';
import type { Db, Store } from './store.ts';

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
): Promise<{ readonly name: string; readonly rows: number }[]> {
  await assertFree(target);
  await migrate(target);
  const tables = Object.keys(TABLES).map((name) => {
    const counted = source.prepare(`select count(*) as n from "${name}"`).get();
    return { name, rows: Number(counted?.n) };
  });
  const total = tables.reduce((sum, { rows }) => sum + rows, 0);
  await target.write(async (tx) => {
    await takeTables(tx);
    let done = 0;
    for (const { name } of tables) {
      for (const rows of readBatches(source, name)) {
        const arrived = await select(tx)`
          insert into ${sql.table(name)} ${toValues(rows)} returning *`;
        if (!isDeepStrictEqual(arrived, rows))
          throw toFailure(`${name} did not arrive as it is; the target is as it was`);
        done += rows.length;
        onProgress({ done, total });
      }
    }
    await continueNumbers(tx, source);
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

/** Locks the tables until the commit, without limits of time. @throws BridgeError `move-failed` if one has rows */
async function takeTables(tx: Db): Promise<void> {
  await sql.raw(UNLIMITED).execute(tx);
  await sql`set local idle_in_transaction_session_timeout = 0`.execute(tx);
  const tables = Object.keys(TABLES).map((name) => sql.table(name));
  await sql`lock table ${sql.join(tables)} in access exclusive mode`.execute(tx);
  for (const table of tables) {
    const rows = await select(tx)`select 1 from ${table} limit 1`;
    if (rows.length > 0)
      throw toFailure('the target holds another store already: give it an empty database');
  }
}

/** Rows of one statement: each value is a parameter, of which PostgreSQL takes 65,535. */
const BATCH_MAX = 500;

function* readBatches(file: DatabaseSync, table: string): Generator<object[]> {
  let batch: object[] = [];
  for (const row of file.prepare(`select * from "${table}"`).iterate()) {
    // Those of SQLite have no prototype, which a comparison would tell apart.
    if (batch.push({ ...row }) < BATCH_MAX) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Lets the tables that number their rows go on behind the last number that was ever given out, which never is again. */
async function continueNumbers(tx: Db, source: DatabaseSync): Promise<void> {
  const lastOf = source.prepare('select seq from sqlite_sequence where name = ?');
  for (const [name, { columns }] of Object.entries(TABLES)) {
    const last = Number(lastOf.get(name)?.seq ?? 0);
    const [serial] = Object.keys(columns);
    if (last > 0)
      await sql`select setval(pg_get_serial_sequence(${name}, ${serial}), ${last})`.execute(tx);
  }
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
