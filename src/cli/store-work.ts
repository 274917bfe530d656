import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BridgeError, toCount } from '../domain/values.ts';
import { enterRecovery } from '../reconcile/repair/recovery.ts';
import { findStoreFile, toStoreUrl } from '../settings/load.ts';
import type { Settings } from '../settings/schema.ts';
import { openStore } from '../store/engine/database.ts';
import { MIGRATIONS, MOVED, migrate } from '../store/engine/migrate.ts';
import { connect } from '../store/engine/sqlite.ts';
import * as offline from '../store/offline.ts';
import type { Store } from '../store/store.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import type { Call, Output } from './command.ts';
import { confirm, WrongUsage } from './command.ts';

const POSTGRES_BACKUP =
  'the store is PostgreSQL: make the backup with pg_dump --format=custom, which is one moment of it while the bridge runs';
const POSTGRES_RESTORE =
  'the store is PostgreSQL: stop the bridge, put the backup back with pg_restore --clean, then run scim-bridge restore without a file';
const POSTGRES_MOVE =
  'DATABASE_URL is PostgreSQL already: the move needs the address of the file, sqlite:…, in it';

/** Makes a backup of the store of the settings. @throws StoreError; BridgeError `backup-failed` */
export async function backUp(call: Call<{ readonly file: string }>): Promise<Output> {
  const { file } = call.typed;
  const path = findStoreFile(call.loadSettings().settings);
  if (path === undefined) throw new BridgeError('backup-failed', POSTGRES_BACKUP);
  offline.backUpSqlite(path, resolve(file));
  return { text: `The store is in ${file}, proven whole. Keep it as secret as the store.\n` };
}

const NEXT_START =
  'The next start holds what waits until the plan of `scim-bridge plan show` is decided.\n';

/** Replaces the store by a backup; without a file, marks the store as restored. @throws StoreError; BridgeError */
export async function restore(call: Call<{ readonly file?: string }>): Promise<Output | undefined> {
  const { file } = call.typed;
  const { settings } = call.loadSettings();
  const question =
    file === undefined
      ? 'Everything that waits is held until you approve it. Is the store a restored backup?'
      : `Put ${file} in the place of the store? What happened since that backup is forgotten.`;
  if (!(await confirm(call, question))) return undefined;
  const path = findStoreFile(settings);
  if (file === undefined) {
    if (path !== undefined) assertStore(path);
    await markRestored(toStoreUrl(settings));
    return { text: NEXT_START };
  }
  if (path === undefined) throw new BridgeError('backup-failed', POSTGRES_RESTORE);
  const moment = new Date(systemClock.now()).toISOString().replaceAll(/[:.]/g, '-');
  const keptAs = `${path}.replaced-${moment}`;
  const prepare = (part: string) => markRestored(`sqlite:${part}`);
  await offline.replaceSqlite({ path, from: resolve(file), keptAs }, prepare);
  return { text: `The backup is the store now. What was there before: ${keptAs}\n${NEXT_START}` };
}

/** Refuses a file that is not there: opening it would make an empty store. @throws BridgeError `no-store` */
function assertStore(path: string): void {
  if (!existsSync(path)) throw new BridgeError('no-store', `there is no store at ${path}`);
}

/** Has the store at this address forget what it was about to do; the next start reads the service. @throws StoreError */
function markRestored(url: string): Promise<void> {
  return withStore(url, async (store) => {
    await migrate(store);
    await store.write((tx) => enterRecovery(tx, systemClock.now(), 'restored'));
  });
}

async function withStore<T>(url: string, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore({ url });
  return use(store).finally(store.close);
}

/** Options of `migrate-store`. */
export interface MoveOptions {
  readonly to?: string;
  readonly toFile?: string;
  readonly undo?: true;
}

/** Moves the store to PostgreSQL, proves it, and seals the file. @throws BridgeError `move-failed`; StoreError; WrongUsage */
export async function migrateStore(call: Call<MoveOptions>): Promise<Output | undefined> {
  const { settings } = call.loadSettings();
  if (call.typed.undo) return undoMove(call, settings);
  const to = findTarget(call);
  const path = findSource(settings);
  using _lock = offline.lockSqlite(path);
  const file = offline.inspectSqlite(path);
  const isOlder = file.migrations.length < MIGRATIONS.length;
  const older = isOlder ? 'is of an earlier version: start this one on it once' : undefined;
  const fault = offline.findFault(file) ?? older;
  if (fault !== undefined) throw new BridgeError('move-failed', `${path} ${fault}`);
  const rows = await withStore(to, async (target) => {
    using source = connect(path, { readOnly: true });
    return await offline.moveStore(source, target);
  });
  offline.markSqlite(path, 'moved');
  const text = `${toCount(rows, 'row')} are the same in both stores, one by one.

What to do now:
  1. Set DATABASE_URL to the new address, with its password.
  2. Start the bridge.
  3. When it runs well, delete ${path}, which is read-only now: it holds personal data.

Until a bridge has run on PostgreSQL, scim-bridge migrate-store --undo makes the file the store again.
`;
  return { text };
}

function findTarget({ typed: { to, toFile }, readFile }: Call<MoveOptions>): string {
  let url = to ?? '';
  try {
    if (toFile !== undefined) url = readFile(toFile).trim();
  } catch {
    throw new WrongUsage(`--to-file: ${toFile} cannot be read`);
  }
  if (/^postgres(ql)?:\/\//.test(url)) return url;
  throw new WrongUsage('say --to-file or --to with the address of PostgreSQL, or --undo');
}

/** Makes a file that was moved away the store again. @throws BridgeError `move-failed` */
async function undoMove(call: Call<MoveOptions>, settings: Settings) {
  // A bridge that has run on PostgreSQL has changed the service since: the file would be an old backup of it.
  const question = 'Make the file the store again? Only where no bridge has run on PostgreSQL yet.';
  if (!(await confirm(call, question))) return undefined;
  const path = findSource(settings);
  using _lock = offline.lockSqlite(path);
  if (!offline.inspectSqlite(path).migrations.includes(MOVED))
    throw new BridgeError('move-failed', `${path} was not moved`);
  offline.markSqlite(path, 'store');
  const next = `set DATABASE_URL to sqlite:${path}. Empty the database before another move.`;
  return { text: `${path} is the store again: ${next}\n` };
}

function findSource(settings: Settings): string {
  const path = findStoreFile(settings);
  if (path === undefined) throw new BridgeError('move-failed', POSTGRES_MOVE);
  assertStore(path);
  return path;
}
