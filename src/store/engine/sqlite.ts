import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createTurns, type Turns } from '../../domain/turns.ts';
import { createLocalBell } from '../bell.ts';
import type { Db, Store } from '../store.ts';
import { type Commits, createCommits } from './sqlite-commit.ts';
import { cachedStatements, openSession, type SqliteSession } from './sqlite-dialect.ts';
import { connect, createFile, takeFile, toSqliteStoreError, watchPlace } from './sqlite-file.ts';
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
  const { settled, count, ...transaction } = writerTransaction(writer, path);
  const queue = createWriteQueue(transaction, batchMax);
  const turns = createTurns();
  const statements = createStatementLog();
  const { write } = toSession(writer, turns, statements);
  const { db: read } = toSession(reader, turns, statements);

  return {
    engine: 'sqlite',
    read,
    aside: read,
    bell: createLocalBell(),
    generation: count,
    onStatement: statements.listen,
    connections: () => undefined,
    write: (work) => queue.run(() => write(work)),
    scrub: async () => {
      // Pages of before lie in the log until it is emptied, which no transaction may meet.
      await settled();
      while (writer.isTransaction) await nextTurn();
      writer.exec('pragma wal_checkpoint(truncate)');
    },
    close: async () => {
      await queue.close();
      await settled();
      // The writer is closed last: it leaves one file, without the log.
      for (const connection of [reader, writer, lock]) if (connection.isOpen) connection.close();
    },
  };
}

/**
 * One connection beside the store, and what closes it: to a file that is only read, or, without a path, to a database in
 * memory alone that has no tables.
 */
export function openConnection(path?: string): { readonly db: Db; close(): void } {
  const connection = connect(path ?? ':memory:', { readOnly: path !== undefined });
  const { db } = toSession(connection, createTurns(), createStatementLog());
  return { db, close: () => connection.close() };
}

function toSession(
  connection: DatabaseSync,
  turns: Turns,
  { measure }: StatementLog,
): SqliteSession {
  return openSession(cachedStatements(connection, { statementsMax, measure }), {
    turns,
    isInTransaction: () => connection.isTransaction,
  });
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

function writerTransaction(writer: DatabaseSync, path: string): WriterTransaction & Commits {
  const translated = (run: () => unknown) => () => {
    try {
      run();
    } catch (error) {
      throw toSqliteStoreError(error);
    }
  };
  const [begin, commit] = [writer.prepare('begin immediate'), writer.prepare('commit')];
  const execute = (text: string) => translated(() => writer.exec(text))();
  const assertInPlace = watchPlace(path);
  return {
    begin: translated(() => {
      assertInPlace();
      begin.run();
    }),
    ...createCommits(writer, { path, commit: translated(() => commit.run()), execute }),
    rollback: () => {
      if (writer.isTransaction) execute('rollback');
    },
    isOpen: () => writer.isTransaction,
  };
}
