import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, type StoreErrorCode } from './store-error.ts';

/** Time that a call waits for another process (a backup, a shell) before `store-busy`. The event loop waits too. */
const busyTimeoutMs = 5_000;

/**
 * Takes the file for this process, which lets it assume that no other process has the file, whatever the path to it. The
 * lock lies beside the file, so that others may still read it (a backup, a shell), and ends with the process.
 * @param waitMs time that another process may still have it; by default as long as a predecessor needs to end
 * @throws StoreError `store-in-use` when it still has, or when the file has a second name (a hard link)
 */
export function takeFile(path: string, waitMs = busyTimeoutMs): DatabaseSync {
  const lockPath = `${findRealPath(path)}-lock`;
  createFile(lockPath);
  const lock = connect(lockPath, { readOnly: false, waitMs });
  try {
    lock.exec('begin exclusive');
    return lock;
  } catch (cause) {
    lock.close();
    const error = toSqliteStoreError(cause);
    if (error.code !== 'store-busy') throw error;
    const message = `another process has the store ${path}: end that one first`;
    throw new StoreError('store-in-use', message, { cause });
  }
}

/** The path without symbolic links, so that every path to one file leads to one lock. @throws StoreError */
function findRealPath(path: string): string {
  if (!existsSync(path)) return path;
  if (statSync(path).nlink > 1) {
    throw new StoreError(
      'store-in-use',
      `the store ${path} has a second name (a hard link): remove one`,
    );
  }
  return realpathSync(path);
}

/**
 * Makes a file, readable for its owner only, together with its folder, where there is none. SQLite gives the files
 * beside it (-wal, -shm) its mode. @throws StoreError
 */
export function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}

/** A connection to a file. @throws StoreError */
export function connect(
  path: string,
  { readOnly, waitMs = busyTimeoutMs }: { readOnly: boolean; waitMs?: number },
): DatabaseSync {
  try {
    return new DatabaseSync(path, { readOnly, timeout: waitMs });
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}

/** Result codes that mean something to a caller; extended ones first. @see https://sqlite.org/rescode.html */
const codeByResult: ReadonlyMap<number, StoreErrorCode> = new Map([
  [1555, 'store-conflict'], // SQLITE_CONSTRAINT_PRIMARYKEY
  [2067, 'store-conflict'], // SQLITE_CONSTRAINT_UNIQUE
  [787, 'store-reference'], // SQLITE_CONSTRAINT_FOREIGNKEY
  [3, 'store-unavailable'], // SQLITE_PERM
  [5, 'store-busy'], // SQLITE_BUSY
  [6, 'store-busy'], // SQLITE_LOCKED
  [8, 'store-unavailable'], // SQLITE_READONLY
  [10, 'store-unavailable'], // SQLITE_IOERR
  [11, 'store-corrupt'], // SQLITE_CORRUPT
  [13, 'store-full'], // SQLITE_FULL
  [14, 'store-unavailable'], // SQLITE_CANTOPEN
  [26, 'store-corrupt'], // SQLITE_NOTADB
]);

/** The low byte of an extended result code is the primary code. */
const primaryCodeMask = 0xff;

/** An error of node:sqlite in the words of the store. What is a StoreError already stays as it is. */
export function toSqliteStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const result = resultCode(error);
  if (result === undefined)
    return new StoreError('store-failed', 'SQLite: failed', { cause: error });
  const code =
    codeByResult.get(result) ?? codeByResult.get(result & primaryCodeMask) ?? 'store-failed';
  return new StoreError(code, `SQLite: ${code} (result code ${result})`, { cause: error });
}

/** node:sqlite keeps SQLite's extended result code in `errcode`. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
