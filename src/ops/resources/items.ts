import { isWaiting, listWaiting } from '../../domain/cell.ts';
import { type Deactivation, isObservedActive, listUserDifferences } from '../../domain/user.ts';
import { type GroupRow, toGroupState } from '../../store/groups/groups.ts';
import type { Remarks, WaitingCounts } from '../../store/resources/lists.ts';
import type { ResourceRow } from '../../store/resources/rows.ts';
import { toUserState, type UserRow } from '../../store/users/users.ts';
import { HELD_OF_GROUP, HELD_OF_USER, listKept, toHead } from '../explain/resource.ts';
import { toMoment } from '../http/moment.ts';
import type { GroupItem, UserItem } from '../schemas/resources.ts';

/** A row of a user as an operator is shown it. */
export function toUserItem(row: UserRow & Remarks, deactivation: Deactivation): UserItem {
  const { upstreamId, desired, observed, cells } = toUserState(row);
  const differing = observed ? listUserDifferences(desired, observed, cells, deactivation) : [];
  const isAddressKept =
    row.origin !== null && differing.includes('address') && !isWaiting(cells.address);
  const kept = listKept(row, HELD_OF_USER).map(({ field }) => field);
  return {
    ...toItem(row, { observed }),
    name: row.user_name,
    upstreamId: upstreamId ?? null,
    active: {
      desired: row.origin === null ? null : desired.active,
      observed: observed === undefined ? null : isObservedActive(observed, deactivation),
    },
    pending: listWaiting(cells),
    bridgeOnly: [...(isAddressKept ? ['address'] : []), ...kept],
  };
}

/** A row of a group as an operator is shown it. */
export function toGroupItem(
  row: GroupRow & Remarks,
  { members = 0, admins = 0 }: Partial<WaitingCounts> = {},
): GroupItem {
  const { ids, observed, cells } = toGroupState(row);
  return {
    ...toItem(row, { observed }),
    name: row.display_name,
    upstreamIds: {
      scimId: ids.scimId ?? null,
      restId: ids.restId ?? null,
      uid: ids.uid ?? null,
    },
    pending: [
      ...listWaiting(cells),
      ...(members > 0 ? ['members'] : []),
      ...(admins > 0 ? ['admins'] : []),
    ],
    bridgeOnly: listKept(row, HELD_OF_GROUP).map(({ field }) => field),
  };
}

function toItem(row: ResourceRow & Remarks, state: Parameters<typeof toHead>[1]) {
  const { id, provider, deleted, version, seen, dueAt, problem } = toHead(row, state);
  return {
    ...{ id, deleted, version, dueAt, problem },
    ...{ origin: row.origin, provider },
    createdAt: toMoment(row.created_at),
    modifiedAt: toMoment(row.modified_at),
    seenAt: seen?.at ?? null,
    attempts: row.attempts,
    stuckSince: toMoment(row.stuck_at),
    drifts: row.drifts,
    disputed: row.disputes > 0,
  };
}
