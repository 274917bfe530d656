import type { ResourceKey } from '../domain/ids.ts';
import type { Pending } from '../domain/pending.ts';
import type { ReconcileEvents } from './deps.ts';
import type { Recorded } from './recorded.ts';

/** What a step was planned from, as far as a deletion needs to know. */
interface PlannedDeletion {
  readonly deleted: boolean;
  readonly pending: Pending<string>;
  readonly members?: readonly unknown[];
  readonly admins?: readonly unknown[];
}

/** Tells once of a deletion that was under way and has nothing left to do. */
export function tellDeleted(
  events: ReconcileEvents,
  { type, id }: ResourceKey,
  { planned, recorded }: { planned: PlannedDeletion; recorded: Recorded<unknown> },
): void {
  const { deleted, pending, members = [], admins = [] } = planned;
  const wasOpen = Object.keys(pending).length + members.length + admins.length > 0;
  if (!deleted || !wasOpen || !recorded.finished || recorded.undone.length > 0) return;
  if (recorded.oldestPending === undefined) events.deletionFinished({ type, id });
}
