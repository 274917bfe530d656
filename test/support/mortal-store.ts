import { StoreError } from '../../src/store/engine/store-error.ts';
import type { Db, Store } from '../../src/store/store.ts';

/** When a process is killed. */
export interface Fate {
  /** As soon as this is so of what is committed: the process never hears of that commit. */
  readonly after?: (db: Db) => Promise<boolean>;
  /** Before the first write that begins when this is so. */
  readonly before?: () => boolean;
}

/**
 * The store of a process that is killed and writes nothing from then on. So it sends nothing that changes the service
 * either, because the send guard writes first.
 */
export function createMortalStore(store: Store, { after, before }: Fate) {
  const { promise: death, resolve: die } = Promise.withResolvers<void>();
  let isDead = false;
  const assertAlive = () => {
    if (isDead) throw new StoreError('store-closed', 'the process was killed');
  };
  const kill = () => {
    isDead = true;
    die();
  };
  return {
    death,
    store: {
      ...store,
      async write<T>(work: (tx: Db) => Promise<T>): Promise<T> {
        if (before?.()) kill();
        assertAlive();
        const result = await store.write(async (tx) => {
          assertAlive();
          return work(tx);
        });
        if (!isDead && (await after?.(store.read))) kill();
        assertAlive();
        return result;
      },
    },
  };
}

/** As if so much time had passed that the lead of a dead process is over. */
export async function endLead({ write }: Store): Promise<void> {
  await write(async (tx) => {
    await tx.updateTable('leader').set({ expires_at: 0, quiet_at: 0 }).execute();
  });
}
