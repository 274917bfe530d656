import type { ObservedGroup } from '../../domain/group.ts';
import { groupId, newId } from '../../domain/ids.ts';
import { toGroupColumns } from '../../store/engine/columns.ts';
import { type GroupRow, type NewGroupRow, updateGroup } from '../../store/groups/groups.ts';
import { observeLinks } from '../../store/links/observations.ts';
import type { Db } from '../../store/store.ts';
import { toUnmanagedGroupAttributes } from '../group/observe.ts';

/** The names of a group in the service, as columns. */
type GroupIdColumns = Partial<
  Pick<GroupRow, 'upstream_scim_id' | 'upstream_rest_id' | 'upstream_uid'>
>;

/** A group as a list shows it. */
export interface Sighting {
  readonly ids: GroupIdColumns;
  readonly observed: ObservedGroup;
  /** When it is stored (epoch milliseconds). */
  readonly now: number;
}

/** The row of a group that nobody asked for yet. */
export function toNewGroup({ ids, observed, now }: Sighting): NewGroupRow {
  return {
    ...ids,
    ...toGroupColumns(toUnmanagedGroupAttributes(observed)),
    id: groupId(newId()),
    observed: JSON.stringify(observed),
    created_at: now,
    modified_at: now,
  };
}

/** Stores a sighting: an unmanaged group is shown as observed, a managed one as desired. */
export async function mergeGroup(
  tx: Db,
  row: GroupRow,
  { ids, observed, now }: Sighting,
): Promise<void> {
  const columns = { ...ids, observed: JSON.stringify(observed) };
  const shown = toGroupColumns(toUnmanagedGroupAttributes(observed));
  const isSame = row.origin !== null || shown.attributes === row.attributes;
  const changed = isSame ? {} : { ...shown, version: row.version + 1, modified_at: now };
  await updateGroup(tx, row.id, { ...columns, ...changed });
}

/** Who was seen in a group, and what that is worth. */
export interface SeenMembers {
  readonly memberIds: readonly number[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** Everything was read before. */
  readonly repeats: boolean;
  /** The list of all groups may cut long member lists short; asking for those of one group does not. */
  readonly from: 'list' | 'group';
}

/**
 * Stores who was seen in a group. Where that is shown and somebody came or went, the ETag of the group changes; people
 * are brought up to date once, when all groups are read.
 */
export async function saveMembers(
  tx: Db,
  row: GroupRow,
  { memberIds, now, repeats, from }: SeenMembers,
): Promise<void> {
  const baseline = toBaseline(row, repeats);
  // A removal that a provider asks for must not be taken to be done because a list was short.
  const isUnsure = repeats && from === 'list' && row.origin !== null;
  const moved = await observeLinks(tx, 'memberships', row.id, {
    upstreamUserIds: memberIds,
    baseline,
    absent: isUnsure ? 'unknown' : 'out',
    // A call whose outcome is unknown may have ended after the list was read: the look that is owed tells.
    settles: row.must_look === 0,
  });
  // In a managed group what is wanted is shown, whatever is seen.
  if (moved === 0 || baseline === 0) return;
  await updateGroup(tx, row.id, { version: row.version + 1, modified_at: now });
}

/**
 * Who was in a group when it was adopted belongs there, also where its members are only read now. In one that
 * the bridge made, and in every managed one that was read before, nobody asked for them.
 */
function toBaseline({ origin }: GroupRow, repeats: boolean): number | null {
  if (origin === null) return null;
  return origin === 'adopted' && !repeats ? 1 : 0;
}
