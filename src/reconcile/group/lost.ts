import type { GroupState, UpstreamGroupIds } from '../../domain/group.ts';
import { findGroupByUpstream, type GroupRow, hasUpstreamIds } from '../../store/groups/groups.ts';
import type { Db } from '../../store/store.ts';

/** Whether the step that ended may have been a create. */
export function mayHaveCreated(row: GroupRow, planned: GroupState): boolean {
  return !hasUpstreamIds(row) && !planned.mustLook && planned.pending.existence !== undefined;
}

/** A look for what the lost create of a group that is no more may have left. */
export function isLostLook(row: GroupRow, planned: GroupState): boolean {
  return row.deleted_at !== null && row.lost_looks > 0 && !hasUpstreamIds(row) && planned.mustLook;
}

/** Whether a look found what the lost create left: what was seen before that was asked for is not it. */
export async function isItsOwn(
  tx: Db,
  row: GroupRow,
  ids: Partial<UpstreamGroupIds> | undefined,
): Promise<boolean> {
  if (ids === undefined) return false;
  const holder = await findGroupByUpstream(tx, ids);
  return holder === undefined || holder.id === row.id || holder.created_at >= row.created_at;
}
