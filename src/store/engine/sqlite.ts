import { statSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLocalBell } from '../bell.ts';
import type { Store, StoreOptions } from '../store.ts';
import { createSessions } from './session.ts';
import { connect, createFile, orStoreError, takeFile } from './sqlite-file.ts';
import { createRun } from './sqlite-run.ts';
import { StoreError } from './store-error.ts';
import { WriteQueue } from './write-queue.ts';

/** Pages that reads keep in memory, in KiB. The operating system keeps the rest, at the price of a copy. */
const READER_CACHE_KIB = 8 * 1_024;

/**
 * `synchronous=FULL` makes each commit survive a loss of power; `secure_delete` overwrites deleted rows, so that the file
 * keeps no trace of them.
 */
const WRITER_PRAGMAS =
  'pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on; pragma secure_delete=on';

/**
 * The embedded store: a file with a writer and a read-only reader, so that a read sees exactly what is committed. Concurrent
 * writes share a commit.
 * @param path of the file, created readable for its owner only, together with its folder.
 * @throws StoreError
 */
export function openSqlite(path: string, { beside }: Pick<StoreOptions, 'beside'> = {}): Store {
  // What is opened first is closed last: the writer leaves one file, without the log.
  using opening = new DisposableStack();
  if (!beside) {
    createFile(path);
    opening.use(takeFile(path));
  }
  const writer = opening.use(connect(path, { readOnly: false }));
  orStoreError(() => writer.exec(WRITER_PRAGMAS));
  const reader = opening.use(connect(path, { readOnly: true }));
  reader.exec(`pragma cache_size=-${READER_CACHE_KIB}`);
  const queue = new WriteQueue(writer, watchPlace(path));
  const sessions = createSessions('sqlite');
  const run = sessions.watch(createRun(writer));
  const read = sessions.open(sessions.watch(createRun(reader)));
  const undo = async () => {
    // A full disk or an I/O error makes SQLite undo everything itself; the savepoint is gone with it.
    if (!writer.isTransaction) return;
    await run('rollback to write', []);
    await run('release write', []);
  };
  const boundaries = { begin: 'savepoint write', commit: 'release write', undo };
  const opened = opening.move();
  return {
    engine: 'sqlite',
    read,
    aside: read,
    bell: createLocalBell(),
    generation: () => queue.commits,
    onStatement: sessions.onStatement,
    connections: () => undefined,
    write: (work) => queue.run(() => sessions.transact(run, boundaries, work)),
    async scrub() {
      // Pages of before lie in the log until it is emptied, which no transaction may meet.
      while (writer.isTransaction) await nextTurn();
      writer.exec('pragma wal_checkpoint(truncate)');
    },
    async close() {
      await queue.close();
      opened.dispose();
    },
  };
}

/**
 * Remembers which file lies at a path now. The function that it returns throws where another one does, or none: what is written
 * then would be lost at the next start, which opens the path. @throws StoreError `store-replaced`
 */
function watchPlace(path: string): () => void {
  const findFile = () => orStoreError(() => statSync(path, { throwIfNoEntry: false }));
  const opened = findFile();
  return () => {
    const there = findFile();
    if (there !== undefined && there.ino === opened?.ino && there.dev === opened.dev) return;
    throw new StoreError(
      'store-replaced',
      `the store ${path} was removed or replaced while it is open`,
    );
  };
}
