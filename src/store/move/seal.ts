import { chmodSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { MOVED } from '../engine/migrate.ts';
import { connect, toSqliteStoreError } from '../engine/sqlite-file.ts';

/**
 * Marks a file as moved away and makes it read-only, so that no bridge starts on it by mistake. @param at epoch
 * milliseconds. @throws StoreError
 */
export function sealSqlite(path: string, at: number): void {
  change(path, (file) => {
    const insert = file.prepare(
      'insert or ignore into kysely_migration (name, timestamp) values (?, ?)',
    );
    insert.run(MOVED, new Date(at).toISOString());
  });
  chmodSync(path, 0o400);
}

/** Makes a moved file a store again. @throws StoreError */
export function unsealSqlite(path: string): void {
  chmodSync(path, 0o600);
  change(path, (file) => {
    file.prepare('delete from kysely_migration where name = ?').run(MOVED);
  });
}

/** The change is in the file itself in the end, not in a log beside it. */
function change(path: string, write: (file: DatabaseSync) => void): void {
  try {
    const file = connect(path, { readOnly: false });
    try {
      file.exec('pragma synchronous=full');
      write(file);
      file.exec('pragma wal_checkpoint(truncate)');
    } finally {
      file.close();
    }
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}
