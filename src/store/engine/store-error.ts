import { BridgeError } from '../../domain/errors.ts';

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

/** True when the write may or may not have been kept. */
export function isUnsure(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'store-unsure';
}

/** Failure of the store. The message never carries values of a row; `cause`, the error of the engine, may. */
export class StoreError extends BridgeError {
  override readonly name = 'StoreError';
  override readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: { cause?: unknown }) {
    super(code, message, options);
    this.code = code;
  }
}
