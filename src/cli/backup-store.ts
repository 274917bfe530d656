import { once } from 'node:events';
import { statSync } from 'node:fs';
import { extname, resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import { BridgeError } from '../domain/errors.ts';
import { saveRecovery } from '../reconcile/repair/recovery-state.ts';
import type { Settings } from '../settings/schema.ts';
import { toStoreUrl } from '../settings/store-url.ts';
import { isTree } from '../settings/tree.ts';
import { openStore } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';
import { replaceSqlite } from '../store/engine/sqlite-backup.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import type { BackupWork } from './backup-worker.ts';

const POSTGRES_BACKUP =
  'the store is PostgreSQL: make the backup with pg_dump --format=custom, which is one moment of it while the bridge runs';
const POSTGRES_RESTORE =
  'the store is PostgreSQL: stop the bridge, put the backup back with pg_restore --clean, then run scim-bridge restore without a file';

/** Interval at which it is looked how much of a backup is written, in milliseconds. */
const LOOK_MS = 500;

/**
 * Makes a backup of the store of the settings, in a thread of its own, so that this one can tell how far it has come.
 * @throws StoreError; BridgeError `backup-failed`
 */
export async function backUpStore(
  settings: Settings,
  file: string,
  told: (part: { readonly done: number; readonly total: number }) => void = () => undefined,
): Promise<void> {
  const [path, target] = [toPath(settings, POSTGRES_BACKUP), resolve(file)];
  // The same module in a clone and in a package.
  const module = new URL(`./backup-worker${extname(import.meta.url)}`, import.meta.url);
  const workerData: BackupWork = { path, target };
  const worker = new Worker(module, { workerData });
  const looking = setInterval(() => {
    told({ done: toSize(`${target}.part`), total: toSize(path) });
  }, LOOK_MS);
  try {
    const [failure] = await once(worker, 'message');
    assertDone(failure);
  } finally {
    clearInterval(looking);
    await worker.terminate();
  }
}

function toSize(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** @throws the error of the thread, which comes as words */
function assertDone(failure: unknown): void {
  if (!isTree(failure)) return;
  throw new BridgeError(String(failure.code), String(failure.message));
}

/**
 * Replaces the store of the settings by a backup, marked as restored. Returns the path under which the former store
 * is kept.
 * @throws StoreError; BridgeError `backup-failed`
 */
export async function restoreStore(settings: Settings, file: string): Promise<string> {
  const path = toPath(settings, POSTGRES_RESTORE);
  const moment = new Date(systemClock.now()).toISOString().replaceAll(/[:.]/g, '-');
  const keptAs = `${path}.replaced-${moment}`;
  const prepare = (part: string) => markStore(`sqlite:${part}`);
  await replaceSqlite({ path, from: resolve(file), keptAs, prepare });
  return keptAs;
}

function toPath(settings: Settings, otherwise: string): string {
  const path = /^sqlite:(.+)$/.exec(toStoreUrl(settings))?.[1];
  if (path === undefined) throw new BridgeError('backup-failed', otherwise);
  return resolve(path);
}

/** Makes the next start begin recovery, whatever the audit log says. @throws StoreError */
export async function markRestored(settings: Settings): Promise<void> {
  await markStore(toStoreUrl(settings));
}

/** Marks the store at this address. @throws StoreError */
async function markStore(url: string): Promise<void> {
  const store = await openStore({ url });
  const since = systemClock.now();
  try {
    await migrate(store);
    await store.write((tx) => saveRecovery(tx, { phase: 'requested', since }, since));
  } finally {
    await store.close();
  }
}
