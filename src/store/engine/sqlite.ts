import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { SQLInputValue } from 'node:sqlite';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { EngineStore, StoreOptions } from '../store.ts';
import { createLocalBell } from '../store.ts';
import type { Run } from './session.ts';
import { createSessions } from './session.ts';
import { StoreError, toSqliteStoreError } from './store-error.ts';
import { watchUsers } from './touched.ts';

/** Pages that reads keep in memory, in KiB. The operating system keeps the rest, at the price of a copy. */
const READER_CACHE_KIB = 8 * 1_024;

/** `synchronous=FULL` survives a loss of power; `secure_delete` leaves no trace of deleted rows. */
const WRITER_PRAGMAS =
  'pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on; pragma secure_delete=on';

/** The embedded store: a writer, whose writes share commits, and a read-only reader. The file is its owner's alone. @throws StoreError */
export function openSqlite(
  path: string,
  { beside }: Pick<StoreOptions, 'beside'> = {},
): EngineStore {
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
  const touched = new Set<number>();
  const hearers: Parameters<NonNullable<EngineStore['watchUsers']>>[0][] = [];
  const tellTouched = () => {
    if (touched.size > 0) for (const hear of hearers) hear(touched);
    touched.clear();
  };
  const enqueue = createWriteQueue(writer, watchPlace(path), tellTouched);
  const { open, watch, transact, onStatement } = createSessions('sqlite');
  const run = watch(createRun(writer));
  const read = open(watch(createRun(reader)));
  const undo = async () => {
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
    onStatement,
    watchUsers(hear) {
      if (hearers.push(hear) === 1) watchUsers(writer, (seq) => touched.add(seq));
    },
    connections: () => undefined,
    write: (work) => enqueue(() => transact(run, boundaries, work)),
    async scrub() {
      // Pages of before lie in the log until it is emptied, which no transaction may meet.
      while (writer.isTransaction) await nextTurn();
      writer.exec('pragma wal_checkpoint(truncate)');
    },
    close: async () => opened.dispose(),
  };
}

/** Remembers the file at a path. The returned function throws where another one is there by now. @throws StoreError */
function watchPlace(path: string): () => void {
  const findFile = () => orStoreError(() => statSync(path, { throwIfNoEntry: false }));
  const opened = findFile();
  return () => {
    const there = findFile();
    if (there !== undefined && there.ino === opened?.ino && there.dev === opened.dev) return;
    const message = `the store ${path} was removed or replaced while it is open`;
    throw new StoreError('store-replaced', message);
  };
}

/** More than all fixed queries together. */
const STATEMENTS_MAX = 500;
/** Length from which on a text is not kept: it holds a list, of another length the next time. */
const KEPT_LENGTH_MAX = 4_000;
/** SQLite plans a statement anew each time that a limit is bound, unless the limit is an expression. */
const BOUND_LIMIT = /\blimit \?/g;
/** Time of statements in a row, in milliseconds, after which the event loop is left to others once. */
const ROW_MS = 20;

/** Creates what runs statements. Short texts are prepared once, until there are too many. */
function createRun(database: DatabaseSync): Run {
  const cache = new Map<string, ReturnType<typeof prepare>>();
  let pausedAt = 0;

  function prepare(text: string) {
    const statement = database.prepare(text.replace(BOUND_LIMIT, '$& + 0'));
    // node:sqlite makes rows that V8 keeps as hash tables: three times as dear to read and to copy as these.
    statement.setReturnArrays(true);
    const prepared = { statement, names: statement.columns().map(({ name }) => name) };
    if (cache.size >= STATEMENTS_MAX) cache.clear();
    if (text.length <= KEPT_LENGTH_MAX) cache.set(text, prepared);
    return prepared;
  }

  return async <Row>(text: string, parameters: readonly unknown[]) => {
    if (performance.now() - pausedAt > ROW_MS) {
      await nextTurn();
      pausedAt = performance.now();
    }
    try {
      const { statement, names } = cache.get(text) ?? prepare(text);
      const values = parameters.map(toInputValue);
      if (names.length > 0)
        return { rows: parseRows<Row>(names, statement.all(...values)), changes: 0 };
      return { rows: [], changes: Number(statement.run(...values).changes) };
    } catch (error) {
      throw toSqliteStoreError(error);
    }
  };
}

