import { type Stats, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { createLocalBell } from '../bell.ts';
import type { Store, StoreOptions } from '../store.ts';
import type { StatementListener } from './dialect.ts';
import { cachedStatements, openSession, type SqliteSession } from './sqlite-dialect.ts';
import { connect, createFile, takeFile, toSqliteStoreError } from './sqlite-file.ts';
import { StoreError } from './store-error.ts';
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
export function openSqlite(path: string, { beside }: Pick<StoreOptions, 'beside'> = {}): Store {
  if (!beside) createFile(path);
  const lock = beside ? undefined : takeFile(path);
  try {
    return openLocked(path, lock);
  } catch (error) {
    lock?.close();
    throw error;
  }
}

function openLocked(path: string, lock: DatabaseSync | undefined): Store {
  const writer = openWriter(path);
  const reader = connect(path, { readOnly: true });
  reader.exec(`pragma cache_size=-${readerCacheKiB}`);
  const { settled, count, ...transaction } = createTransaction(writer, path);
  const queue = createWriteQueue(transaction, batchMax);
  const listener: StatementListener = {};
  const { write } = toSession(writer, listener);
  const { db: read } = toSession(reader, listener);

  return {
    engine: 'sqlite',
    read,
    aside: read,
    bell: createLocalBell(),
    generation: count,
    onStatement: (tell) => {
      listener.tell = tell;
    },
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
      for (const connection of [reader, writer, lock]) if (connection?.isOpen) connection.close();
    },
  };
}

function toSession(connection: DatabaseSync, listener: StatementListener): SqliteSession {
  const statements = cachedStatements(connection, { statementsMax, listener });
  return openSession(statements, () => connection.isTransaction);
}

function openWriter(path: string): DatabaseSync {
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

/** The transaction of the writer, whose large commits are made beside the event loop as far as they can be. */
interface OwnTransaction extends WriterTransaction {
  /** Number of commits so far. */
  count(): number;
  /** Resolves when nothing is at work beside the event loop. */
  settled(): Promise<void>;
}

/** Changed rows from which a commit is large: its pages and their way into the file take longer than a turn may. */
const LARGE_ROWS = 1_000;
/** Pages of the log at which a commit copies them into the file by itself; SQLite's default. */
const CHECKPOINT_PAGES = 1_000;

/** Copies the log into the file on a connection of its own. A text, because a worker loads no TypeScript of a package. */
const CHECKPOINT = `
  const { DatabaseSync } = require('node:sqlite');
  const { workerData } = require('node:worker_threads');
  const database = new DatabaseSync(workerData);
  database.exec('pragma synchronous=full; pragma wal_checkpoint(passive)');
  database.close();`;

/**
 * Creates the transaction of the writer. The log of a large one is brought to the disk before its commit and copied into
 * the file behind it, both on other threads; otherwise the commit would do both at once and hold the event loop. Every
 * method throws StoreError.
 */
function createTransaction(writer: DatabaseSync, path: string): OwnTransaction {
  const countChanges = writer.prepare('select total_changes() as changes');
  const assertInPlace = watchPlace(path);
  let count = 0;
  let committed = 0;
  let copying: Promise<void> | undefined;
  let isLarge = false;

  function execute(text: string): void {
    try {
      writer.exec(text);
    } catch (error) {
      throw toSqliteStoreError(error);
    }
  }

  async function copy(): Promise<void> {
    await checkpoint(path);
    copying = undefined;
    if (writer.isOpen) execute(`pragma wal_autocheckpoint=${CHECKPOINT_PAGES}`);
  }

  return {
    begin() {
      assertInPlace();
      execute('begin immediate');
    },
    prepare() {
      const changes = Number(countChanges.get()?.changes);
      isLarge = changes - committed >= LARGE_ROWS;
      committed = changes;
      return isLarge ? flush(`${path}-wal`) : undefined;
    },
    commit() {
      if (isLarge) execute('pragma wal_autocheckpoint=0');
      execute('commit');
      count += 1;
      if (isLarge) copying ??= copy();
    },
    rollback() {
      if (writer.isTransaction) execute('rollback');
    },
    isOpen: () => writer.isTransaction,
    count: () => count,
    settled: async () => copying,
  };
}

/**
 * Remembers which file lies at a path now. The function that it returns throws where another one does, or none: what is written
 * then would be lost at the next start, which opens the path. @throws StoreError `store-replaced`
 */
function watchPlace(path: string): () => void {
  const opened = findFile(path);
  return () => {
    const there = findFile(path);
    if (there !== undefined && there.ino === opened?.ino && there.dev === opened.dev) return;
    throw new StoreError(
      'store-replaced',
      `the store ${path} was removed or replaced while it is open`,
    );
  };
}

function findFile(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}

/** Brings what is written of a file to the disk, on another thread. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r+');
  try {
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Ends also where it could not copy: the next commit does. */
function checkpoint(path: string): Promise<void> {
  const worker = new Worker(CHECKPOINT, { eval: true, workerData: path, execArgv: [], env: {} });
  return new Promise((resolve) => {
    worker.once('error', () => undefined).once('exit', () => resolve());
  });
}
