import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Change } from './model.ts';
import type { Journal } from './state.ts';

/**
 * Opens the file of a sandbox, creating it, readable for its owner only, and its folder. It has one row of JSON a commit,
 * on the disk before its answer leaves. It stays locked: two sandboxes never share one.
 * @throws Error when the file is in use, not writable, or no database
 */
export function openJournal(path: string): Journal {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, 'a', 0o600));
  const db = new DatabaseSync(path, { timeout: 500 });
  try {
    db.exec(SCHEMA);
  } catch (cause) {
    db.close();
    throw isLocked(cause) ? new Error(toInUse(path), { cause }) : cause;
  }
  const insert = db.prepare('INSERT INTO commits (changes) VALUES (?)');
  return {
    *read() {
      const rows = db.prepare('SELECT changes FROM commits ORDER BY id').iterate();
      for (const { changes } of rows) yield parseChanges(String(changes));
    },
    write: (changes) => void insert.run(JSON.stringify(changes)),
    close: () => db.close(),
  };
}

// The transaction takes the lock, so that a second sandbox fails here.
const SCHEMA = `
  PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS commits (id INTEGER PRIMARY KEY, changes TEXT NOT NULL) STRICT;
  COMMIT;
`;

/** True for SQLITE_BUSY: another process has the file. @see https://sqlite.org/rescode.html */
function isLocked(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === 5;
}

function toInUse(path: string): string {
  return `another process has the file ${path}: end it, or name another file in SANDBOX_FILE`;
}

/** Only `write` fills the file, so this repeats what it wrote. */
function parseChanges(text: string): readonly Change[] {
  return JSON.parse(text) as readonly Change[];
}
