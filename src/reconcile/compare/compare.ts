import { isWaiting } from '../../domain/cell.ts';
import { type FieldChange, getChangeRow, listFieldChanges } from '../../domain/change.ts';
import type { Difference, DriftKind } from '../../domain/drift.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../../domain/entity.ts';
import { type GroupField, listGroupDifferences, toGroupValues } from '../../domain/group.ts';
import { isGone } from '../../domain/resource-state.ts';
import { type Deactivation, listUserDifferences, toUserValues } from '../../domain/user.ts';
import { parseCells } from '../../store/engine/columns.ts';
import { type DifferingLink, listDifferingLinks } from '../../store/links/links.ts';
import { listUsersOfAccount } from '../../store/resources/by-upstream.ts';
import type { GroupRow, ResourceRow, UserRow } from '../../store/resources/rows.ts';
import {
  isLinked,
  toGroupState,
  toObservation,
  toObservedGroup,
  toSeenEntities,
  toUserState,
} from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';

/**
 * Lists what differs of a user or group from what is known of the service, where no change waits. All follows from what is
 * stored. An unmanaged one is itself a difference; of a deleted one only an account that works again is.
 */
export async function listDifferences(
  db: Db,
  row: ResourceRow,
  deactivation: Deactivation,
): Promise<readonly Difference[]> {
  if (row.origin === null) return listUnmanaged(row);
  if (row.type === 'user') return listDifferencesOfUser(db, row, deactivation);
  return row.deleted_at === null ? listDifferencesOfGroup(db, row) : [];
}

function listUnmanaged(row: ResourceRow): readonly Difference[] {
  const seen = toObservation(row);
  if (seen === undefined || isGone(seen) || row.deleted_at !== null) return [];
  if ('displayName' in seen) {
    const observed = { displayName: seen.displayName };
    return [toDifference('group.unmanaged', row.id, { desired: null, observed })];
  }
  const { userName = null, email = null, active } = seen;
  const observed = { userName, email, active };
  return [toDifference('user.unmanaged', row.id, { desired: null, observed })];
}

async function listDifferencesOfUser(
  db: Db,
  row: UserRow,
  deactivation: Deactivation,
): Promise<readonly Difference[]> {
  const { id, observed, desired, upstreamId, cells, deleted } = toUserState(row);
  if (observed === undefined || upstreamId === undefined || isWaiting(cells.account)) return [];
  if (isGone(observed)) {
    if (deleted || !desired.active) return [];
    return [toDifference('user.missing', id, { desired: { active: true }, observed: null })];
  }
  const fields = listUserDifferences(desired, observed, cells, deactivation).filter(
    (field) => !isWaiting(cells[field]),
  );
  const values = toUserValues(desired, observed, deactivation);
  const differences = toDifferences(id, listFieldChanges(fields, values));
  if (!deleted) return differences;
  const works = differences.filter(({ kind }) => kind === 'user.activated');
  return works.length > 0 && (await hasSuccessor(db, row)) ? [] : works;
}

/** True when another user has the account of a deleted one by now. */
export async function hasSuccessor(db: Db, { id, upstream_id }: UserRow): Promise<boolean> {
  const users = upstream_id === null ? [] : await listUsersOfAccount(db, upstream_id);
  return users.some((other) => other.id !== id && other.deleted_at === null);
}

async function listDifferencesOfGroup(db: Db, row: GroupRow): Promise<readonly Difference[]> {
  const { id } = row;
  const observed = toObservedGroup(row);
  const { desired, cells } = toGroupState(row);
  if (observed === undefined || !isLinked(row) || isWaiting(cells.existence)) return [];
  if (isGone(observed)) {
    const values = { desired: { displayName: desired.displayName }, observed: null };
    return [toDifference('group.missing', id, values)];
  }
  const fields = listGroupDifferences(desired, observed, cells).filter(
    (field) => !isWaiting(cells[field]),
  );
  const changes = listFieldChanges(fields, toGroupValues(desired, observed));
  const links = await listDifferingLinks(db, row);
  return [...toDifferences(id, changes), ...listListDifferences(row, links)];
}

/** Lists the differences of the lists of a group: members, admins and entities. */
export function listListDifferences(row: GroupRow, links: readonly DifferingLink[]): Difference[] {
  const differing = links.map((link) => toLinkDifference(row, link));
  return [...differing, ...listEntityDifferences(row)];
}

/** Difference of one member or admin. */
function toLinkDifference(row: GroupRow, { list, userId, wanted }: DifferingLink): Difference {
  const kind = `${list}.${wanted ? 'removed' : 'added'}` as const;
  const [desired, observed] = [{ present: wanted }, { present: !wanted }];
  return { ...toDifference(kind, row.id, { desired, observed }), memberId: userId };
}

/** Lists the entities in which the group has other roles than a rule wants, as far as is known: without a list, none. */
function listEntityDifferences(row: Pick<GroupRow, 'id' | 'cells' | 'entities'>): Difference[] {
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

/** True when a worker has the resource or is about to look at it, and will know better. */
export function isBusy(row: { readonly must_look: number }): boolean {
  return row.must_look !== 0;
}

/** Columns by which a change or a call of a row is noticed. */
type Touched = Pick<ResourceRow, 'version' | 'steps' | 'origin'>;

/** True when the resource was neither written, taken over nor taken by a worker since the row was read. */
export function isUnchanged(now: Touched & Parameters<typeof isBusy>[0], before: Touched): boolean {
  const isSame = now.version === before.version && now.origin === before.origin;
  return !isBusy(now) && isSame && now.steps === before.steps;
}
