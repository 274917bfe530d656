import { RECOVERY } from '../reconcile/repair/recovery-state.ts';
import { openStore } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';
import { systemClock } from '../telemetry/system-clock.ts';

/** Makes the next start on the store at this address begin recovery, whatever the audit log says. @throws StoreError */
export async function markStore(url: string): Promise<void> {
  const store = await openStore({ url });
  const since = systemClock.now();
  try {
    await migrate(store);
    await store.write((tx) => RECOVERY.save(tx, { phase: 'requested', since }, since));
  } finally {
    await store.close();
  }
}
