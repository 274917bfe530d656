import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { toSqliteStoreError } from './sqlite-errors.ts';
import { StoreError } from './store-error.ts';

/** How long a call waits for another process (a backup, a shell) before `store-busy`. The event loop waits too. */
const busyTimeoutMs = 5_000;

/**
 * Takes the file for this process, which frees lanes on the belief that nobody else has it. The lock lies
 * beside the file, so that others may still read it (a backup, a shell), and ends with the process.
 * @param waitMs how long it may be another's; by default as long as a predecessor needs to end
 * @throws StoreError `store-in-use` when it still is
 */
export function takeFile(path: string, waitMs = busyTimeoutMs): DatabaseSync {
  const lockPath = `${path}-lock`;
  createFile(lockPath);
  const lock = connect(lockPath, { readOnly: false, waitMs });
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
