import { ask } from '../../domain/cell.ts';
import { fail } from '../../domain/failure.ts';
import type { GroupField } from '../../domain/group.ts';
import { NOT_APPLIED } from '../../domain/refusal.ts';
import { hasWaiting, parseCells, toDueClass } from '../../store/engine/columns.ts';
import { type GroupRow, updateGroup } from '../../store/groups/groups.ts';
import type { Db } from '../../store/store.ts';
import type { PageTimes } from './read-list.ts';

/**
 * Lets the removal of a deleted group wait again, with one failed attempt, where the service has answered it and a list
 * that was asked for later shows the group: then the service did not make the change.
 */
export async function removeAgain(
  tx: Db,
  row: GroupRow,
  { sentAt, now }: PageTimes,
): Promise<void> {
  if (!wasRemoved(row) || row.modified_at >= sentAt) return;
  const asked = ask(parseCells<GroupField>(row), ['existence'], row.version);
  const failing = { problem: NOT_APPLIED, isOwn: true, toRetryAt: () => now };
  const cells = fail(asked, { fields: ['existence'], held: {}, ...failing });
  await updateGroup(tx, row.id, {
    cells: JSON.stringify(cells),
    due_at: now,
    due_class: toDueClass(true),
  });
}

/** True for a group that the bridge removed from the service, and not merely released. */
function wasRemoved({ origin, observed, in_flight, due_at, ...row }: GroupRow): boolean {
  if (origin !== 'created' || observed !== null) return false;
  return !hasWaiting(row) && in_flight === 0 && due_at === null;
}
