import { setTimeout as sleep } from 'node:timers/promises';
import type { Store, StoreOptions } from '../store.ts';
import { openSqlite } from './sqlite.ts';
import { isAbsent, StoreError } from './store-error.ts';

const TRY_AGAIN_MS = 500;

/** Opens the store and proves that it answers; waits for it until the deadline. @throws StoreError, which says what to do */
export async function openStore(options: StoreOptions): Promise<Store> {
  const { url, deadline } = options;
  const until = performance.now() + (deadline?.ms ?? 0);
  for (;;) {
    try {
      return untilClosed(await open(options));
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const isInTime = performance.now() < until && deadline?.signal.aborted === false;
      const isPassing = url.startsWith('sqlite:') ? error.code === 'store-full' : isAbsent(error);
      if (!isInTime || !isPassing) throw toOpeningError(error, options);
      deadline.onWait(error);
      await sleep(TRY_AGAIN_MS, undefined, { signal: deadline.signal }).catch(() => {});
    }
  }
}

async function open(options: StoreOptions): Promise<Store> {
  const { url } = options;
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(options);
  }
  const path = findPath(url);
  // A private in-memory database has one connection; ours needs a reader beside the writer.
  if (path !== undefined && !path.startsWith(':memory:')) return openSqlite(path, options);
  throw new StoreError(
    'store-url',
    'the address of the store is neither sqlite:<path> nor postgres://…',
  );
}

function untilClosed(store: Store): Store {
  const running = new Set<Promise<unknown>>();
  let isClosed = false;
  return {
    ...store,
    async write(work) {
      if (isClosed) throw new StoreError('store-closed', 'a write came after the store was closed');
      const outcome = store.write(work);
      running.add(outcome);
      return outcome.finally(() => running.delete(outcome));
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(running);
      await store.close();
    },
  };
}

/** Says of a store that cannot be opened which it is, why, and what helps. It shows no secret of the address. */
function toOpeningError(
  error: StoreError,
  { url, named = 'DATABASE_URL' }: StoreOptions,
): StoreError {
  const { code, cause } = error;
  if (code !== 'store-unavailable' && code !== 'store-corrupt' && code !== 'store-failed') {
    return error;
  }
  const path = findPath(url);
  const server = URL.parse(url);
  const address = server === null ? '' : ` at ${server.host}${server.pathname}`;
  const place = path ?? `on PostgreSQL${address}`;
  const remedy =
    path === undefined
      ? `See whether PostgreSQL runs there, and whether user, password and database of ${named} are right`
      : `${code === 'store-corrupt' ? MEND : ALLOW}, or name another file in DATABASE_URL`;
  const why = findWords(cause) ?? error.message;
  return new StoreError(code, `the store ${place} cannot be opened: ${why}. ${remedy}`, { cause });
}

const MEND = 'Restore a backup (docs/recovery.md)';
const ALLOW = 'Its folder and the file have to be there and writable for the user of the process';

function findPath(url: string): string | undefined {
  return /^sqlite:(.+)$/.exec(url)?.[1];
}

function findWords(cause: unknown): string | undefined {
  // Of several addresses of a host each has its error.
  if (cause instanceof AggregateError) return findWords(cause.errors[0]);
  const words = cause instanceof Error ? cause.message : '';
  return words === '' ? undefined : words.replaceAll(/\s+/g, ' ');
}
