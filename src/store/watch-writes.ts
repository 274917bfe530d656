import type { Clock } from '../domain/clock.ts';
import { saveFact } from './facts.ts';
import type { Store } from './store.ts';
import { StoreError, type StoreErrorCode } from './store-error.ts';

/** Why the store takes no writes, and since when (epoch milliseconds). */
export interface WriteTrouble {
  readonly code: StoreErrorCode;
  readonly sinceMs: number;
}

/** A store that remembers whether its last write was taken. */
export interface WatchedStore extends Store {
  /** Tries a small write where the last one failed, so that an end of the trouble shows without traffic. */
  findWriteTrouble(): Promise<WriteTrouble | undefined>;
}

/** Codes that say that the store cannot be used; other errors are about one piece of work alone. */
export const OUTAGE_CODES: ReadonlySet<StoreErrorCode> = new Set([
  'store-full',
  'store-unavailable',
  'store-unsure',
  'store-busy',
  'store-corrupt',
]);

/** A full disk lets a store be read and not written; only writing tells. */
export function watchWrites(store: Store, clock: Clock): WatchedStore {
  let trouble: WriteTrouble | undefined;

  const write: Store['write'] = async (work) => {
    try {
      const value = await store.write(work);
      trouble = undefined;
      return value;
    } catch (error) {
      const code =
        error instanceof StoreError && OUTAGE_CODES.has(error.code) ? error.code : undefined;
      if (code !== undefined) trouble = { code, sinceMs: trouble?.sinceMs ?? clock.now() };
      throw error;
    }
  };

  return {
    ...store,
    write,
    async findWriteTrouble() {
      if (trouble === undefined) return undefined;
      const now = clock.now();
      // Its failure is what `trouble` says.
      await write((tx) => saveFact(tx, { name: 'write-check', value: now, now })).catch(() => {});
      return trouble;
    },
  };
}
