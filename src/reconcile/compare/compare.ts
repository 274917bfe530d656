import { isWaiting } from '../../domain/cell.ts';
import { type FieldChange, getChangeRow, listFieldChanges } from '../../domain/change.ts';
import { type Difference, DRIFT_KINDS, type DriftKind } from '../../domain/drift.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../../domain/entity.ts';
import {
  type GroupField,
  listGroupDifferences,
  type ObservedGroup,
  toGroupValues,
} from '../../domain/group.ts';
import type { Sightings } from '../../domain/resource-state.ts';
import {
  type Deactivation,
  listUserDifferences,
  type ObservedUser,
  toUserValues,
  type UserState,
} from '../../domain/user.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { type DifferingLink, listDifferingLinks } from '../../store/links/links.ts';
import { isNameUnderWay } from '../../store/resources/by-name.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import {
  isLinked,
  toGroupState,
  toObservedGroup,
  toSeenEntities,
  toUserState,
} from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { isListed, isSeen, type Seen } from '../read/reading.ts';

/** What was seen of the service, and how people are deactivated in it. */
export interface SeenSince extends Seen {
  readonly deactivation: Deactivation;
}

/** Differences of one resource from what was seen of the service. */
export interface Comparison {
  readonly differences: readonly Difference[];
  /** Kinds of drift of which nothing is known. */
  readonly unread: readonly DriftKind[];
  /** List that dropped the resource, while another list shows it. */
  readonly leftOutBy?: 'users' | 'companyUsers' | 'groups' | 'restGroups';
  /** True of a resource that no list showed: it may be gone, and a look of its own tells. */
  readonly isUnseen?: true;
}

/** Compares one user or group with what was seen of the service; undefined: nothing can be said. */
export async function compareRow(
  db: Db,
  row: ResourceRow,
  seen: SeenSince,
): Promise<Comparison | undefined> {
  // A sweep that shows it for the first time may show what a create of ours has just made.
  const isNew = row.origin === null && row.created_at >= seen.since;
  if (isNew && (await isAwaited(db, row))) return undefined;
  if (row.type === 'user') return compareUser(row, seen);
  // An unmanaged group has no desired members.
  const links = row.origin === null ? [] : await listDifferingLinks(db, row);
  return compareGroup(row, links, seen);
}

async function isAwaited(db: Db, row: ResourceRow): Promise<boolean> {
  if (row.type === 'group') return isNameUnderWay(db, 'group', [row.name_folded]);
  const { observed_user_name_folded: name, observed_email_folded: email } = row;
  const names = [name, email].filter((text) => text !== null);
  return isNameUnderWay(db, 'user', names);
}

/** Compares one user with the service as seen since then; undefined: nothing can be said. */
export function compareUser(row: UserRow, seen: SeenSince): Comparison | undefined {
  if (!seen.lists.users || isBusy(row)) return undefined;
  const state = toUserState(row);
  const { observed, desired, upstreamId } = state;
  if (row.origin === null) return compareUnmanaged(row, observed, seen);
  const isThere = observed !== undefined && isSeen(seen, row);
  if (upstreamId === undefined || isWaiting(state.cells.account)) return NOTHING;
  if (!isThere) {
    if (state.deleted || !desired.active) return NOTHING;
    const values = { desired: { active: true }, observed: null };
    return toMissing(toDifference('user.missing', row.id, values));
  }
  if (!state.deleted) {
    if (isDropped('users', row, { observed, seen })) return leftOut('users');
    return compareFields(row, state, { observed, seen });
  }
  // Of a deleted user only an account that works again is a difference.
  const comparison = compareFields(row, state, { observed, seen });
  const differences = comparison.differences.filter(({ kind }) => kind === 'user.activated');
  return { ...comparison, differences };
}

/** An unmanaged account is a difference while it exists. */
function compareUnmanaged(
  row: UserRow,
  observed: ObservedUser | undefined,
  seen: SeenSince,
): Comparison {
  if (observed === undefined) return NOTHING;
  // An account known only from the list of company users is not missed while that list cannot be read.
  const mayMiss = seen.lists.companyUsers || observed.shownAt !== undefined;
  if (!isSeen(seen, row)) return mayMiss ? UNSEEN : NOTHING;
  const { userName = null, email = null, active } = observed;
  const values = { desired: null, observed: { userName, email, active } };
  return toCompared([toDifference('user.unmanaged', row.id, values)]);
}

function compareFields(
  { seq }: UserRow,
  { id, desired, cells }: UserState,
  { observed, seen }: { readonly observed: ObservedUser; readonly seen: SeenSince },
): Comparison {
  const { deactivation } = seen;
  const fields = listUserDifferences(desired, observed, cells, deactivation).filter(
    (field) => !isWaiting(cells[field]),
  );
  const values = toUserValues(desired, observed, deactivation);
  const differences = toDifferences(id, listFieldChanges(fields, values));
  const isRead = seen.lists.companyUsers;
  const isShown = isListed(seen, 'companyUsers', { seq, at: observed.listedAt });
  const ofCompany: DriftKind[] =
    deactivation === 'scim'
      ? ['user.access']
      : ['user.access', 'user.deactivated', 'user.activated'];
  const comparison = toCompared(differences, isRead && isShown ? [] : ofCompany);
  // The list may always leave out inactive users, and an account it never showed.
  const isLeftOut = isRead && !isShown && observed.active && observed.listedAt !== undefined;
  return isLeftOut ? { ...comparison, leftOutBy: 'companyUsers' } : comparison;
}

