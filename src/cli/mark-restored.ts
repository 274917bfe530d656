import { openMigratedStore } from '../bridge.ts';
import { saveRecovery } from '../reconcile/recovery/state.ts';
import type { Settings } from '../settings/schema.ts';
import { systemClock } from '../telemetry/system-clock.ts';

/** Has the next start begin recovery, whatever the audit log says. @throws StoreError */
export async function markRestored(settings: Settings): Promise<void> {
  const store = await openMigratedStore(settings);
  const since = systemClock.now();
  try {
    await store.write((tx) => saveRecovery(tx, { phase: 'requested', since }, since));
  } finally {
    await store.close();
  }
}
