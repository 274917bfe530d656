import { on } from 'node:events';
import { statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BridgeError } from '../domain/errors.ts';
import type { Settings } from '../settings/schema.ts';
import { findStoreFile, toStoreUrl } from '../settings/store-url.ts';
import type { CopyStep } from '../store/engine/sqlite-backup.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import type { BackupNews, BackupWork } from './backup-worker.ts';
import { markStore } from './mark-store.ts';
import type { Progress } from './progress.ts';

const POSTGRES_BACKUP =
  'the store is PostgreSQL: make the backup with pg_dump --format=custom, which is one moment of it while the bridge runs';
const POSTGRES_RESTORE =
  'the store is PostgreSQL: stop the bridge, put the backup back with pg_restore --clean, then run scim-bridge restore without a file';

/** Interval at which it is looked how much is written, in milliseconds. */
const LOOK_MS = 500;

/** Words of the steps. */
const STEPS: Readonly<Record<CopyStep, string>> = {
  copying: 'Copying',
  proving: 'Proving it whole',
  preparing: 'Bringing it up to date',
};

/** Makes a backup of the store of the settings. @throws StoreError; BridgeError `backup-failed` */
export async function backUpStore(
  settings: Settings,
  file: string,
  report: Progress['tell'] = () => undefined,
): Promise<void> {
  const [path, target] = [toPath(settings, POSTGRES_BACKUP), resolve(file)];
  const copied = () => ({ done: toSize(`${target}.part`), total: toSize(path) });
  await runApart({ kind: 'backup', path, target }, copied, report);
}

/**
 * Replaces the store of the settings by a backup, marked as restored. Returns the path under which the former store
 * is kept.
 * @throws StoreError; BridgeError `backup-failed`
 */
export async function restoreStore(
  settings: Settings,
  file: string,
  report: Progress['tell'] = () => undefined,
): Promise<string> {
  const [path, from] = [toPath(settings, POSTGRES_RESTORE), resolve(file)];
  const moment = new Date(systemClock.now()).toISOString().replaceAll(/[:.]/g, '-');
  const keptAs = `${path}.replaced-${moment}`;
  const copied = () => ({ done: toSize(`${path}.part`), total: toSize(from) });
  await runApart({ kind: 'restore', path, from, keptAs }, copied, report);
  return keptAs;
}

/** Runs in a thread of its own, so that this one can tell how far it has come; `copied` measures the copy. */
async function runApart(
  workerData: BackupWork,
  copied: () => { readonly done: number; readonly total: number },
  report: Progress['tell'],
): Promise<void> {
  // The same module in a clone and in a package.
  const module = new URL(`./backup-worker${extname(import.meta.url)}`, import.meta.url);
  const worker = new Worker(module, { workerData });
  let step: CopyStep = 'copying';
  const tell = () => report(STEPS[step], step === 'copying' ? copied() : undefined);
  const looking = setInterval(tell, LOOK_MS);
  try {
    for await (const [news] of on(worker, 'message')) {
      const parsed = parseNews(news);
      if (parsed.kind === 'end') return assertDone(parsed);
      step = parsed.step;
      tell();
    }
  } finally {
    clearInterval(looking);
    await worker.terminate();
  }
}

/** The thread tells nothing else. */
function parseNews(news: unknown): BackupNews {
  return news as BackupNews;
}

/** @throws the error of the thread, which comes as words */
function assertDone({ failure }: Extract<BackupNews, { kind: 'end' }>): void {
  if (failure !== null) throw new BridgeError(failure.code, failure.message);
}

function toSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function toPath(settings: Settings, otherwise: string): string {
  const path = findStoreFile(settings);
  if (path === undefined) throw new BridgeError('backup-failed', otherwise);
  return path;
}

/** Makes the next start begin recovery, whatever the audit log says. @throws StoreError */
export async function markRestored(settings: Settings): Promise<void> {
  await markStore(toStoreUrl(settings));
}
