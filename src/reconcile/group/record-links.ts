import type { GroupRow } from '../../store/groups/groups.ts';
import { toSettledTo } from '../../store/in-flight.ts';
import { observeLinks } from '../../store/links/observations.ts';
import { touchMembers } from '../../store/links/shown.ts';
import { settleLinks } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import { isStale } from '../retry-columns.ts';
import type { GroupKnown, GroupStep } from './outcome.ts';

/** Stores who was seen in the group, and which changes of members and admins hold now. `original`: the row as it was read. */
export async function recordLinks(
  tx: Db,
  row: GroupRow,
  { planned, original, now }: Pick<GroupStep, 'planned' | 'now'> & { readonly original: GroupRow },
  { members, admins, memberIds, adopted }: GroupKnown,
): Promise<void> {
  const plannedVersion = planned.version;
  // The result of a call may be undone by now: the owed look tells.
  if (members && !isStale(original)) {
    await settleLinks(tx, 'memberships', row.id, { changes: members, plannedVersion });
  }
  if (admins && !isStale(original)) {
    await settleLinks(tx, 'group_admins', row.id, { changes: admins, plannedVersion });
  }
  if (memberIds) {
    const baseline = adopted ? 1 : row.origin === null ? null : 0;
    const seen = { upstreamUserIds: memberIds, baseline, settlesTo: toSettledTo(row) };
    await observeLinks(tx, 'memberships', row.id, seen);
    // In a managed group what is wanted is shown, whatever is seen.
    if (baseline !== 0) await touchMembers(tx, row.id, now);
  }
}
