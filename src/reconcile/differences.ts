import { type Cells, isWaiting } from '../domain/cell.ts';
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
import {
  type Deactivation,
  isGone,
  listGroupDifferences,
  listUserDifferences,
  type Sightings,
  toGroupValues,
  toUserValues,
} from '../domain/kinds.ts';
import type { PlanAction } from '../domain/plan.ts';
import { type GivenKey, keyText, type ResourceKey } from '../domain/values.ts';
import { hasWaiting, parseCells } from '../store/engine/columns.ts';
import { listDifferingLinks } from '../store/links/links.ts';
import { findGroupByUpstream } from '../store/resources/find.ts';
import {
  findRow,
  type GroupRow,
  LIVE,
  listRows,
  lockRow,
  type ResourceRow,
  type UserRow,
  updateRow,
} from '../store/resources/rows.ts';
import {
  isInFlight,
  isLinked,
  toGroupState,
  toObservation,
  toUpstreamIds,
  toUserState,
} from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import { companyUsers, groups } from '../upstream/operations/people.ts';
import { scim } from '../upstream/operations/scim.ts';
import type { ReconcileDeps } from './deps.ts';

/** Lists what differs where no change waits. An unmanaged resource differs itself; of a deleted one its access does. */
export async function listDifferences(db: Db, row: ResourceRow, deactivation: Deactivation) {
  if (row.origin === null) return listUnmanaged(row);
  if (row.type === 'user') return listOfUser(db, row, deactivation);
  return row.deleted_at === null ? listOfGroup(db, row) : [];
}

function listUnmanaged(row: ResourceRow): Difference[] {
  const seen = toObservation(row);
  if (seen === undefined || isGone(seen) || row.deleted_at !== null) return [];
  if ('displayName' in seen) {
    const observed = { displayName: seen.displayName };
    return [toDifference(row, 'group.unmanaged', { desired: null, observed })];
  }
  const { userName = null, email = null, active } = seen;
  const observed = { userName, email, active };
  return [toDifference(row, 'user.unmanaged', { desired: null, observed })];
}

async function listOfUser(db: Db, row: UserRow, deactivation: Deactivation) {
  const { observed, desired, upstreamId, cells, deleted } = toUserState(row);
  if (observed === undefined || upstreamId === undefined || isWaiting(cells.account)) return [];
  if (isGone(observed)) {
    if (deleted || !desired.active) return [];
    return [toDifference(row, 'user.missing', { desired: { active: true }, observed: null })];
  }
  const fields = listUserDifferences(desired, observed, cells, deactivation);
  const values = toUserValues(desired, observed, deactivation);
  const differences = toDifferences(row, listFieldChanges(withoutWaiting(fields, cells), values));
  if (!deleted) return differences;
  const works = differences.filter(({ kind }) => kind === 'user.activated');
  return works.length > 0 && (await hasSuccessor(db, row)) ? [] : works;
}

/** True when another user has the account of a deleted one by now. */
async function hasSuccessor(db: Db, { id, upstream_id }: UserRow): Promise<boolean> {
  const users = await listRows(db, 'user', { upstream_id: upstream_id ?? [], ...LIVE });
  return users.some((other) => other.id !== id);
}

async function listOfGroup(db: Db, row: GroupRow): Promise<readonly Difference[]> {
  const { observed, desired, cells } = toGroupState(row);
  if (observed === undefined || !isLinked(row) || isWaiting(cells.existence)) return [];
  if (isGone(observed)) {
    const { displayName } = desired;
    return [toDifference(row, 'group.missing', { desired: { displayName }, observed: null })];
  }
  const fields = listGroupDifferences(desired, observed, cells);
  const values = toGroupValues(desired, observed);
  const changes = listFieldChanges(withoutWaiting(fields, cells), values);
  return [...toDifferences(row, changes), ...(await listOfLists(db, row))];
}

