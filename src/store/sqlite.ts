import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import type { Store } from './database.ts';
import type { Schema } from './schema.ts';
import { SavepointDialect } from './sqlite-dialect.ts';
import { toSqliteStoreError } from './sqlite-errors.ts';
import { cachedStatements } from './sqlite-statements.ts';
import { StoreError } from './store-error.ts';
import { createWriteQueue, type WriterTransaction } from './write-queue.ts';

/** How long a call waits for another process (a backup, a shell) before `store-busy`. The event loop waits too. */
const busyTimeoutMs = 5_000;
/** More than all fixed queries together; generated ones push each other out. */
const statementsMax = 500;
/** Pages that reads keep in memory, in KiB. The operating system keeps the rest, at the price of a copy. */
const readerCacheKiB = 8 * 1_024;
/** Long enough to share a commit well, short enough not to hold the event loop for long. */
const batchMax = 64;

/**
 * The embedded store: a file with a writer and a read-only reader, so that a read sees exactly what is committed.
 * `synchronous=FULL` makes each commit survive a loss of power; concurrent writes share that cost.
 * @param path of the file, created readable for its owner only, together with its folder.
 * @throws StoreError
 */
export function openSqlite(path: string): Store {
  const lock = takeFile(path);
  try {
    return openLocked(path, lock);
  } catch (error) {
    lock.close();
    throw error;
  }
}

function openLocked(path: string, lock: DatabaseSync): Store {
  const writer = openWriter(path);
  const reader = connect(path, { readOnly: true });
  reader.exec(`pragma cache_size=-${readerCacheKiB}`);
  let commits = 0;
  const transaction = writerTransaction(writer);
  const commit = () => {
    transaction.commit();
    commits += 1;
  };
  const queue = createWriteQueue({ ...transaction, commit }, batchMax);
  const write = toKysely(writer);
  const read = toKysely(reader);

  return {
    engine: 'sqlite',
    read,
    generation: () => commits,
    write: (work) => queue.run(() => write.transaction().execute(work)),
    close: async () => {
      await queue.close();
      // One that was never used is not kysely's to close. The writer goes last: it leaves one file, without the log.
      await read.destroy();
      if (reader.isOpen) reader.close();
      await write.destroy();
      if (writer.isOpen) writer.close();
      if (lock.isOpen) lock.close();
    },
  };
}

/**
 * Takes the file for this process, which frees lanes on the belief that nobody else has it. The lock lies
 * beside the file, so that others may still read it (a backup, a shell), and ends with the process.
 * @throws StoreError `store-in-use` when it is another's after the time that a predecessor needs to end.
 */
function takeFile(path: string): DatabaseSync {
  const lockPath = `${path}-lock`;
  createFile(lockPath);
  const lock = connect(lockPath, { readOnly: false });
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (cause) {
    lock.close();
    const error = toSqliteStoreError(cause);
    if (error.code !== 'store-busy') throw error;
    const message = `another process has the store ${path}: end it, or use PostgreSQL for several`;
    throw new StoreError('store-in-use', message, { cause });
  }
}

function openWriter(path: string): DatabaseSync {
  createFile(path);
  const writer = connect(path, { readOnly: false });
  try {
    writer.exec('pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on');
    return writer;
  } catch (error) {
    writer.close();
    throw toSqliteStoreError(error);
  }
}

/** SQLite gives the files beside it (-wal, -shm) the mode of the first one. */
function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}

function connect(path: string, { readOnly }: { readOnly: boolean }): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly, timeout: busyTimeoutMs });
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}

function toKysely(connection: DatabaseSync): Kysely<Schema> {
  const database = cachedStatements(connection, statementsMax);
  const isInTransaction = () => connection.isTransaction;
  return new Kysely<Schema>({ dialect: new SavepointDialect({ database, isInTransaction }) });
}

function writerTransaction(writer: DatabaseSync): WriterTransaction {
  const execute = (text: string) => {
    try {
      writer.exec(text);
    } catch (error) {
      throw toSqliteStoreError(error);
    }
  };
  return {
    begin: () => execute('begin immediate'),
    commit: () => execute('commit'),
    rollback: () => {
      if (writer.isTransaction) execute('rollback');
    },
    isOpen: () => writer.isTransaction,
  };
}
