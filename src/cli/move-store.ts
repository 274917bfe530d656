import { existsSync } from 'node:fs';
import { BridgeError } from '../domain/errors.ts';
import type { Settings } from '../settings/schema.ts';
import { findStoreFile } from '../settings/store-url.ts';
import { openStore } from '../store/engine/database.ts';
import { MIGRATIONS, MOVED } from '../store/engine/migrate.ts';
import { findFault, inspectSqlite } from '../store/engine/sqlite-backup.ts';
import { takeFile } from '../store/engine/sqlite-file.ts';
import { StoreError } from '../store/engine/store-error.ts';
import { type Move, moveStore, type Proof } from '../store/move/move-store.ts';
import { openSource, sealSqlite, unsealSqlite } from '../store/move/source.ts';
import type { Store } from '../store/store.ts';

/** Time that a stopping bridge is waited for, in milliseconds. */
const LOCK_WAIT_MS = 200;

/** Result of a move: the file that is kept, and the proof. */
export interface Moved extends Proof {
  readonly path: string;
}

/**
 * Moves the store of the settings to PostgreSQL, proves it, and seals the file. Until then the file is only read.
 * @throws BridgeError `move-failed`; StoreError `store-in-use` while the bridge runs
 */
export async function migrateStore(
  settings: Settings,
  to: string,
  onProgress: Move['onProgress'],
): Promise<Moved> {
  const path = findSource(settings);
  const lock = takeFile(path, LOCK_WAIT_MS);
  try {
    assertMovable(path);
    const source = openSource(path);
    const move = (target: Store) =>
      moveStore({ source, target, onProgress }).catch((error: unknown) => {
        throw toCutOff(error);
      });
    const proof = await withTarget(to, move).finally(() => source.close());
    sealSqlite(path);
    return { path, ...proof };
  } finally {
    lock.close();
  }
}

/** Makes a file that was moved away the store again, and returns its path. @throws BridgeError `move-failed` */
export function undoMove(settings: Settings): string {
  const path = findSource(settings);
  const lock = takeFile(path, LOCK_WAIT_MS);
  try {
    if (!inspectSqlite(path).migrations.includes(MOVED)) {
      throw new BridgeError('move-failed', `${path} was not moved`);
    }
    unsealSqlite(path);
    return path;
  } finally {
    lock.close();
  }
}

function findSource(settings: Settings): string {
  const path = findStoreFile(settings);
  if (path === undefined) {
    const message =
      'DATABASE_URL is PostgreSQL already: the move needs the address of the file, sqlite:…, in it';
    throw new BridgeError('move-failed', message);
  }
  if (existsSync(path)) return path;
  throw new BridgeError('move-failed', `there is no store at ${path}`);
}

/** Failures of a database that may work again; what was begun in it is undone. */
const CUT_OFF: ReadonlySet<string> = new Set([
  ...['store-unavailable', 'store-unsure', 'store-full', 'store-busy', 'store-contended'],
]);

/** Says of a move that the database ended what became of it, and what helps. */
function toCutOff(error: unknown): unknown {
  if (!(error instanceof StoreError) || !CUT_OFF.has(error.code)) return error;
  const { message, cause } = error;
  const why = cause instanceof Error ? `${message}: ${cause.message}` : message;
  const words = `the move was cut off (${why}); the file is untouched, and the database has all of it or no row: run the command again`;
  return new BridgeError('move-failed', words, { cause: error });
}

/** @throws BridgeError `move-failed` for a file that is damaged, of another version, or moved already */
function assertMovable(path: string): void {
  const file = inspectSqlite(path);
  const isOlder = file.migrations.length < MIGRATIONS.length;
  const fault =
    findFault(file) ??
    (isOlder ? 'is of an earlier version: start this one on it once' : undefined);
  if (fault !== undefined) throw new BridgeError('move-failed', `${path} ${fault}`);
}

async function withTarget<T>(to: string, use: (target: Store) => Promise<T>): Promise<T> {
  if (!/^postgres(ql)?:\/\//.test(to)) {
    throw new BridgeError('move-failed', '--to must be postgres://user:password@host/database');
  }
  const target = await openStore({ url: to, named: 'the target' });
  try {
    return await use(target);
  } finally {
    await target.close();
  }
}
