import type { Clock } from '../../domain/clock.ts';
import { createShared } from '../shared-state.ts';
import type { Db, Store } from '../store.ts';
import { isPostgres, select } from './dialect.ts';
import { StoreError, type StoreErrorCode } from './store-error.ts';

const WRITE_CHECK = createShared<number>('write-check');

/** A store that remembers whether its last write was taken. */
export type WatchedStore = ReturnType<typeof watchWrites>;

/** Codes of a store that cannot be used; other errors are about one piece of work alone. */
export const OUTAGE_CODES: ReadonlySet<StoreErrorCode> = new Set([
  'store-full',
  'store-unavailable',
  'store-unsure',
  'store-busy',
  'store-replaced',
  'store-corrupt',
]);

/** Watches writes: a full disk can be read and not written. `ended` is called after each. */
export function watchWrites(
  store: Store,
  clock: Clock,
  ended: (result: 'done' | 'failed', durationMs: number) => void,
) {
  let trouble: { readonly code: StoreErrorCode; readonly sinceMs: number } | undefined;

  const write: Store['write'] = async (work) => {
    const beganAt = performance.now();
    try {
      const value = await store.write(work);
      trouble = undefined;
      ended('done', performance.now() - beganAt);
      return value;
    } catch (error) {
      ended('failed', performance.now() - beganAt);
      if (error instanceof StoreError && OUTAGE_CODES.has(error.code)) {
        trouble = { code: error.code, sinceMs: trouble?.sinceMs ?? clock.now() };
      }
      throw error;
    }
  };

  return {
    ...store,
    write,
    /**
     * Finds why the store takes no writes, and since when (epoch milliseconds). A small write is tried where the last one
     * failed, so that an end of the trouble shows without traffic.
     */
    async findWriteTrouble() {
      if (trouble === undefined) return undefined;
      const now = clock.now();
      // A failure of this write is in `trouble`.
      await write((tx) => WRITE_CHECK.save(tx, now, now)).catch(() => {});
      return trouble;
    },
  };
}

/** Why committed data may be lost. `not-flushed`: `fsync` is off. `standby-behind`: no commit waits for a standby. */
export type Weakness = 'not-flushed' | 'standby-behind';

/** Reads from PostgreSQL's settings how commits may be lost; empty for a SQLite file. @throws StoreError */
export async function findWeaknesses(db: Db): Promise<readonly Weakness[]> {
  if (!isPostgres(db)) return [];
  const rows = await select<{ weakness: Weakness }>(db)`
    select 'not-flushed' as weakness where current_setting('fsync') <> 'on'
    union all select 'standby-behind' where exists (select from pg_stat_replication)
      and (current_setting('synchronous_standby_names') = ''
        or current_setting('synchronous_commit') = 'local')`;
  return rows.map(({ weakness }) => weakness);
}
