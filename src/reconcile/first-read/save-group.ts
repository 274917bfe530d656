import type { ObservedGroup } from '../../domain/group.ts';
import { groupId, newId, type UserId } from '../../domain/ids.ts';
import { toGroupColumns } from '../../store/columns.ts';
import type { Db } from '../../store/database.ts';
import {
  type GroupRow,
  type NewGroupRow,
  toObservedGroup,
  updateGroup,
} from '../../store/groups.ts';
import { observeLinks } from '../../store/link-observations.ts';
import { listLinks } from '../../store/links.ts';
import { toUnmanagedGroupAttributes } from '../group/observe.ts';
import { type Fate, judgeSighting } from './fate.ts';

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

/** What the word of a list asked for at `sentAt` (epoch milliseconds) is worth for this group. */
export function judgeGroup(row: GroupRow | undefined, sentAt: number): Fate {
  const stored = row && { ...row, observedAt: toObservedGroup(row)?.at };
  return judgeSighting(stored, sentAt);
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
 * Stores who was seen in a group. Where somebody came or went, the ETag of the group changes; people are
 * brought up to date once, when all groups are read.
 */
export async function saveMembers(
  tx: Db,
  row: GroupRow,
  { memberIds, now, repeats, from }: SeenMembers,
): Promise<void> {
  const before = await listObserved(tx, row);
  // A removal that a provider asks for must not be taken to be done because a list was short.
  const isUnsure = repeats && from === 'list' && row.origin !== null;
  await observeLinks(tx, 'memberships', row.id, {
    upstreamUserIds: memberIds,
    baseline: toBaseline(row, repeats),
    absent: isUnsure ? 'unknown' : 'out',
  });
  const after = await listObserved(tx, row);
  const changed = [...listMissing(before, after), ...listMissing(after, before)];
  if (changed.length === 0) return;
  await updateGroup(tx, row.id, { version: row.version + 1, modified_at: now });
}

async function listObserved(tx: Db, { id }: GroupRow): Promise<Set<UserId>> {
  const links = await listLinks(tx, 'memberships', id);
  return new Set(links.filter(({ observed }) => observed === 1).map(({ user_id }) => user_id));
}

function listMissing(from: ReadonlySet<UserId>, than: ReadonlySet<UserId>): UserId[] {
  return [...than].filter((id) => !from.has(id));
}

/**
 * Who was in a group when it was adopted belongs there, also where its members are only read now. In one that
 * the bridge made, and in every managed one that was read before, nobody asked for them.
 */
function toBaseline({ origin }: GroupRow, repeats: boolean): number | null {
  if (origin === null) return null;
  return origin === 'adopted' && !repeats ? 1 : 0;
}
