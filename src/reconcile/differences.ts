import { isWaiting } from '../domain/cell.ts';
import {
  CHANGES,
  type FieldChange,
  findHarm,
  findRepair,
  listFieldChanges,
  toChangeKey,
} from '../domain/change.ts';
import type { Difference, DriftKind } from '../domain/drift.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../domain/entity.ts';
import { type GroupField, listGroupDifferences, toGroupValues } from '../domain/group.ts';
import type { GivenKey } from '../domain/ids.ts';
import type { PlanAction } from '../domain/plan.ts';
import { isGone } from '../domain/resource-state.ts';
import { type Deactivation, listUserDifferences, toUserValues } from '../domain/user.ts';
import { hasWaiting, parseCells } from '../store/engine/columns.ts';
import { type DifferingLink, listDifferingLinks } from '../store/links/links.ts';
import { findGroupByUpstream } from '../store/resources/find.ts';
import {
  findRow,
  type GroupRow,
  listRows,
  lockRow,
  type ResourceRow,
  type UserRow,
} from '../store/resources/rows.ts';
import {
  isLinked,
  toGroupState,
  toObservation,
  toObservedGroup,
  toSeenEntities,
  toUpstreamIds,
  toUserState,
} from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';

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
async function hasSuccessor(db: Db, { id, upstream_id }: UserRow): Promise<boolean> {
  const users = upstream_id === null ? [] : await listRows(db, 'user', { upstream_id });
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

function listListDifferences(row: GroupRow, links: readonly DifferingLink[]): Difference[] {
  const differing = links.map((link) => toLinkDifference(row, link));
  return [...differing, ...listEntityDifferences(row)];
}

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
function toDifference(
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
    const { repairs } = CHANGES[kind];
    return repairs === undefined ? [] : [toDifference(repairs, resourceId, values)];
  });
}

/** True when a worker has the resource or is about to look at it, and will know better. */
export function isBusy(row: { readonly must_look: number }): boolean {
  return row.must_look !== 0;
}

/** True while something of a user or group waits, or it is not known what the service holds. */
export function isAtWork(row: ResourceRow): boolean {
  return isBusy(row) || row.due_at !== null || row.unsure_until !== null || hasWaiting(row);
}

/** Columns by which a change or a call of a row is noticed. */
type Touched = Pick<ResourceRow, 'version' | 'steps' | 'origin'>;

/** True when the resource was neither written, taken over nor taken by a worker since the row was read. */
export function isUnchanged(now: Touched & Parameters<typeof isBusy>[0], before: Touched): boolean {
  const isSame = now.version === before.version && now.origin === before.origin;
  return !isBusy(now) && isSame && now.steps === before.steps;
}

/** User or group with the changes that would end its known differences, by their keys (`toChangeKey`). */
export interface Current {
  readonly row: ResourceRow;
  readonly changes: ReadonlyMap<string, PlanAction>;
}

/** Compares a user or group; undefined when the store no longer has it. `lock`: locked until the transaction ends. */
export async function findCurrent(
  db: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  key: GivenKey,
  { lock = false } = {},
): Promise<Current | undefined> {
  const row = await (lock ? lockRow(db, key) : findRow(db, key));
  return row && compareKnown(db, row, policy.deactivation);
}

/**
 * Compares a user or group with what is known of the service, whenever that was seen, and a deleted one with what it is to
 * lose.
 */
export async function compareKnown(
  db: Db,
  row: ResourceRow,
  deactivation: Deactivation,
): Promise<Current> {
  const differences = row.origin === null ? [] : await listKnown(db, row, deactivation);
  const changes = differences.flatMap((difference) => toChange(difference) ?? []);
  return { row, changes: new Map(changes.map((change) => [toChangeKey(change), change])) };
}

function toChange({ kind: drift, ...difference }: Difference): PlanAction | undefined {
  // A group that is to go is wanted no more. That something is missing is looked for by the next step.
  const kind = drift === 'group.unmanaged' ? 'group.delete' : findRepair(drift);
  if (kind === undefined || drift.endsWith('.missing')) return undefined;
  return { ...difference, kind, harm: findHarm({ ...difference, kind }) };
}

async function listKnown(
  db: Db,
  row: ResourceRow,
  deactivation: Deactivation,
): Promise<readonly Difference[]> {
  const isDeleted = row.deleted_at !== null;
  if (row.type === 'group') {
    if (isDeleted) return listDeletedDifferences(db, row);
    // A group that is to be made comes with its lists, and with its entities.
    if (!isLinked(row)) return listListDifferences(row, await listDifferingLinks(db, row));
  } else if (isDeleted && row.observed === null && row.upstream_id !== null && !hasWaiting(row)) {
    if (await hasSuccessor(db, row)) return [];
    // Nothing was ever seen of the account, so it is taken to work.
    const values = { desired: { active: false }, observed: { active: true } };
    return [toDifference('user.activated', row.id, values)];
  }
  return listDifferences(db, row, deactivation);
}

/** Compares what a deleted group is to lose; one that another group stands for by now is left alone. */
async function listDeletedDifferences(db: Db, row: GroupRow): Promise<readonly Difference[]> {
  const holder = isLinked(row) && (await findGroupByUpstream(db, toUpstreamIds(row)));
  if (!holder || holder.id !== row.id) return [];
  const leaving = (await listDifferingLinks(db, row)).filter(({ wanted }) => !wanted);
  const lists = listListDifferences(row, leaving);
  const isToGo = row.origin === 'created' && row.observed !== null && !hasWaiting(row);
  if (!isToGo) return lists;
  const values = { desired: null, observed: { displayName: row.name } };
  return [...lists, toDifference('group.unmanaged', row.id, values)];
}
