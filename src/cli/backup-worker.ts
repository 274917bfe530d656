import { parentPort, workerData } from 'node:worker_threads';
import { BridgeError } from '../domain/errors.ts';
import { backUpSqlite } from '../store/engine/sqlite-backup.ts';

/** Files of a backup. */
export interface BackupWork {
  /** The store. */
  readonly path: string;
  readonly target: string;
}

// The whole of a thread: it copies the store, and tells null or why it could not.
parentPort?.postMessage(findFailure(parseWork(workerData)));

function findFailure({ path, target }: BackupWork): { code: string; message: string } | null {
  try {
    backUpSqlite(path, target);
    return null;
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return { code: error.code, message: error.message };
  }
}

/** The thread is started by `backUpStore` alone. */
function parseWork(data: unknown): BackupWork {
  return data as BackupWork;
}
