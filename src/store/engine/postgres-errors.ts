import { StoreError, type StoreErrorCode } from './store-error.ts';

/** lock_not_available: a row was locked for longer than our `lock_timeout`. */
const LOCK_TIMEOUT = '55P03';

/** SQLSTATEs that mean something to a caller. @see https://www.postgresql.org/docs/current/errcodes-appendix.html */
const codeByState: ReadonlyMap<string, StoreErrorCode> = new Map([
  ['23505', 'store-conflict'], // unique_violation
  ['23503', 'store-reference'], // foreign_key_violation
  ['40001', 'store-contended'], // serialization_failure
  ['40P01', 'store-contended'], // deadlock_detected
  [LOCK_TIMEOUT, 'store-contended'], // other work goes on
  ['57014', 'store-busy'], // query_canceled: our statement_timeout
  ['25P03', 'store-contended'], // idle_in_transaction_session_timeout: we stood still, and others went on
  ['53100', 'store-full'], // disk_full
  ['25006', 'store-unavailable'], // read_only_sql_transaction: a standby
  ['3D000', 'store-unavailable'], // invalid_catalog_name: no such database
]);

/** Codes by the first two characters, for states that are not in the first table. */
const codeByClass: ReadonlyMap<string, StoreErrorCode> = new Map([
  ['08', 'store-unavailable'], // connection exception
  ['28', 'store-unavailable'], // invalid authorization
  ['53', 'store-unavailable'], // insufficient resources: too many connections, out of memory
  ['57', 'store-unavailable'], // operator intervention: shutting down, starting up
  ['58', 'store-unavailable'], // system error: I/O
  ['XX', 'store-corrupt'], // internal error, data corrupted
]);

const CONTENDED_ATTEMPTS_MAX = 8;
/** Each takes as long as the timeout. */
const LOCK_ATTEMPTS_MAX = 2;
/** The next time it sees what the other one stored, and perhaps meets one more. */
const SEEN_ATTEMPTS_MAX = 4;

/**
 * Unique indexes over the ids of the service and over names: the second transaction that stores the same new resource
 * only has to look again, and then knows the owner.
 */
const SEEN_INDEXES: ReadonlySet<string> = new Set([
  'resources_upstream',
  'resources_scim_id',
  'resources_uid',
  'resources_managed_name',
]);

/** An error of pg in the words of the store. What is a StoreError already stays as it is. */
export function toPostgresStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error;
  const state = sqlState(error);
  // pg reports a lost or refused connection as an Error without SQLSTATE: the server had no chance to say one.
  if (state === undefined) {
    const message = 'PostgreSQL: the connection could not be made or was lost';
    return new StoreError('store-unavailable', message, { cause: error });
  }
  const code = codeByState.get(state) ?? codeByClass.get(state.slice(0, 2)) ?? 'store-failed';
  return new StoreError(code, `PostgreSQL: ${code} (SQLSTATE ${state})`, { cause: error });
}

/** Number of times that a transaction which failed in this way is run, the first time included. */
export function toAttemptsMax(error: StoreError): number {
  if (sqlState(error.cause) === LOCK_TIMEOUT) return LOCK_ATTEMPTS_MAX;
  if (error.code === 'store-contended') return CONTENDED_ATTEMPTS_MAX;
  return isSeenTwice(error) ? SEEN_ATTEMPTS_MAX : 1;
}

function isSeenTwice({ cause }: StoreError): boolean {
  if (!(cause instanceof Error) || !('constraint' in cause)) return false;
  return typeof cause.constraint === 'string' && SEEN_INDEXES.has(cause.constraint);
}

/** SQLSTATEs of a server that is stopping or starting, or has no room for one more connection now. */
const ABSENT_STATES: ReadonlySet<string> = new Set(['57P01', '57P02', '57P03', '53300']);

/** True when no server answers now and one may soon; a wrong password or database is not that. */
export function isAbsent(error: StoreError): boolean {
  const state = sqlState(error.cause);
  return error.code === 'store-unavailable' && (state === undefined || ABSENT_STATES.has(state));
}

/** Five characters and given by the server, unlike the `code` of a socket error (ECONNREFUSED). */
function sqlState(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error) || !('severity' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
