import type { ResourceKey } from '../domain/ids.ts';
import { parseStored } from '../store/engine/columns.ts';
import { findGroupRow } from '../store/groups/groups.ts';
import type { Db } from '../store/store.ts';
import { findUserRow } from '../store/users/users.ts';
import type { ReconcileDeps } from './deps.ts';
import type { Problem } from './outcome.ts';

/** A refusal that was recorded, or a look after which what failed again and again may be stuck. */
interface RecordedStep {
  readonly key: ResourceKey;
  /** Which kind of refusal it was; undefined: it failed. */
  readonly code: string | undefined;
  /** When recording began, epoch milliseconds. */
  readonly since: number;
}

/** Tells once of a person or group that became stuck: later refusals of the same are no news. */
export async function tellStuck(
  { store, events }: Pick<ReconcileDeps, 'store' | 'events'>,
  { key, code, since }: RecordedStep,
): Promise<void> {
  const row = await findRow(store.read, key);
  if (row === undefined || row.stuck_at === null || row.stuck_at < since) return;
  const problem = parseStored<Partial<Problem> | null>(row.last_error ?? 'null');
  events.stuck({ type: key.type, id: key.id, code: code ?? problem?.code ?? 'unknown' });
}

async function findRow(db: Db, { type, id }: ResourceKey) {
  return type === 'user' ? findUserRow(db, id) : findGroupRow(db, id);
}
