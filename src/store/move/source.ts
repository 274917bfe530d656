import type { DatabaseSync } from 'node:sqlite';
import { BridgeError } from '../../domain/errors.ts';
import { connect, toSqliteStoreError } from '../engine/sqlite-file.ts';
import type { TextRow } from './table-digest.ts';

/** A table of the store that is moved. */
export interface SourceTable {
  readonly name: string;
  readonly columns: readonly string[];
  readonly rows: number;
  /** Last number that was given out, of a table that numbers its rows; never given out again. */
  readonly lastNumber: bigint | undefined;
}

/** Store that is read and never changed. */
export interface Source {
  /** All tables of the bridge, each behind those that it refers to. */
  listTables(): SourceTable[];
  /** Rows of a table in batches that are small enough for a statement. @throws BridgeError for what cannot be moved */
  readBatches(table: SourceTable): Generator<TextRow[]>;
  close(): void;
}

/** Opens a SQLite store for reading alone. @throws StoreError */
export function openSource(path: string): Source {
  const file = connect(path, { readOnly: true });
  return {
    listTables: () => inWords(() => listTables(file)),
    *readBatches(table) {
      yield* readBatches(file, table);
    },
    close: () => file.close(),
  };
}

const BATCH_ROWS_MAX = 2_000;
const BATCH_BYTES_MAX = 4 * 1_024 * 1_024;

function listTables(file: DatabaseSync): SourceTable[] {
  const names = file
    .prepare(
      `select name from sqlite_schema where type = 'table'
       and name not like 'sqlite\\_%' escape '\\' and name not like 'kysely\\_%' escape '\\' order by name`,
    )
    .all()
    .map(({ name }) => String(name));
  const sorted: string[] = [];
  const add = (name: string) => {
    if (sorted.includes(name)) return;
    for (const parent of listParents(file, name)) if (parent !== name) add(parent);
    sorted.push(name);
  };
  for (const name of names) add(name);
  return sorted.map((name) => ({
    name,
    columns: listColumns(file, name),
    rows: countRows(file, name),
    lastNumber: findLastNumber(file, name),
  }));
}

function listParents(file: DatabaseSync, table: string): string[] {
  const keys = file.prepare('select "table" as parent from pragma_foreign_key_list(?)').all(table);
  return keys.map(({ parent }) => String(parent));
}

function listColumns(file: DatabaseSync, table: string): string[] {
  const columns = file.prepare('select name from pragma_table_info(?)').all(table);
  return columns.map(({ name }) => String(name));
}

function countRows(file: DatabaseSync, table: string): number {
  return Number(file.prepare(`select count(*) as n from "${table}"`).get()?.n ?? 0);
}

function findLastNumber(file: DatabaseSync, table: string): bigint | undefined {
  const statement = file.prepare('select seq from sqlite_sequence where name = ?');
  statement.setReadBigInts(true);
  const { seq } = statement.get(table) ?? {};
  return typeof seq === 'bigint' ? seq : undefined;
}

function* readBatches(file: DatabaseSync, { name, columns }: SourceTable): Generator<TextRow[]> {
  const quoted = columns.map((column) => `"${column}"`).join(', ');
  const statement = file.prepare(`select ${quoted} from "${name}"`);
  statement.setReadBigInts(true);
  let batch: TextRow[] = [];
  let bytes = 0;
  for (const row of statement.iterate()) {
    const texts = columns.map((column) => toText(row[column], `${name}.${column}`));
    batch.push(texts);
    bytes += texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
    if (batch.length < BATCH_ROWS_MAX && bytes < BATCH_BYTES_MAX) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** The value as PostgreSQL reads and writes it. */
function toText(value: unknown, place: string): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'string') {
    throw new BridgeError(
      'move-failed',
      `${place} holds a value that is no text and no whole number`,
    );
  }
  if (value.includes('\0')) {
    throw new BridgeError('move-failed', `${place} holds a NUL, which PostgreSQL cannot keep`);
  }
  return value;
}

function inWords<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw toSqliteStoreError(error);
  }
}