/** Compares one group and its members with the service as seen since then; undefined: nothing can be said. */
export function compareGroup(
  row: GroupRow,
  links: readonly DifferingLink[],
  seen: SeenSince,
): Comparison | undefined {
  if (!seen.lists.groups || isBusy(row)) return undefined;
  if (row.deleted_at !== null) return NOTHING;
  const { id } = row;
  const observed = toObservedGroup(row);
  const isThere = observed !== undefined && isSeen(seen, row);
  if (row.origin === null) {
    if (!isThere) return observed === undefined ? NOTHING : UNSEEN;
    const values = { desired: null, observed: { displayName: observed.displayName } };
    return toCompared([toDifference('group.unmanaged', id, values)]);
  }
  const { desired, cells } = toGroupState(row);
  if (!isLinked(row) || isWaiting(cells.existence)) return NOTHING;
  if (!isThere) {
    const values = { desired: { displayName: desired.displayName }, observed: null };
    return toMissing(toDifference('group.missing', id, values));
  }
  // SCIM had shown the group before and did not in this read, whatever REST says.
  if (isDropped('groups', row, { observed, seen })) return leftOut('groups');
  const fields = listGroupDifferences(desired, observed, cells).filter(
    (field) => !isWaiting(cells[field]),
  );
  const differences = [
    ...toDifferences(id, listFieldChanges(fields, toGroupValues(desired, observed))),
    ...links.map((link) => toLinkDifference(row, link)),
    ...listEntityDifferences(row),
  ];
  const comparison = toCompared(differences, listUnread(row, observed, seen));
  return hasRights(row, observed, seen) ? comparison : { ...comparison, leftOutBy: 'restGroups' };
}

/** True when SCIM had shown a user or group and its list did not in this read. */
function isDropped(
  list: 'users' | 'groups',
  { seq }: ResourceRow,
  {
    observed: { by, shownAt: at },
    seen,
  }: { readonly observed: Sightings; readonly seen: SeenSince },
): boolean {
  return by.startsWith('scim.') && at !== undefined && !isListed(seen, list, { seq, at });
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
    const differs = held === undefined ? 'entity.removed' : 'entity.changed';
    const kind = wanted ? differs : 'entity.added';
    const desired = { roles: parseRoles(wanted) };
    const observed = { roles: parseRoles(held) };
    return [{ ...toDifference(kind, row.id, { desired, observed }), memberId: field }];
  });
}

/** Makes a difference of a user or group itself. */
export function toDifference(
  kind: DriftKind,
  resourceId: string,
  { desired, observed }: Pick<Difference, 'desired' | 'observed'>,
): Difference {
  const type = kind.startsWith('user.') ? 'user' : 'group';
  return { kind, type, resourceId, memberId: '', desired, observed };
}

/** Makes the differences that changes of fields would end. */
function toDifferences(resourceId: string, changes: readonly FieldChange[]): Difference[] {
  return changes.flatMap(({ kind, ...values }) => {
    const { repairs } = getChangeRow(kind);
    return repairs === undefined ? [] : [toDifference(repairs, resourceId, values)];
  });
}

/** Makes a comparison of these differences but for those of the kinds in `unread`, of which nothing is known. */
function toCompared(
  differences: readonly Difference[],
  unread: readonly DriftKind[] = [],
): Comparison {
  return { differences: differences.filter(({ kind }) => !unread.includes(kind)), unread };
}

/** Makes the comparison of a managed resource that is missing: it is known to differ in nothing else. */
function toMissing(missing: Difference): Comparison {
  return { differences: [missing], unread: DRIFT_KINDS, isUnseen: true };
}

/** Makes the comparison of a resource that another list showed: the list was not complete, so nothing can be said. */
function leftOut(leftOutBy: 'users' | 'groups'): Comparison {
  return { differences: [], unread: DRIFT_KINDS, leftOutBy };
}

const NOTHING: Comparison = toCompared([]);
/** No difference, of an unmanaged resource that no list showed. */
const UNSEEN: Comparison = { ...NOTHING, isUnseen: true };

/** True when a worker has the resource or is about to look at it, and will know better. */
export function isBusy(row: { readonly in_flight: number; readonly must_look: number }): boolean {
  return row.in_flight !== 0 || row.must_look !== 0;
}

/** Columns by which a change or a call of a row is noticed. */
type Touched = Pick<ResourceRow, 'version' | 'steps' | 'origin'>;

/** True when the resource was neither written, taken over nor taken by a worker since the row was read. */
export function isUnchanged(now: Touched & Parameters<typeof isBusy>[0], before: Touched): boolean {
  const isSame = now.version === before.version && now.origin === before.origin;
  return !isBusy(now) && isSame && now.steps === before.steps;
}
