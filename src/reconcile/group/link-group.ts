import { ask, listWaiting } from '../../domain/cell.ts';
import type { GroupField, GroupState, UpstreamGroupIds } from '../../domain/group.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { toOwnRefusal } from '../../domain/refusal.ts';
import { hasWaiting, parseCells } from '../../store/engine/columns.ts';
import {
  deleteGroup,
  findGroupByUpstream,
  type GroupRow,
  hasUpstreamIds,
  lockGroup,
  updateGroup,
} from '../../store/groups/groups.ts';
import { EVERYTHING_UNSURE } from '../../store/in-flight.ts';
import { moveGroupLinks } from '../../store/links/observations.ts';
import { distrustLinks } from '../../store/links/work.ts';
import type { Db } from '../../store/store.ts';
import type { Link } from '../resource-kind.ts';
import { mayTakeEffect, toStaleColumns } from '../retry-columns.ts';
import type { GroupKnown, GroupStep } from './outcome.ts';

/**
 * Links the row to the group that a step found or created. A row that only observed the group is merged into it; a
 * managed one, or a group with permissions, is refused.
 */
export async function linkGroup(tx: Db, row: GroupRow, known: GroupKnown): Promise<Link<GroupRow>> {
  const { ids } = known;
  if (ids === undefined) return { kind: 'linked', columns: {} };
  const obstacle = await clearHolder(tx, row, ids);
  if (obstacle !== undefined) return obstacle;
  if (known.adopted && (known.observed?.permissions ?? 0) > 0) {
    return refuse(
      'a group of this name exists in the service, holds permissions, and is not taken over',
    );
  }
  return {
    kind: 'linked',
    columns: {
      upstream_scim_id: ids.scimId ?? row.upstream_scim_id,
      upstream_rest_id: ids.restId ?? row.upstream_rest_id,
      upstream_uid: ids.uid ?? row.upstream_uid,
      origin: known.adopted ? 'adopted' : (row.origin ?? 'created'),
      lost_looks: 0,
      sent_creates: '[]',
    },
  };
}

/** Takes the group from a row that only observed it; returns the obstacle, if any. */
async function clearHolder(
  tx: Db,
  row: GroupRow,
  ids: Partial<UpstreamGroupIds>,
): Promise<Link<GroupRow> | undefined> {
  const found = await findGroupByUpstream(tx, ids);
  // Locked, because a request may be taking it over.
  const holder = found && (await lockGroup(tx, found.id));
  if (holder === undefined || holder.id === row.id) return undefined;
  if (holder.deleted_at !== null) {
    if (!hasWaiting(holder)) return undefined;
    const words = 'a group of this name is still being removed';
    return { kind: 'later', problem: { code: 'name-leaving', words } };
  }
  if (holder.origin !== null)
    return refuse('the group in the service is linked to another group already');
  await moveGroupLinks(tx, holder.id, row.id);
  await deleteGroup(tx, holder.id);
  return undefined;
}

function refuse(words: string): Link<GroupRow> {
  return { kind: 'refused', problem: toOwnRefusal(words) };
}

/**
 * Hands a deleted group over to its successor: the same group, adopted again in another row while a call for the old
 * row was on its way.
 * The subject of that call waits again, after a look, because the last observation of the successor may be outdated.
 * The successor keeps its lock, because its own call may be on its way. Returns the successor: nothing is left to do for
 * the old row.
 */
export async function handOverGroup(
  tx: Db,
  row: GroupRow,
  { planned, outcome, now }: GroupStep,
): Promise<GroupId | undefined> {
  if (row.deleted_at === null || hasUpstreamIds(row)) return undefined;
  const successor = await findGroupByUpstream(tx, planned.ids);
  if (successor === undefined || successor.deleted_at !== null || successor.origin === null)
    return undefined;
  const links = { members: toIds(planned.members), admins: toIds(planned.admins) };
  await distrustLinks(tx, successor.id, { ...links, version: successor.version });
  const fields = listWaiting(planned.cells).filter((field) => field !== 'existence');
  const cells = ask(parseCells<GroupField>(successor), fields, successor.version);
  await updateGroup(tx, successor.id, {
    ...toStaleColumns(now),
    ...(mayTakeEffect(row, { outcome }) && EVERYTHING_UNSURE),
    cells: JSON.stringify(cells),
  });
  return successor.id;
}

function toIds(changes: GroupState['members']): UserId[] {
  return changes.map(({ userId }) => userId);
}
