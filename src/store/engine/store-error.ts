import { BridgeError } from '../../domain/errors.ts';

/**
 * Failures of the store, the same for both engines:
 * - `store-url`: the address of the store cannot be understood
 * - `store-unavailable`: it cannot be reached, read or written at all; a write was not kept
 * - `store-unsure`: the connection was lost during a commit; the write may or may not have been kept
 * - `store-in-use`: another process has the SQLite file
 * - `store-busy`: another process held the SQLite file, or PostgreSQL worked on a statement, for longer than we wait
 * - `store-contended`: this transaction lost against another one, or waited too long for a row of it, and may be run again as it was
 * - `store-full`: no room is left
 * - `store-replaced`: the SQLite file is no longer where it was opened; a write was not kept
 * - `store-corrupt`: the file is damaged or is no database
 * - `store-conflict`: a unique index refused a second row
 * - `store-reference`: a foreign key refused a row
 * - `store-newer`: a later version of the bridge has changed the store
 * - `store-moved`: its rows were moved to PostgreSQL, and it is only kept
 * - `store-closed`: used after close()
 * - `store-failed`: anything else; `cause` has the words of the engine
 */
export type StoreErrorCode =
  | 'store-url'
  | 'store-unavailable'
  | 'store-unsure'
  | 'store-in-use'
  | 'store-busy'
  | 'store-contended'
  | 'store-full'
  | 'store-replaced'
  | 'store-corrupt'
  | 'store-conflict'
  | 'store-reference'
  | 'store-newer'
  | 'store-moved'
  | 'store-closed'
  | 'store-failed';

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