/** Lists what differs in the members, admins and entities of a group, as far as is known. */
async function listOfLists(db: Db, row: GroupRow): Promise<Difference[]> {
  const links = (await listDifferingLinks(db, row)).map(({ list, userId: memberId, wanted }) => {
    const [desired, observed] = [{ present: wanted }, { present: !wanted }];
    const kind = `${list}.${wanted ? 'removed' : 'added'}` as const;
    return toDifference(row, kind, { desired, observed, memberId });
  });
  const { cells, entities } = toGroupState(row);
  const roles = listEntityFields(cells).flatMap((memberId) => {
    const cell = cells[memberId];
    const seen = entities?.roles[memberId];
    if (isWaiting(cell) || holdsRoles(cell, seen)) return [];
    const wanted = findWantedRoles(cell);
    const differs = seen === undefined ? 'entity.removed' : 'entity.changed';
    const [desired, observed] = [{ roles: parseRoles(wanted) }, { roles: parseRoles(seen) }];
    return toDifference(row, wanted ? differs : 'entity.added', { desired, observed, memberId });
  });
  return [...links, ...roles];
}

function withoutWaiting<Field extends string>(fields: readonly Field[], cells: Cells<Field>) {
  return fields.filter((field) => !isWaiting(cells[field]));
}

type Values = Pick<Difference, 'desired' | 'observed'> & Partial<Pick<Difference, 'memberId'>>;

function toDifference({ type, id }: GivenKey, kind: DriftKind, values: Values): Difference {
  return { kind, type, resourceId: id, memberId: '', ...values };
}

