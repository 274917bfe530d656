import { resolve } from 'node:path';
import { BridgeError } from '../domain/errors.ts';
import { saveRecovery } from '../reconcile/repair/recovery-state.ts';
import type { Settings } from '../settings/schema.ts';
import { toStoreUrl } from '../settings/store-url.ts';
import { openStore } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';
import { backUpSqlite, replaceSqlite } from '../store/engine/sqlite-backup.ts';
import { systemClock } from '../telemetry/system-clock.ts';

const POSTGRES_BACKUP =
  'the store is PostgreSQL: make the backup with pg_dump --format=custom, which is one moment of it while the bridge runs';
const POSTGRES_RESTORE =
  'the store is PostgreSQL: stop the bridge, put the backup back with pg_restore --clean, then run scim-bridge restore without a file';

/** Makes a backup of the store of the settings. @throws StoreError; BridgeError `backup-failed` */
export function backUpStore(settings: Settings, file: string): void {
  backUpSqlite(toPath(settings, POSTGRES_BACKUP), resolve(file));
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
