import { StoreError, type StoreErrorCode } from './store-error.ts';

/** Codes of a store that cannot be opened, whose words alone do not say where and why. */
const WORDLESS: ReadonlySet<StoreErrorCode> = new Set([
  'store-unavailable',
  'store-corrupt',
  'store-failed',
]);

/**
 * Says of a store that cannot be opened which it is, why, and what helps. Nothing secret of its address is told.
 * @param named the setting or option with the address
 */
export function toOpeningError(error: unknown, url: string, named = 'DATABASE_URL'): unknown {
  if (!(error instanceof StoreError) || !WORDLESS.has(error.code)) return error;
  const { code, cause } = error;
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  const place = path ?? toServer(url);
  const why = findWords(cause) ?? error.message;
  const remedy = path === undefined ? toServerRemedy(named) : toFileRemedy(code);
  return new StoreError(code, `the store ${place} cannot be opened: ${why}. ${remedy}`, { cause });
}

function toServerRemedy(named: string): string {
  return `See whether PostgreSQL runs there, and whether user, password and database of ${named} are right`;
}

function toFileRemedy(code: StoreErrorCode): string {
  return code === 'store-corrupt'
    ? 'Restore a backup (docs/recovery.md), or name another file in DATABASE_URL'
    : 'Its folder and the file have to be there and writable for the user of the process, or name another file in DATABASE_URL';
}

/** Host and database of an address, without user and password. */
function toServer(url: string): string {
  const parsed = URL.parse(url);
  return parsed === null ? 'on PostgreSQL' : `on PostgreSQL at ${parsed.host}${parsed.pathname}`;
}

/** The words of the engine in one line; undefined: it has none. */
function findWords(cause: unknown): string | undefined {
  // Of several addresses of a host each has its error.
  if (cause instanceof AggregateError) return findWords(cause.errors[0]);
  const words = cause instanceof Error ? cause.message : '';
  return words === '' ? undefined : words.replaceAll(/\s+/g, ' ');
}