/** Makes the differences that changes of fields would end. */
function toDifferences(row: ResourceRow, changes: readonly FieldChange[]): Difference[] {
  return changes.flatMap(({ kind, ...values }) => {
    const { repairs } = CHANGES[kind];
    return repairs === undefined ? [] : [toDifference(row, repairs, values)];
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

/** True when the resource was neither written, taken over nor taken by a worker since the row was read. */
export function isUnchanged(now: ResourceRow, before: ResourceRow): boolean {
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

/** Compares a user or group with what is known of the service, and a deleted one with what it is to lose. */
export async function compareKnown(
  db: Db,
  row: ResourceRow,
  deactivation: Deactivation,
): Promise<Current> {
  const differences = row.origin === null ? [] : await listKnown(db, row, deactivation);
  const changes = differences.flatMap(({ kind: drift, ...difference }): PlanAction[] => {
    // A group that is to go is wanted no more. That something is missing is looked for by the next step.
    const kind = drift === 'group.unmanaged' ? 'group.delete' : findRepair(drift);
    if (kind === undefined || drift.endsWith('.missing')) return [];
    return [{ ...difference, kind, harm: findHarm({ ...difference, kind }) }];
  });
  return { row, changes: new Map(changes.map((change) => [toChangeKey(change), change])) };
}

async function listKnown(db: Db, row: ResourceRow, deactivation: Deactivation) {
  const isDeleted = row.deleted_at !== null;
  if (row.type === 'group') {
    if (isDeleted) return listOfDeletedGroup(db, row);
    // A group that is to be made comes with its lists, and with its entities.
    if (!isLinked(row)) return listOfLists(db, row);
  } else if (isDeleted && row.observed === null && row.upstream_id !== null && !hasWaiting(row)) {
    if (await hasSuccessor(db, row)) return [];
    // Nothing was ever seen of the account, so it is taken to work.
    const values = { desired: { active: false }, observed: { active: true } };
    return [toDifference(row, 'user.activated', values)];
  }
  return listDifferences(db, row, deactivation);
}

/** Lists what a deleted group is to lose; one that another group stands for by now is left alone. */
async function listOfDeletedGroup(db: Db, row: GroupRow): Promise<readonly Difference[]> {
  const holder = isLinked(row) && (await findGroupByUpstream(db, toUpstreamIds(row)));
  if (!holder || holder.id !== row.id) return [];
  const lists = (await listOfLists(db, row)).filter(
    ({ kind }) => !/^(member|admin)\.removed$/.test(kind),
  );
  const isToGo = row.origin === 'created' && row.observed !== null && !hasWaiting(row);
  if (!isToGo) return lists;
  const values = { desired: null, observed: { displayName: row.name } };
  return [...lists, toDifference(row, 'group.unmanaged', values)];
}

/** True when a resource is still to be made, or made anew; its absence is stored nowhere, so no more can be asked. */
export function isWanted(row: ResourceRow): boolean {
  if (row.origin === null || row.deleted_at !== null) return false;
  const cells = parseCells(row);
  if (row.type === 'group') return isLinked(row) || !isWaiting(cells.existence);
  return row.active === 1 && (row.upstream_id !== null || !isWaiting(cells.account));
}

/** True when it is to be made, and no account or group is known that could be it. */
export function isMissing(row: ResourceRow): boolean {
  const observed = toObservation(row);
  if (!isWanted(row) || (isLinked(row) && !isGone(observed))) return false;
  return row.type === 'group' || findAccountObstacle(row) === undefined;
}

/** The change that makes a user or group. */
export function toCreation({ type, id: resourceId }: ResourceRow): PlanAction {
  const change = { kind: `${type}.create`, type, resourceId, memberId: '' } as const;
  return { ...change, desired: { active: true }, observed: null, harm: undefined };
}

const NO_ADDRESS =
  'The provider gives no e-mail address, which a new account needs: have it send one, or accept that the person is inactive.';

/** Finds the reason why no account can be made for a user; undefined when one can. */
export function findAccountObstacle(row: UserRow): string | undefined {
  return toUserState(row).desired.address === undefined ? NO_ADDRESS : undefined;
}

/** Makes live users and groups due for a look (`now`: epoch milliseconds), and returns them; desired state stays. */
export async function markToLook(tx: Db, keys: readonly ResourceKey[], now: number) {
  const marked: ResourceKey[] = [];
  // The rows are locked in one order, groups first, so that two transactions with the same rows do not deadlock.
  const byText = new Map(keys.map((key) => [keyText(key), key]));
  for (const [, key] of [...byText].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const row = await lockRow(tx, key);
    if (row?.deleted_at !== null) continue;
    await updateRow(tx, row, toLookAgainColumns(row, now));
    marked.push(key);
  }
  return marked;
}

/** Columns that make a resource due for a look, without delaying earlier work. A look that is under way does not count. */
export function toLookAgainColumns(
  row: Pick<ResourceRow, 'due_at' | 'due_class' | 'must_look'>,
  now: number,
) {
  const isDue = row.due_at !== null;
  return {
    must_look: row.must_look + 1,
    due_at: Math.min(row.due_at ?? now, now),
    due_class: isDue ? row.due_class : (2 as const),
  };
}

const LISTS: readonly string[] = [
  scim.getUsers.id,
  companyUsers.getListOfUsers.id,
  scim.getGroups.id,
  groups.getListOfGroups.id,
];

/**
 * Decides on the entry of a list that was asked for at `sentAt` (epoch milliseconds). Only lists write an unmanaged
 * resource, so there a list of the same moment counts. No list brings back what was deleted.
 * - `merge`: the entry is newer than the stored state
 * - `drop`: the resource is being worked on, is better known, or was deleted
 * - `look-again`: it was written after the list was asked for, so only a look of its own can tell
 */
export function decideMerge(row: ResourceRow, sentAt: number): 'merge' | 'drop' | 'look-again' {
  const seen = toObservation(row);
  if (isInFlight(row)) return 'drop';
  const isOlder = row.modified_at >= sentAt || wasSeenSince(seen, sentAt);
  if (row.deleted_at !== null) return isOlder || row.type === 'group' ? 'drop' : 'merge';
  if (row.origin === null) return (seen?.at ?? 0) > sentAt ? 'drop' : 'merge';
  return isOlder ? 'look-again' : 'merge';
}

/** True if it was seen after the list was asked for. Of two lists of one moment this one came later. */
function wasSeenSince(seen: Sightings | undefined, sentAt: number): boolean {
  if (seen === undefined) return false;
  return seen.at > sentAt || (seen.at === sentAt && !LISTS.includes(seen.by));
}
