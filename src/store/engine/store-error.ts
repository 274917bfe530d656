import { BridgeError } from '../../domain/values.ts';

/** Failures of the store, the same for both engines. */
export type StoreErrorCode =
  | 'store-url' // Its address cannot be understood.
  | 'store-unavailable' // It cannot be reached, read or written at all; a write was not kept.
  | 'store-unsure' // The connection was lost during a commit; the write may or may not have been kept.
  | 'store-in-use' // Another process has the SQLite file.
  | 'store-busy' // Another process held the SQLite file, or PostgreSQL worked on a statement, for too long.
  | 'store-contended' // The transaction lost against another one, or waited too long for a row of it.
  | 'store-full' // No room is left.
  | 'store-replaced' // The SQLite file is no longer where it was opened; a write was not kept.
  | 'store-corrupt' // The file is damaged or is no database.
  | 'store-conflict' // A unique index refused a second row.
  | 'store-reference' // A foreign key refused a row.
  | 'store-newer' // A later version of the bridge has changed the store.
  | 'store-moved' // Its rows were moved to PostgreSQL, and it is only kept.
  | 'store-closed' // Used after close().
  | 'store-failed'; // Anything else; `cause` has the words of the engine.

/** Failure of the store. The message never carries values of a row; `cause`, the error of the engine, may. */
export class StoreError extends BridgeError {
  override readonly name = 'StoreError';
  override readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.code = code;
  }
}

/** True when the write may or may not have been kept. */
export function isUnsure(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'store-unsure';
}

/** Result codes of SQLite; the low byte of an extended one is its class. @see https://sqlite.org/rescode.html */
const SQLITE_CODES: Readonly<Record<number, StoreErrorCode>> = {
  1555: 'store-conflict', // SQLITE_CONSTRAINT_PRIMARYKEY
  2067: 'store-conflict', // SQLITE_CONSTRAINT_UNIQUE
  787: 'store-reference', // SQLITE_CONSTRAINT_FOREIGNKEY
  3: 'store-unavailable', // SQLITE_PERM
  5: 'store-busy', // SQLITE_BUSY
  6: 'store-busy', // SQLITE_LOCKED
  8: 'store-unavailable', // SQLITE_READONLY
  10: 'store-unavailable', // SQLITE_IOERR
  11: 'store-corrupt', // SQLITE_CORRUPT
  13: 'store-full', // SQLITE_FULL
  14: 'store-unavailable', // SQLITE_CANTOPEN
  26: 'store-corrupt', // SQLITE_NOTADB
};

/** SQLSTATEs and their classes. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const POSTGRES_CODES: Readonly<Record<string, StoreErrorCode>> = {
  '23505': 'store-conflict', // unique_violation
  '23503': 'store-reference', // foreign_key_violation
  '40001': 'store-contended', // serialization_failure
  '40P01': 'store-contended', // deadlock_detected
  '55P03': 'store-contended', // lock_not_available: a row was locked for longer than our lock_timeout
  '57014': 'store-busy', // query_canceled: our statement_timeout
  '25P03': 'store-contended', // idle_in_transaction_session_timeout: we stood still, and others went on
  '53100': 'store-full', // disk_full
  '25006': 'store-unavailable', // read_only_sql_transaction: a standby
  '3D000': 'store-unavailable', // invalid_catalog_name: no such database
  '08': 'store-unavailable', // connection exception
  '28': 'store-unavailable', // invalid authorization
  '53': 'store-unavailable', // insufficient resources: too many connections, out of memory
  '57': 'store-unavailable', // operator intervention: shutting down, starting up
  '58': 'store-unavailable', // system error: I/O
  XX: 'store-corrupt', // internal error, data corrupted
};

/** An error of node:sqlite, or of a call of the operating system, in the words of the store. What is a StoreError already stays as it is. */
export function toSqliteStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const { errcode: result = 0, syscall } = Object(error);
  const other = syscall === undefined ? 'store-failed' : 'store-unavailable';
  const code = SQLITE_CODES[result] ?? SQLITE_CODES[result & 0xff] ?? other;
  return new StoreError(code, `SQLite: ${code} (result code ${result})`, { cause: error });
}

/** An error of pg in the words of the store. What is a StoreError already stays as it is. */
export function toPostgresStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const state = toSqlState(error);
  // pg reports a lost or refused connection as an Error without SQLSTATE: the server had no chance to say one.
  if (state === undefined) {
    const message = 'PostgreSQL: the connection could not be made or was lost';
    return new StoreError('store-unavailable', message, { cause: error });
  }
  const code = POSTGRES_CODES[state] ?? POSTGRES_CODES[state.slice(0, 2)] ?? 'store-failed';
  return new StoreError(code, `PostgreSQL: ${code} (SQLSTATE ${state})`, { cause: error });
}

/** SQLSTATE of an error of pg, which the server gave, unlike the `code` of a socket error (ECONNREFUSED). */
function toSqlState(error: unknown): string | undefined {
  const { code, severity } = Object(error);
  return severity === undefined ? undefined : String(code);
}

/** SQLSTATEs of a server that is stopping or starting, or has no room for one more connection now. */
const ABSENT_STATES: readonly unknown[] = [undefined, '57P01', '57P02', '57P03', '53300'];

/** True when no server answers now and one may soon; a wrong password or database is not that. */
export const isAbsent = ({ code, cause }: StoreError) =>
  code === 'store-unavailable' && ABSENT_STATES.includes(toSqlState(cause));
