import { parentPort, workerData } from 'node:worker_threads';
import { BridgeError } from '../domain/errors.ts';
import { backUpSqlite, type CopyStep, replaceSqlite } from '../store/engine/sqlite-backup.ts';
import { markStore } from './mark-store.ts';

/** Files of a backup that is made, or put in the place of a store; absolute paths. */
export type BackupWork =
  | { readonly kind: 'backup'; readonly path: string; readonly target: string }
  | {
      readonly kind: 'restore';
      readonly path: string;
      readonly from: string;
      readonly keptAs: string;
    };

/** Messages of the thread: a step begins, or all of it has ended; `failure` is null when it is done. */
export type BackupNews =
  | { readonly kind: 'step'; readonly step: CopyStep }
  | {
      readonly kind: 'end';
      readonly failure: { readonly code: string; readonly message: string } | null;
    };

// The whole of a thread, so that the one that started it can tell how far it has come.
tell({ kind: 'end', failure: await findFailure(parseWork(workerData)) });

function tell(news: BackupNews): void {
  parentPort?.postMessage(news);
}

async function findFailure(work: BackupWork) {
  try {
    await carryOut(work);
    return null;
  } catch (error) {
    if (!(error instanceof BridgeError)) throw error;
    return { code: error.code, message: error.message };
  }
}

async function carryOut(work: BackupWork): Promise<void> {
  const onStep = (step: CopyStep) => tell({ kind: 'step', step });
  if (work.kind === 'backup') return backUpSqlite(work.path, work.target, onStep);
  const prepare = (part: string) => markStore(`sqlite:${part}`);
  await replaceSqlite({ ...work, prepare, onStep });
}

/** The thread is started by `backup-store.ts` alone. */
function parseWork(data: unknown): BackupWork {
  return data as BackupWork;
}
