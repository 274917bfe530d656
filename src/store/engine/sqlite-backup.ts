import {
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { BridgeError } from '../../domain/values.ts';
import { findMisfit } from './migrate.ts';
import { connect, createFile, takeFile } from './sqlite.ts';

/** Time that a stopping bridge is waited for, in milliseconds. */
export const LOCK_WAIT_MS = 200;

const FILES = ['', '-wal', '-shm'] as const;

/** Writes one moment of the store into a new file, and checks it. @throws BridgeError `backup-failed` */
export function backUpSqlite(path: string, target: string): void {
  if (!existsSync(path)) throw new BridgeError('backup-failed', `there is no store at ${path}`);
  if (existsSync(target)) throw new BridgeError('backup-failed', `${target} exists already`);
  using part = createPart(target);
  orRefuse(`the store ${path} cannot be copied to ${part.path}`, () => {
    using store = connect(path, { readOnly: true });
    // One read of everything, which writers do not wait for.
    store.prepare('vacuum into ?').run(part.path);
  });
  proveSqlite(part.path, `the copy of ${path}`);
  moveInPlace(part.path, target);
}

/** A new file beside the target: in the end nothing is left of it but what was moved in place. */
function createPart(target: string) {
  const path = `${target}.part`;
  const remove = () => {
    for (const end of [...FILES, '-lock']) rmSync(`${path}${end}`, { force: true });
  };
  orRefuse(`${path} cannot be written`, () => {
    remove();
    createFile(path);
  });
  return { path, [Symbol.dispose]: remove };
}

/** Does what fails where the disk is full for instance. @throws BridgeError `backup-failed`, with the words of the failure */
function orRefuse<T>(words: string, act: () => T): T {
  try {
    return act();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : '';
    throw new BridgeError('backup-failed', `${words}: ${why}`, { cause });
  }
}

function proveSqlite(path: string, named = path): void {
  if (!existsSync(path)) throw new BridgeError('backup-failed', `there is no file ${path}`);
  const fault = findFault(inspectSqlite(path));
  if (fault !== undefined) throw new BridgeError('backup-failed', `${named} ${fault}`);
}

/** Why this version cannot use a file as a store; undefined: it can. */
export function findFault({ isWhole, migrations }: ReturnType<typeof inspectSqlite>) {
  if (!isWhole) return 'is damaged';
  if (migrations.length === 0) return 'is no store of the bridge';
  return findMisfit(migrations)?.words;
}

/** Reads all of a file to prove it whole, and which migrations it has had; none when it is no store. @throws BridgeError `backup-failed` */
export function inspectSqlite(path: string) {
  return orRefuse(`${path} cannot be read as a store`, () => {
    using file = connect(path, { readOnly: true });
    const { integrity_check: found } = file.prepare('pragma integrity_check(1)').get() ?? {};
    const isWhole = found === 'ok';
    const tables = file.prepare("select name from sqlite_master where name = 'migrations'");
    const isStore = isWhole && tables.get() !== undefined;
    const rows = isStore ? file.prepare('select name from migrations').all() : [];
    return { isWhole, migrations: rows.map(({ name }) => String(name)) };
  });
}

/**
 * Puts a copy of a backup, once `prepare` is done with it, in the place of the store, which is kept at `keptAs`.
 * @throws StoreError `store-in-use` while the bridge runs; BridgeError `backup-failed`
 */
export async function replaceSqlite({
  path,
  from,
  prepare,
  keptAs,
}: Readonly<Record<'path' | 'from' | 'keptAs', string>> & {
  readonly prepare: (part: string) => Promise<void>;
}): Promise<void> {
  proveSqlite(from);
  using _lock = takeFile(path, LOCK_WAIT_MS);
  using part = createPart(path);
  orRefuse(`${from} cannot be copied to ${part.path}`, () => copyFileSync(from, part.path));
  await prepare(part.path);
  for (const end of FILES) {
    if (existsSync(`${path}${end}`)) renameSync(`${path}${end}`, `${keptAs}${end}`);
  }
  moveInPlace(part.path, path);
}

/** Survives a loss of power: first what the file holds, then its name. */
function moveInPlace(part: string, target: string): void {
  flush(part);
  renameSync(part, target);
  flush(dirname(target));
}

function flush(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
