import type { Store, StoreOptions } from '../store.ts';
import { keepTrying } from './keep-trying.ts';
import { toOpeningError } from './opening-error.ts';
import { openSqlite } from './sqlite.ts';
import { StoreError } from './store-error.ts';

/**
 * Opens the store and proves that it answers. Does not migrate it.
 * @throws StoreError `store-url`, `store-unavailable`, `store-corrupt` …, which says where, why, and what to do
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  try {
    return await open(options);
  } catch (error) {
    throw toOpeningError(error, options.url, options.named);
  }
}

async function open(options: StoreOptions): Promise<Store> {
  const { url } = options;
  if (/^postgres(ql)?:\/\//.test(url)) {
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(options);
  }
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  // A private in-memory database has one connection; ours needs a reader beside the writer.
  if (path !== undefined && !path.startsWith(':memory:')) {
    // Room on a full disk is waited for.
    return keepTrying(
      () => openSqlite(path),
      options.deadline,
      ({ code }) => code === 'store-full',
    );
  }
  throw new StoreError(
    'store-url',
    'the address of the store is neither sqlite:<path> nor postgres://…',
  );
}
