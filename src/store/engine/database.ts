import { setTimeout as sleep } from 'node:timers/promises';
import type { Store, StoreOptions } from '../store.ts';
import { openSqlite } from './sqlite.ts';
import { isAbsent, StoreError, type StoreErrorCode } from './store-error.ts';

const TRY_AGAIN_MS = 500;

/**
 * Opens the store and proves that it answers. Does not migrate it. A server that is not there yet, or room on a full disk, is
 * waited for until the deadline.
 * @throws StoreError `store-url`, `store-unavailable`, `store-corrupt` …, which says where, why, and what to do
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, named, deadline } = options;
  const until = performance.now() + (deadline?.ms ?? 0);
  for (;;) {
    try {
      return await open(options);
    } catch (error) {
      const isInTime = performance.now() < until && deadline?.signal.aborted === false;
      if (!isInTime || !(error instanceof StoreError && isPassing(error, url)))
        throw toOpeningError(error, url, named);
      deadline.onWait(error);
      await sleep(TRY_AGAIN_MS, undefined, { signal: deadline.signal }).catch(() => {});
    }
  }
}

/** True when no server answers now and one may soon, or when the disk of a file is full. */
function isPassing(error: StoreError, url: string): boolean {
  return url.startsWith('sqlite:') ? error.code === 'store-full' : isAbsent(error);
}

async function open(options: StoreOptions): Promise<Store> {
  const { url } = options;
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(options);
  }
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  // A private in-memory database has one connection; ours needs a reader beside the writer.
  if (path !== undefined && !path.startsWith(':memory:')) return openSqlite(path, options);
  throw new StoreError(
    'store-url',
    'the address of the store is neither sqlite:<path> nor postgres://…',
  );
}

/** Codes of a store that cannot be opened, whose words alone do not say where and why. */
const WORDLESS: readonly StoreErrorCode[] = ['store-unavailable', 'store-corrupt', 'store-failed'];

/**
 * Says of a store that cannot be opened which it is, why, and what helps. Nothing secret of its address is shown.
 * @param named the setting or option with the address
 */
function toOpeningError(error: unknown, url: string, named = 'DATABASE_URL'): unknown {
  if (!(error instanceof StoreError) || !WORDLESS.includes(error.code)) return error;
  const { code, cause } = error;
  const place = /^sqlite:(.+)$/.exec(url)?.[1] ?? toServer(url);
  const message = `the store ${place} cannot be opened: ${findWords(cause) ?? error.message}`;
  return new StoreError(code, `${message}. ${toRemedy(code, url, named)}`, { cause });
}

function toRemedy(code: StoreErrorCode, url: string, named: string): string {
  if (!url.startsWith('sqlite:')) {
    return `See whether PostgreSQL runs there, and whether user, password and database of ${named} are right`;
  }
  return code === 'store-corrupt'
    ? 'Restore a backup (docs/recovery.md), or name another file in DATABASE_URL'
    : 'Its folder and the file have to be there and writable for the user of the process, or name another file in DATABASE_URL';
}

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
