import type { ResourceKey } from '../domain/ids.ts';
import type { Pending } from '../domain/pending.ts';
import { parseStored } from '../store/engine/columns.ts';
import { findGroupRow } from '../store/groups/groups.ts';
import type { Db } from '../store/store.ts';
import { findUserRow } from '../store/users/users.ts';
import type { ReconcileDeps, ReconcileEvents } from './deps.ts';
import type { Problem } from './outcome.ts';
import type { Recorded } from './recorded.ts';

/** Recorded refusal, or a look after which a change that failed again and again may be stuck. */
interface RecordedStep {
  readonly key: ResourceKey;
  /** Code of the refusal; undefined when the step failed. */
  readonly code: string | undefined;
  /** Beginning of recording, epoch milliseconds. */
  readonly since: number;
}

/** Reports once that a user or group became stuck; later refusals of the same are not reported. */
export async function reportStuck(
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

/** Planned state, as far as a deletion needs it. */
interface PlannedDeletion {
  readonly deleted: boolean;
  readonly pending: Pending<string>;
  readonly members?: readonly unknown[];
  readonly admins?: readonly unknown[];
}

/** Reports once that a deletion has nothing left to do. */
export function reportDeleted(
  events: ReconcileEvents,
  { type, id }: ResourceKey,
  { planned, recorded }: { planned: PlannedDeletion; recorded: Recorded<unknown> },
): void {
  const { deleted, pending, members = [], admins = [] } = planned;
  const wasOpen = Object.keys(pending).length + members.length + admins.length > 0;
  if (!deleted || !wasOpen || !recorded.finished || recorded.undone.length > 0) return;
  if (recorded.oldestPending === undefined) events.deletionFinished({ type, id });
}
