import { ask } from '../../domain/cell.ts';
import { fail } from '../../domain/failure.ts';
import type { GroupField, ObservedGroup } from '../../domain/group.ts';
import { groupId, newId } from '../../domain/ids.ts';
import { NOT_APPLIED } from '../../domain/refusal.ts';
import { hasWaiting, parseCells, toDueClass, toGroupColumns } from '../../store/engine/columns.ts';
import { type GroupRow, type NewGroupRow, updateGroup } from '../../store/groups/groups.ts';
import { toDoneUpTo } from '../../store/in-flight.ts';
import type { SeenLinks } from '../../store/links/compare-links.ts';
import { agreesWithLinks, observeLinks } from '../../store/links/observations.ts';
import { listNamesUnderWay } from '../../store/resources/sent-creates.ts';
import type { Db } from '../../store/store.ts';
import { toUnmanagedGroupAttributes } from '../group/observe.ts';
import type { PageTimes } from './read-list.ts';

/** Ids of a group in the service, as columns. */
type GroupIdColumns = Partial<
  Pick<GroupRow, 'upstream_scim_id' | 'upstream_rest_id' | 'upstream_uid'>
>;

/** Group as a list shows it. */
export interface GroupObservation {
  readonly ids: GroupIdColumns;
  readonly observed: ObservedGroup;
  /** Time of storing (epoch milliseconds). */
  readonly now: number;
}

/** Row of a new unmanaged group. */
export function toNewGroup({ ids, observed, now }: GroupObservation): NewGroupRow {
  return {
    ...ids,
    ...toGroupColumns(toUnmanagedGroupAttributes(observed)),
    id: groupId(newId()),
    observed: JSON.stringify(observed),
    created_at: now,
    modified_at: now,
  };
}

/**
 * Leaves out groups that a create of ours may have made: the look of the group that waits for it tells. Under another id
 * they would be lost to whoever writes them meanwhile.
 */
export async function withoutUnderWay<New extends { readonly row: NewGroupRow }>(
  tx: Db,
  added: readonly New[],
): Promise<readonly New[]> {
  if (added.length === 0) return added;
  const underWay = await listNamesUnderWay(tx, 'groups');
  return added.filter(({ row }) => !underWay.has(row.display_name_folded));
}

/** Stores an observation: an unmanaged group is shown as observed, a managed one as desired. */
export async function mergeGroup(
  tx: Db,
  row: GroupRow,
  { ids, observed, now }: GroupObservation,
): Promise<void> {
  const columns = { ...ids, observed: JSON.stringify(observed) };
  const shown = toGroupColumns(toUnmanagedGroupAttributes(observed));
  const isSame = row.origin !== null || shown.attributes === row.attributes;
  const changed = isSame ? {} : { ...shown, version: row.version + 1, modified_at: now };
  await updateGroup(tx, row.id, { ...columns, ...changed });
}

/** Members that were seen in a group, with the source. */
interface SeenMembers {
  readonly memberIds: readonly number[];
  /** Epoch milliseconds. */
  readonly now: number;
  /** True when everything was read before. */
  readonly repeats: boolean;
  /** Source of the members: the list of all groups may cut long member lists short, the list of one group does not. */
  readonly from: 'list' | 'group';
}

/**
 * Stores the members that were seen in a group. Where they are shown and have changed, the ETag of the group changes.
 */
export async function saveMembers(tx: Db, row: GroupRow, seen: SeenMembers): Promise<void> {
  const links = toSeenLinks(row, seen);
  const moved = await observeLinks(tx, 'memberships', row.id, links);
  if (moved === 0 || showsDesired(links)) return;
  await updateGroup(tx, row.id, { version: row.version + 1, modified_at: seen.now });
}

/** True when `saveMembers` of these would change nothing: a comparison of many members, while others write. */
export async function agreesWithMembers(
  db: Db,
  row: GroupRow,
  seen: SeenMembers,
): Promise<boolean> {
  return agreesWithLinks(db, 'memberships', row.id, toSeenLinks(row, seen));
}

function toSeenLinks(row: GroupRow, { memberIds, repeats, from }: SeenMembers): SeenLinks {
  const baseline = toBaseline(row, repeats);
  // A short list must not pass for a removal that a provider asks for.
  const isUnsure = repeats && from === 'list' && row.origin !== null;
  return {
    upstreamUserIds: memberIds,
    baseline,
    absent: isUnsure ? 'unknown' : 'out',
    // A call whose outcome is unknown may have ended after the list was read: the look that is owed tells.
    doneUpTo: row.must_look === 0 ? toDoneUpTo(row) : 0,
  };
}

/** True for a managed group, which shows its desired members, whatever is seen. */
function showsDesired({ baseline }: Pick<SeenLinks, 'baseline'>): boolean {
  return baseline === 0;
}

/**
 * Baseline of members: those of a newly adopted group belong to it, also when they are read later. In a created group,
 * and in a group that was read before, a new member is not desired.
 */
function toBaseline({ origin }: GroupRow, repeats: boolean): number | null {
  if (origin === null) return null;
  return origin === 'adopted' && !repeats ? 1 : 0;
}

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
