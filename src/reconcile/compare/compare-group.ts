import { isWaiting } from '../../domain/cell.ts';
import { listFieldChanges } from '../../domain/change.ts';
import type { Difference, DriftKind } from '../../domain/drift.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../../domain/entity.ts';
import {
  type GroupField,
  type GroupState,
  listGroupDifferences,
  type ObservedGroup,
  toGroupValues,
} from '../../domain/group.ts';
import { parseCells } from '../../store/engine/columns.ts';
import type { DifferingLink } from '../../store/links/links.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import {
  isLinked,
  toGroupState,
  toObservedGroup,
  toSeenEntities,
} from '../../store/resources/state.ts';
import { isListed, isSeen } from '../read/reading.ts';
import {
  type Comparison,
  isBusy,
  leftOut,
  NOTHING,
  type SeenSince,
  toCompared,
  toDifference,
  toDifferences,
  toMissing,
  UNSEEN,
} from './comparison.ts';

/** Compares one group and its members with the service as seen since then; undefined: nothing can be said. */
export function compareGroup(
  row: GroupRow,
  links: readonly DifferingLink[],
  seen: SeenSince,
): Comparison | undefined {
  if (!seen.lists.groups || isBusy(row)) return undefined;
  if (row.deleted_at !== null) return NOTHING;
  const observed = toObservedGroup(row);
  const isThere = observed !== undefined && isSeen(seen, row);
  if (row.origin === null) {
    if (!isThere) return observed === undefined ? NOTHING : UNSEEN;
    const held = { displayName: observed.displayName };
    return toCompared([toDifference('group.unmanaged', row.id, { desired: null, observed: held })]);
  }
  const state = toGroupState(row);
  if (!isLinked(row) || isWaiting(state.cells.existence)) return NOTHING;
  if (!isThere) {
    const desired = { displayName: state.desired.displayName };
    return toMissing(toDifference('group.missing', row.id, { desired, observed: null }));
  }
  if (isHidden(row, observed, seen)) return leftOut('groups');
  const unread = listUnread(row, observed, seen);
  const differences = [
    ...listFieldDifferences(row, state, observed),
    ...links.map((link) => toLinkDifference(row, link)),
    ...listEntityDifferences(row),
  ];
  const comparison = toCompared(differences, unread);
  return hasRights(row, observed, seen) ? comparison : { ...comparison, leftOutBy: 'restGroups' };
}

/** True when SCIM had shown the group before and did not in this read, whatever REST says. */
function isHidden({ seq }: GroupRow, { by, shownAt: at }: ObservedGroup, seen: SeenSince): boolean {
  return by.startsWith('scim.') && at !== undefined && !isListed(seen, 'groups', { seq, at });
}

/** True when the REST list showed the group; its permissions come from there. */
function hasRights({ seq }: GroupRow, { listedAt: at }: ObservedGroup, seen: SeenSince): boolean {
  return at === undefined || isListed(seen, 'restGroups', { seq, at });
}

function listUnread(row: GroupRow, observed: ObservedGroup, seen: SeenSince): DriftKind[] {
  const { lists, since, doubted } = seen;
  const areMembersRead = lists.members && !doubted.has(row.seq);
  const areAdminsRead = (row.admins_read_at ?? 0) >= since;
  const areEntitiesRead = (toSeenEntities(row)?.at ?? 0) >= since;
  return [
    ...(hasRights(row, observed, seen) ? [] : (['group.permissions'] as const)),
    ...(areMembersRead ? [] : (['member.added', 'member.removed'] as const)),
    ...(areAdminsRead ? [] : (['admin.added', 'admin.removed'] as const)),
    ...(areEntitiesRead ? [] : (['entity.added', 'entity.removed', 'entity.changed'] as const)),
  ];
}

function listFieldDifferences(
  row: GroupRow,
  { desired, cells }: GroupState,
  observed: ObservedGroup,
): Difference[] {
  const fields = listGroupDifferences(desired, observed, cells).filter(
    (field) => !isWaiting(cells[field]),
  );
  return toDifferences(row.id, listFieldChanges(fields, toGroupValues(desired, observed)));
}

/** Difference of one member or admin. */
export function toLinkDifference(
  row: GroupRow,
  { list, userId, wanted }: DifferingLink,
): Difference {
  const kind = `${list}.${wanted ? 'removed' : 'added'}` as const;
  const [desired, observed] = [{ present: wanted }, { present: !wanted }];
  return { ...toDifference(kind, row.id, { desired, observed }), memberId: userId };
}

/** Lists the entities in which the group has other roles than a rule wants, as far as is known: without a list, none. */
export function listEntityDifferences(
  row: Pick<GroupRow, 'id' | 'cells' | 'entities'>,
): Difference[] {
  const cells = parseCells<GroupField>(row);
  const entities = toSeenEntities(row);
  return listEntityFields(cells).flatMap((field): Difference[] => {
    const cell = cells[field];
    const held = entities?.roles[field];
    if (isWaiting(cell) || holdsRoles(cell, held)) return [];
    const wanted = findWantedRoles(cell);
    const kind = !wanted
      ? 'entity.added'
      : held === undefined
        ? 'entity.removed'
        : 'entity.changed';
    const values = {
      desired: { roles: parseRoles(wanted) },
      observed: { roles: parseRoles(held) },
    };
    return [{ ...toDifference(kind, row.id, values), memberId: field }];
  });
}
