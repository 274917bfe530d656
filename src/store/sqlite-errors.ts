import { StoreError, type StoreErrorCode } from './store-error.ts';

/** Result codes that mean something to a caller; extended ones first. @see https://sqlite.org/rescode.html */
const codeByResult: ReadonlyMap<number, StoreErrorCode> = new Map([
  [1555, 'store-conflict'], // SQLITE_CONSTRAINT_PRIMARYKEY
  [2067, 'store-conflict'], // SQLITE_CONSTRAINT_UNIQUE
  [787, 'store-reference'], // SQLITE_CONSTRAINT_FOREIGNKEY
  [3, 'store-unavailable'], // SQLITE_PERM
  [5, 'store-busy'], // SQLITE_BUSY
  [6, 'store-busy'], // SQLITE_LOCKED
  [8, 'store-unavailable'], // SQLITE_READONLY
  [10, 'store-unavailable'], // SQLITE_IOERR
  [11, 'store-corrupt'], // SQLITE_CORRUPT
  [13, 'store-full'], // SQLITE_FULL
  [14, 'store-unavailable'], // SQLITE_CANTOPEN
  [26, 'store-corrupt'], // SQLITE_NOTADB
]);

/** The low byte of an extended result code is the primary code. */
const primaryCodeMask = 0xff;

/** An error of node:sqlite in the words of the store. What is a StoreError already stays as it is. */
export function toSqliteStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const result = resultCode(error);
  if (result === undefined)
    return new StoreError('store-failed', 'SQLite: failed', { cause: error });
  const code =
    codeByResult.get(result) ?? codeByResult.get(result & primaryCodeMask) ?? 'store-failed';
  return new StoreError(code, `SQLite: ${code} (result code ${result})`, { cause: error });
}

/** node:sqlite keeps SQLite's extended result code in `errcode`. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error)) return undefined;
  return typeof error.errcode === 'number' ? error.errcode : undefined;
}
