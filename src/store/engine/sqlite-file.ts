import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError, toSqliteStoreError } from './store-error.ts';

/** Time that a call waits for another process (a backup, a shell) before `store-busy`. The event loop waits too. */
const BUSY_TIMEOUT_MS = 5_000;

/**
 * Takes the file for this process, whatever the path to it, by a lock beside the file that ends with the process.
 * @param waitMs time that another process may still have it @throws StoreError `store-in-use`, also for a hard link
 */
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