/** The rows of a statement that returns arrays, which its type does not say. */
function parseRows<Row>(names: readonly string[], rows: unknown): Row[] {
  return (rows as readonly (readonly unknown[])[]).map((values) => {
    const row: Record<string, unknown> = {};
    // Most of what is read passes here: a loop by index makes no entry for each value.
    for (let index = 0; index < names.length; index += 1) row[names[index] ?? ''] = values[index];
    return row as Row;
  });
}

/** Checks that both engines bind the value alike. Flags are stored as 0 and 1, times as numbers. */
function toInputValue(value: unknown): SQLInputValue {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  if (value === null || value instanceof Uint8Array) return value;
  throw new StoreError('store-failed', `a value of type ${typeof value} cannot be stored`);
}

/** Time that a call waits for another process (a backup, a shell) before `store-busy`. The event loop waits too. */
const BUSY_TIMEOUT_MS = 5_000;

/** Takes the file for this process by a lock beside it that ends with the process. @throws StoreError `store-in-use`, also for a hard link */
export function takeFile(path: string, waitMs = BUSY_TIMEOUT_MS): DatabaseSync {
  const lockPath = `${findRealPath(path)}-lock`;
  createFile(lockPath);
  const lock = connect(lockPath, { readOnly: false, waitMs });
  try {
    orStoreError(() => lock.exec('begin exclusive'));
    return lock;
  } catch (cause) {
    lock.close();
    if (!(cause instanceof StoreError) || cause.code !== 'store-busy') throw cause;
    const message = `another process has the store ${path}: end that one first`;
    throw new StoreError('store-in-use', message, { cause });
  }
}

/** The path without symbolic links, so that every path to one file leads to one lock. @throws StoreError */
function findRealPath(path: string): string {
  if (!existsSync(path)) return path;
  if (statSync(path).nlink === 1) return realpathSync(path);
  const message = `the store ${path} has a second name (a hard link): remove one`;
  throw new StoreError('store-in-use', message);
}

/** Makes a file for its owner alone, and its folder, where there is none. @throws StoreError */
export function createFile(path: string): void {
  orStoreError(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  });
}

/** A connection to a file. @throws StoreError */
export function connect(
  path: string,
  { readOnly, waitMs = BUSY_TIMEOUT_MS }: { readOnly: boolean; waitMs?: number },
): DatabaseSync {
  return orStoreError(() => new DatabaseSync(path, { readOnly, timeout: waitMs }));
}

/** Does what may fail in the words of SQLite or the operating system. @throws StoreError */
export function orStoreError<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}

/** Writes of one transaction at most: they share a commit well, and do not hold the event loop for long. */
const BATCH_MAX = 64;

/** Group commit: those that wait at the same moment run one after another and share one commit. Each undoes its own changes before it rejects. */
function createWriteQueue(writer: DatabaseSync, assertInPlace: () => void, ended: () => void) {
  type Answer = () => void;
  type Job = { run(): Promise<Answer>; reject(error: unknown): void };
  const waiting: Job[] = [];
  let isDraining = false;

  async function drain(): Promise<void> {
    isDraining = true;
    while (waiting.length > 0) {
      // The events of this turn of the loop are handled first: their writes join the batch. A lone write
      // waits for nothing but them.
      await nextTurn();
      await runBatch(waiting.splice(0, BATCH_MAX));
    }
    isDraining = false;
  }

  async function runBatch(batch: readonly Job[]): Promise<void> {
    const answers: Answer[] = [];
    try {
      assertInPlace();
      writer.exec('begin immediate');
      for (const job of batch) answers.push(await job.run());
      writer.exec('commit');
    } catch (error) {
      if (writer.isTransaction) writer.exec('rollback');
      for (const { reject } of batch) reject(toSqliteStoreError(error));
      return;
    } finally {
      ended();
    }
    for (const answer of answers) answer();
  }

  /** Settles only after the commit, so that what `write` returns is durable. */
  return <T>(write: () => Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const refuse = (error: unknown): Answer => {
        // A full disk or an I/O error makes SQLite undo the whole transaction: none of the batch is kept.
        if (!writer.isTransaction) throw error;
        return () => reject(error);
      };
      waiting.push({ run: () => write().then((value) => () => resolve(value), refuse), reject });
      if (!isDraining) void drain();
    });
}
