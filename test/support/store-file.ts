import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from './lifetimes.ts';

const SQLITE = 'sqlite:';

/** A place for a SQLite file that outlives the bridges on it, until the test ends. Returns its `DATABASE_URL`. */
export function makeStoreFile(): string {
  return `${SQLITE}${join(makeFolder(), 'bridge.db')}`;
}

/** Copies a SQLite file as a crash at this moment would leave it. Returns the `DATABASE_URL` of the copy. */
export function copyStore(url: string): string {
  const copy = makeStoreFile();
  for (const part of ['', '-wal']) {
    const [from, to] = [url, copy].map((one) => `${one.slice(SQLITE.length)}${part}`);
    if (from !== undefined && to !== undefined && existsSync(from)) copyFileSync(from, to);
  }
  return copy;
}

/** Everything that a SQLite file and the log beside it hold, as text: what is in neither is nowhere in the store. */
export function readStoreBytes(url: string): string {
  const file = url.slice(SQLITE.length);
  const parts = ['', '-wal'].map((part) => `${file}${part}`).filter((path) => existsSync(path));
  return parts.map((path) => readFileSync(path, 'latin1')).join();
}
