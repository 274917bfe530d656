import type { GroupState } from '../../domain/group.ts';
import type { GroupId } from '../../domain/ids.ts';
import type { GroupPolicy } from '../../plan/plan-group.ts';
import type { Db } from '../../store/database.ts';
import { findGroupRow, toGroupState } from '../../store/groups.ts';
import { listWaitingLinks, type WaitingLinks } from '../../store/link-work.ts';

/** What the load needs to know of the service's habits. */
export interface LinkQuery {
  readonly policy: GroupPolicy;
  readonly inactiveWait: boolean;
  readonly now: number;
}

/** Everything the plan of a group is made from, or undefined when there is no such group. */
export async function loadGroup(
  db: Db,
  id: string,
  query: LinkQuery,
): Promise<GroupState | undefined> {
  const row = await findGroupRow(db, id);
  return row && toGroupState(row, await listGroupLinks(db, row.id, query));
}

/** The waiting changes that one plan looks at: as many as two calls can carry. */
export async function listGroupLinks(
  db: Db,
  id: GroupId,
  { policy, inactiveWait, now }: LinkQuery,
): Promise<WaitingLinks> {
  const limit = Math.max(policy.membersPerCall, 50) * 2;
  return listWaitingLinks(db, id, { limit, now, inactiveWait });
}
