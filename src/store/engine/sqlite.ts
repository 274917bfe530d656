import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Kysely } from 'kysely';
import { createTurns, type Turns } from '../../domain/turns.ts';
import { createLocalBell } from '../bell.ts';
import type { Schema } from '../schema.ts';
import type { Store } from '../store.ts';
import { type Commits, createCommits } from './sqlite-commit.ts';
import { cachedStatements, SavepointDialect } from './sqlite-dialect.ts';
import { connect, createFile, takeFile, toSqliteStoreError } from './sqlite-file.ts';
import { createStatementLog, type StatementLog } from './statement-log.ts';
import { createWriteQueue, type WriterTransaction } from './write-queue.ts';

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
  const { settled, ...transaction } = writerTransaction(writer, path);
  const commit = () => {
    transaction.commit();
    commits += 1;
  };
  const queue = createWriteQueue({ ...transaction, commit }, batchMax);
  const turns = createTurns();
  const statements = createStatementLog();
  const write = toKysely(writer, turns, statements);
  const read = toKysely(reader, turns, statements);

  return {
    engine: 'sqlite',
    read,
    aside: read,
    bell: createLocalBell(),
    generation: () => commits,
    onStatement: statements.listen,
    connections: () => undefined,
    write: (work) => queue.run(() => write.transaction().execute(work)),
    scrub: async () => {
      // Pages of before lie in the log until it is emptied, which no transaction may meet.
      await settled();
      while (writer.isTransaction) await nextTurn();
      writer.exec('pragma wal_checkpoint(truncate)');
    },
    close: async () => {
      await queue.close();
      await settled();
      // kysely does not close a connection that it never used. The writer is closed last: it leaves one file, without
      // the log.
      await read.destroy();
      if (reader.isOpen) reader.close();
      await write.destroy();
      if (writer.isOpen) writer.close();
      if (lock.isOpen) lock.close();
    },
  };
}

/** A database in memory alone, without tables. */
export function openInMemory(): Kysely<Schema> {
  const connection = connect(':memory:', { readOnly: false });
  return toKysely(connection, createTurns(), createStatementLog());
}

function openWriter(path: string): DatabaseSync {
  createFile(path);
  const writer = connect(path, { readOnly: false });
  try {
    writer.exec('pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on');
    // Overwrites deleted rows, so that the file keeps no trace of them.
    writer.exec('pragma secure_delete=on');
    return writer;
  } catch (error) {
    writer.close();
    throw toSqliteStoreError(error);
  }
}

function toKysely(
  connection: DatabaseSync,
  turns: Turns,
  { measure }: StatementLog,
): Kysely<Schema> {
  const database = cachedStatements(connection, { statementsMax, measure });
  const isInTransaction = () => connection.isTransaction;
  return new Kysely<Schema>({
    dialect: new SavepointDialect({ database, isInTransaction, turns }),
  });
}

function writerTransaction(writer: DatabaseSync, path: string): WriterTransaction & Commits {
  const execute = (text: string) => {
    try {
      writer.exec(text);
    } catch (error) {
      throw toSqliteStoreError(error);
    }
  };
  return {
    begin: () => execute('begin immediate'),
    ...createCommits(writer, { path, execute }),
    rollback: () => {
      if (writer.isTransaction) execute('rollback');
    },
    isOpen: () => writer.isTransaction,
  };
}
