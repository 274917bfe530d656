import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { BridgeError } from '../domain/errors.ts';
import { requestRecovery } from '../reconcile/repair/recovery-plan.ts';
import type { Settings } from '../settings/schema.ts';
import { findStoreFile } from '../settings/store-url.ts';
import { openStore } from '../store/engine/database.ts';
import { MIGRATIONS, MOVED, migrate } from '../store/engine/migrate.ts';
import * as sqlite from '../store/engine/sqlite-backup.ts';
import { connect, takeFile } from '../store/engine/sqlite-file.ts';
import { StoreError } from '../store/engine/store-error.ts';
import { type Move, moveStore, sealSqlite, unsealSqlite } from '../store/move.ts';
import type { Store } from '../store/store.ts';
import { systemClock } from '../telemetry/system-clock.ts';

const POSTGRES_BACKUP =
  'the store is PostgreSQL: make the backup with pg_dump --format=custom, which is one moment of it while the bridge runs';
const POSTGRES_RESTORE =
  'the store is PostgreSQL: stop the bridge, put the backup back with pg_restore --clean, then run scim-bridge restore without a file';
const POSTGRES_MOVE =
  'DATABASE_URL is PostgreSQL already: the move needs the address of the file, sqlite:…, in it';

type OnStep = (step: sqlite.CopyStep) => void;

/** Makes a backup of the store of the settings. @throws StoreError; BridgeError `backup-failed` */
export function backUpStore(settings: Settings, file: string, onStep: OnStep): void {
  const path = findStoreFile(settings);
  if (path === undefined) throw new BridgeError('backup-failed', POSTGRES_BACKUP);
  sqlite.backUpSqlite(path, resolve(file), onStep);
}

/**
 * Replaces the store of the settings by a backup, marked as restored. Returns the path under which the former store
 * is kept.
 * @throws StoreError; BridgeError `backup-failed`
 */
export async function restoreStore(
  settings: Settings,
  file: string,
  onStep: OnStep,
): Promise<string> {
  const path = findStoreFile(settings);
  if (path === undefined) throw new BridgeError('backup-failed', POSTGRES_RESTORE);
  const moment = new Date(systemClock.now()).toISOString().replaceAll(/[:.]/g, '-');
  const keptAs = `${path}.replaced-${moment}`;
  const prepare = (part: string) => markRestored(`sqlite:${part}`);
  await sqlite.replaceSqlite({ path, from: resolve(file), keptAs, prepare, onStep });
  return keptAs;
}

/** Makes the next start on the store at this address begin recovery, whatever the audit log says. @throws StoreError */
export async function markRestored(url: string): Promise<void> {
  const store = await openStore({ url });
  try {
    await migrate(store);
    await store.write((tx) => requestRecovery(tx, systemClock.now()));
  } finally {
    await store.close();
  }
}

/** Result of a move: the file that is kept, and the tables. */
export interface Moved {
  readonly path: string;
  readonly tables: Awaited<ReturnType<typeof moveStore>>;
}

/**
 * Moves the store of the settings to PostgreSQL, proves it, and seals the file. Until then the file is only read.
 * @throws BridgeError `move-failed`; StoreError `store-in-use` while the bridge runs
 */
export function migrateStore(
  settings: Settings,
  to: string,
  onProgress: Move['onProgress'],
): Promise<Moved> {
  return withSource(settings, async (path) => {
    assertMovable(path);
    const tables = await withTarget(to, async (target) => {
      using source = connect(path, { readOnly: true });
      return await moveStore({ source, target, onProgress });
    });
    sealSqlite(path);
    return { path, tables };
  });
}

/** Makes a file that was moved away the store again, and returns its path. @throws BridgeError `move-failed` */
export function undoMove(settings: Settings): Promise<string> {
  return withSource(settings, async (path) => {
    if (!sqlite.inspectSqlite(path).migrations.includes(MOVED))
      throw toFailure(`${path} was not moved`);
    unsealSqlite(path);
    return path;
  });
}

/** Time that a stopping bridge is waited for, in milliseconds. */
const LOCK_WAIT_MS = 200;

/** Works with the file of the settings while no bridge can. */
async function withSource<T>(settings: Settings, work: (path: string) => Promise<T>): Promise<T> {
  const path = findStoreFile(settings);
  if (path === undefined) throw toFailure(POSTGRES_MOVE);
  if (!existsSync(path)) throw toFailure(`there is no store at ${path}`);
  using _lock = takeFile(path, LOCK_WAIT_MS);
  return await work(path);
}

/** @throws BridgeError `move-failed` for a file that is damaged, of another version, or moved already */
function assertMovable(path: string): void {
  const file = sqlite.inspectSqlite(path);
  const isOlder = file.migrations.length < MIGRATIONS.length;
  const fault =
    sqlite.findFault(file) ??
    (isOlder ? 'is of an earlier version: start this one on it once' : undefined);
  if (fault !== undefined) throw toFailure(`${path} ${fault}`);
}

/** Failures of a database that may work again; what was begun in it is undone. */
const CUT_OFF: ReadonlySet<string> = new Set([
  'store-unavailable',
  'store-unsure',
  'store-full',
  'store-busy',
  'store-contended',
]);

/** Works with an empty database. @throws BridgeError `move-failed`, also where the database ended the move */
async function withTarget<T>(to: string, use: (target: Store) => Promise<T>): Promise<T> {
  if (!/^postgres(ql)?:\/\//.test(to)) {
    throw toFailure('--to must be postgres://user:password@host/database');
  }
  const target = await openStore({ url: to, named: 'the target' });
  try {
    return await use(target);
  } catch (error) {
    if (!(error instanceof StoreError) || !CUT_OFF.has(error.code)) throw error;
    const { message, cause } = error;
    const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
    throw toFailure(
      `the move was cut off (${why}); the file is untouched, and the database has all of it or no row: run the command again`,
      error,
    );
  } finally {
    await target.close();
  }
}

function toFailure(message: string, cause?: unknown): BridgeError {
  return new BridgeError('move-failed', message, { cause });
}
