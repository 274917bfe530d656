import type { UpstreamGroupIds } from '../../domain/group.ts';
import { toOwnRefusal } from '../../domain/refusal.ts';
import { hasWaiting } from '../../store/engine/columns.ts';
import { moveGroupLinks } from '../../store/links/of-users.ts';
import { findGroupByUpstream } from '../../store/resources/by-upstream.ts';
import { deleteRow, type GroupRow, lockRow } from '../../store/resources/rows.ts';
import type { Db } from '../../store/store.ts';
import type { Link } from '../resource-kind.ts';
import type { GroupKnown } from './outcome.ts';

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
      upstream_id: ids.restId ?? row.upstream_id,
      upstream_uid: ids.uid ?? row.upstream_uid,
      origin: known.adopted ? 'adopted' : (row.origin ?? 'created'),
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
  const holder = found && (await lockRow(tx, found));
  if (holder === undefined || holder.id === row.id) return undefined;
  if (holder.deleted_at !== null) {
    if (!hasWaiting(holder)) return undefined;
    const words = 'a group of this name is still being removed';
    return { kind: 'later', problem: { code: 'name-leaving', words } };
  }
  if (holder.origin !== null)
    return refuse('the group in the service is linked to another group already');
  await moveGroupLinks(tx, holder, row);
  await deleteRow(tx, holder);
  return undefined;
}

function refuse(words: string): Link<GroupRow> {
  return { kind: 'refused', problem: toOwnRefusal(words) };
}
