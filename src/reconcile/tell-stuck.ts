import type { ResourceKey } from '../domain/ids.ts';
import type { Db } from '../store/database.ts';
import { findGroupRow } from '../store/groups.ts';
import { findUserRow } from '../store/users.ts';
import type { ReconcileDeps } from './deps.ts';

/** A refusal that was recorded. */
interface RecordedRefusal {
  readonly key: ResourceKey;
  /** Which kind of refusal it was. */
  readonly code: string;
  /** When recording began, epoch milliseconds. */
  readonly since: number;
}

/** Tells once of a person or group that became stuck: later refusals of the same are no news. */
export async function tellStuck(
  { store, events }: Pick<ReconcileDeps, 'store' | 'events'>,
  { key, code, since }: RecordedRefusal,
): Promise<void> {
  const stuckAt = await findStuckAt(store.read, key);
  if (stuckAt !== null && stuckAt >= since) events.stuck({ type: key.type, id: key.id, code });
}

async function findStuckAt(db: Db, key: ResourceKey): Promise<number | null> {
  const row = key.type === 'user' ? await findUserRow(db, key.id) : await findGroupRow(db, key.id);
  return row?.stuck_at ?? null;
}
