import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import sql, { raw } from 'sql-template-tag';
import { BridgeError } from '../domain/values.ts';
import { execute, readOne, select, toValues, UNLIMITED } from './engine/dialect.ts';
import { findMisfit, MOVED, migrate } from './engine/migrate.ts';
import { connect, createFile, orStoreError, takeFile } from './engine/sqlite.ts';
import { TABLES } from './schema.ts';
import type { Db, Store } from './store.ts';

/** Takes a file for work without a bridge; one that is stopping is waited for a moment. @throws StoreError `store-in-use` */
export const lockSqlite = (path: string) => takeFile(path, 200);

const FILES = ['', '-wal', '-shm'] as const;

/** Writes one moment of the store into a new file, and checks it. @throws BridgeError `backup-failed` */
export function backUpSqlite(path: string, target: string): void {
  if (!existsSync(path)) throw new BridgeError('backup-failed', `there is no store at ${path}`);
  if (existsSync(target)) throw new BridgeError('backup-failed', `${target} exists already`);
  using part = createPart(target);
  orRefuse(`the store ${path} cannot be copied to ${part.path}`, () => {
    using store = connect(path, { readOnly: true });
    // One read of everything, which writers do not wait for.
    store.prepare('vacuum into ?').run(part.path);
  });
  proveSqlite(part.path, `the copy of ${path}`);
  moveInPlace(part.path, target);
}

/** A new file beside the target: in the end nothing is left of it but what was moved in place. */
function createPart(target: string) {
  const path = `${target}.part`;
  const remove = () => {
    for (const end of [...FILES, '-lock']) rmSync(`${path}${end}`, { force: true });
  };
  orRefuse(`${path} cannot be written`, () => {
    remove();
    createFile(path);
  });
  return { path, [Symbol.dispose]: remove };
}

/** Does what fails where the disk is full for instance. @throws BridgeError `backup-failed`, with the words of the failure */
function orRefuse<T>(words: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : '';
    throw new BridgeError('backup-failed', `${words}: ${why}`, { cause });
  }
}

function proveSqlite(path: string, named = path): void {
  if (!existsSync(path)) throw new BridgeError('backup-failed', `there is no file ${path}`);
  const fault = findFault(inspectSqlite(path));
  if (fault !== undefined) throw new BridgeError('backup-failed', `${named} ${fault}`);
}

/** Why this version cannot use a file as a store; undefined: it can. */
export function findFault({ isWhole, migrations }: ReturnType<typeof inspectSqlite>) {
  if (!isWhole) return 'is damaged';
  if (migrations.length === 0) return 'is no store of the bridge';
  return findMisfit(migrations)?.words;
}

/** Reads all of a file to prove it whole, and which migrations it has had; none when it is no store. @throws BridgeError `backup-failed` */
export function inspectSqlite(path: string) {
  return orRefuse(`${path} cannot be read as a store`, () => {
    using file = connect(path, { readOnly: true });
    const { integrity_check: found } = file.prepare('pragma integrity_check(1)').get() ?? {};
    const isWhole = found === 'ok';
    const tables = file.prepare("select name from sqlite_master where name = 'migrations'");
    const isStore = isWhole && tables.get() !== undefined;
    const rows = isStore ? file.prepare('select name from migrations').all() : [];
    return { isWhole, migrations: rows.map(({ name }) => String(name)) };
  });
}

/**
 * Puts a copy of a backup, once `prepare` is done with it, in the place of the store, which is kept at `keptAs`.
 * @throws StoreError `store-in-use` while the bridge runs; BridgeError `backup-failed`
 */
export async function replaceSqlite(
  { path, from, keptAs }: Readonly<Record<'path' | 'from' | 'keptAs', string>>,
  prepare: (part: string) => Promise<void>,
): Promise<void> {
  proveSqlite(from);
  using _lock = lockSqlite(path);
  using part = createPart(path);
  orRefuse(`${from} cannot be copied to ${part.path}`, () => copyFileSync(from, part.path));
  // A copy has the rights of the backup, which may be for everybody.
  chmodSync(part.path, 0o600);
  await prepare(part.path);
  for (const end of FILES) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${keptAs}${end}`);
  }
  moveInPlace(part.path, path);
}

/** Survives a loss of power: first what the file holds, then its name. */
function moveInPlace(part: string, target: string): void {
  flush(part);
  renameSync(part, target);
  flush(dirname(target));
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Copies every table of a SQLite file, which has had the same migrations and is only read, into an empty store, and compares
 * each row as it was stored, in one transaction: nothing stays of a move that fails or is cut off. Returns the number of rows.
 * @throws BridgeError `move-failed`; StoreError
 */
export async function moveStore(source: DatabaseSync, target: Store): Promise<number> {
  type Encoded = { readonly encoding: string };
  const { encoding } = await readOne<Encoded>(target.read)`
    select current_setting('server_encoding') as encoding`;
  if (encoding !== 'UTF8') throw toFailure(`the target is encoded in ${encoding}, not in UTF8`);
  await migrate(target);
  return target.write(async (tx) => {
    await takeTables(tx);
    let moved = 0;
    for (const name of Object.keys(TABLES)) {
      for (const rows of readBatches(source, name)) {
        const arrived = await tx.run(sql`insert into ${raw(name)} ${toValues(rows)} returning *`);
        if (!isDeepStrictEqual(arrived.rows, rows))
          throw toFailure(`${name} did not arrive as it is; the target is as it was`);
        moved += rows.length;
      }
    }
    await continueNumbers(tx, source);
    return moved;
  });
}

/** Locks the tables until the commit, without limits of time. @throws BridgeError `move-failed` if one has rows */
async function takeTables(tx: Db): Promise<void> {
  await tx.run(raw(UNLIMITED));
  await execute(tx)`set local idle_in_transaction_session_timeout = 0`;
  await execute(tx)`lock table ${raw(Object.keys(TABLES).join())} in access exclusive mode`;
  for (const table of Object.keys(TABLES)) {
    const rows = await select(tx)`select 1 from ${raw(table)} limit 1`;
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
      await execute(tx)`select setval(pg_get_serial_sequence(${name}, ${serial}), ${last})`;
  }
}

const toFailure = (message: string) => new BridgeError('move-failed', message);

/** Marks a file as moved away and makes it read-only, so that no bridge starts on it by mistake, or makes it a store again. @throws StoreError */
export function markSqlite(path: string, as: 'moved' | 'store'): void {
  chmodSync(path, 0o600);
  using file = connect(path, { readOnly: false });
  orStoreError(() => {
    file.exec('pragma synchronous=full');
    file.prepare('delete from migrations where name = ?').run(MOVED);
    if (as === 'moved') file.prepare('insert into migrations (name) values (?)').run(MOVED);
    // The mark is in the file itself in the end, not in a log beside it.
    file.exec('pragma wal_checkpoint(truncate)');
  });
  if (as === 'moved') chmodSync(path, 0o400);
}
