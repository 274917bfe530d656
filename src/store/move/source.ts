import { chmodSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { BridgeError } from '../../domain/errors.ts';
import { MOVED } from '../engine/migrate.ts';
import { connect, toSqliteStoreError } from '../engine/sqlite-file.ts';

/** A row in the order of its columns, each value as the text that PostgreSQL has for it; null where there is none. */
export type TextRow = readonly (string | null)[];

/** A table of the store that is moved. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Of a table that numbers its rows: the column, and the last number that was given out, which never is again. */
  readonly numbered: { readonly column: string; readonly last: bigint } | undefined;
}

/** All tables of the bridge, each behind those that it refers to. @throws StoreError */
export function listTables(file: DatabaseSync): SourceTable[] {
  // In the order in which they were made, for which PostgreSQL needs what a table refers to before it.
  const names = file
    .prepare(
      `select name from sqlite_schema where type = 'table'
       and name not like 'sqlite\\_%' escape '\\' and name <> 'migrations' order by rowid`,
    )
    .all()
    .map(({ name }) => String(name));
  const lastNumber = file.prepare('select seq from sqlite_sequence where name = ?');
  lastNumber.setReadBigInts(true);
  return names.map((name) => {
    const columns = file
      .prepare('select name from pragma_table_info(?) order by pk desc')
      .all(name)
      .map((column) => String(column.name));
    const rows = file.prepare(`select count(*) as n from "${name}"`).get()?.n;
    const { seq } = lastNumber.get(name) ?? {};
    // A number is the primary key alone, which comes first here.
    const [column = ''] = columns;
    const numbered = typeof seq === 'bigint' ? { column, last: seq } : undefined;
    return { name, columns, rows: Number(rows ?? 0), numbered };
  });
}

const BATCH_MAX = 1_024 * 1_024;

/** Rows of a table in batches that are small enough for a statement. @throws BridgeError for what cannot be moved */
export function* readBatches(
  file: DatabaseSync,
  { name, columns }: SourceTable,
): Generator<TextRow[]> {
  const quoted = columns.map((column) => `"${column}"`).join(', ');
  const statement = file.prepare(`select ${quoted} from "${name}"`);
  statement.setReadBigInts(true);
  let batch: TextRow[] = [];
  let size = 0;
  for (const row of statement.iterate()) {
    const texts = columns.map((column) => toText(row[column], `${name}.${column}`));
    batch.push(texts);
    // The names of the columns come with each row.
    size += texts.reduce((sum, text) => sum + (text?.length ?? 0), 200);
    if (size < BATCH_MAX) continue;
    yield batch;
    batch = [];
    size = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The value as PostgreSQL reads and writes it. */
function toText(value: unknown, place: string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string' && !value.includes('\0')) return value;
  const what =
    typeof value === 'string'
      ? 'a NUL, which PostgreSQL cannot keep'
      : 'a value that is no text and no whole number';
  throw new BridgeError('move-failed', `${place} holds ${what}`);
}

/**
 * Marks a file as moved away and makes it read-only, so that no bridge starts on it by mistake. @throws StoreError
 */
export function sealSqlite(path: string): void {
  change(path, (file) => {
    file.prepare('insert or ignore into migrations (name) values (?)').run(MOVED);
  });
  chmodSync(path, 0o400);
}

/** Makes a moved file a store again. @throws StoreError */
export function unsealSqlite(path: string): void {
  chmodSync(path, 0o600);
  change(path, (file) => file.prepare('delete from migrations where name = ?').run(MOVED));
}

/** The change is in the file itself in the end, not in a log beside it. */
function change(path: string, write: (file: DatabaseSync) => void): void {
  const file = connect(path, { readOnly: false });
  try {
    file.exec('pragma synchronous=full');
    write(file);
    file.exec('pragma wal_checkpoint(truncate)');
  } catch (error) {
    throw toSqliteStoreError(error);
  } finally {
    file.close();
  }
}
