import { saveRecovery } from '../reconcile/recovery/state.ts';
import type { Settings } from '../settings/schema.ts';
import { toStoreUrl } from '../settings/store-url.ts';
import { openStore } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import { systemClock } from '../telemetry/system-clock.ts';

/** Makes the next start begin recovery, whatever the audit log says. @throws StoreError */
export async function markRestored(settings: Settings): Promise<void> {
  await markStore(toStoreUrl(settings));
}

/** Marks the store at this address. @throws StoreError */
export async function markStore(url: string): Promise<void> {
  const store = await openStore({ url });
  const since = systemClock.now();
  try {
    await migrate(store);
    await store.write((tx) => saveRecovery(tx, { phase: 'requested', since }, since));
  } finally {
    await store.close();
  }
}
