import { type Stats, statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLocalBell } from '../bell.ts';
import type { Store, StoreOptions } from '../store.ts';
import type { StatementListener } from './dialect.ts';
import { connect, createFile, takeFile, toSqliteStoreError } from './sqlite-file.ts';
import { openSession } from './sqlite-session.ts';
import { StoreError } from './store-error.ts';
import { WriteQueue } from './write-queue.ts';

/** Pages that reads keep in memory, in KiB. The operating system keeps the rest, at the price of a copy. */
const readerCacheKiB = 8 * 1_024;

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
  const queue = new WriteQueue(writer, watchPlace(path));
  const listener: StatementListener = {};
  const { write } = openSession(writer, listener);
  const { db: read } = openSession(reader, listener);

  return {
    engine: 'sqlite',
    read,
    aside: read,
    bell: createLocalBell(),
    generation: () => queue.commits,
    onStatement: (tell) => {
      listener.tell = tell;
    },
    connections: () => undefined,
    write: (work) => queue.run(() => write(work)),
    scrub: async () => {
      // Pages of before lie in the log until it is emptied, which no transaction may meet.
      while (writer.isTransaction) await nextTurn();
      writer.exec('pragma wal_checkpoint(truncate)');
    },
    close: async () => {
      await queue.close();
      // The writer is closed last: it leaves one file, without the log.
      for (const connection of [reader, writer, lock]) if (connection?.isOpen) connection.close();
    },
  };
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
