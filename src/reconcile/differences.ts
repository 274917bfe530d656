import { isDeepStrictEqual } from 'node:util';
import { withLicences, withRole } from '../domain/assignment.ts';
import type { Cell } from '../domain/cell.ts';
import { isWaiting } from '../domain/cell.ts';
import type { Difference } from '../domain/change.ts';
import { CHANGES, findHarm, listHarms, toChangeKey } from '../domain/change.ts';
import { findWantedRoles, holdsRoles, listEntityFields, parseRoles } from '../domain/entity.ts';
import { GROUP_EXTENSION, USER_EXTENSION, withExtension } from '../domain/extensions.ts';
import type { Deactivation, ObservedGroup, ObservedUser } from '../domain/kinds.ts';
import { isGone, isLinked } from '../domain/kinds.ts';
import { toLinkText } from '../domain/link.ts';
import { splitName } from '../domain/name.ts';
import type { PlanAction } from '../domain/plan.ts';
import { listFieldChanges, toPlace } from '../domain/plan.ts';
import type { GivenKey, JsonObject, JsonValue, ResourceKey } from '../domain/values.ts';
import { isJsonObject, keyText, limitMarks } from '../domain/values.ts';
import { hasWaiting, isSameJson, toColumns } from '../store/engine/columns.ts';
import { listOpenLinks } from '../store/links/links.ts';
import { findLinked } from '../store/resources/find.ts';
import type { GroupRow, ResourceRow, UserRow } from '../store/resources/rows.ts';
import { LIVE, listRows, lockRow, updateRow } from '../store/resources/rows.ts';
import { toGroupState, toUserState } from '../store/resources/state.ts';
import type { Db } from '../store/store.ts';
import type { ReconcileDeps } from './deps.ts';

/** Lists what differs where no change waits, and what is unmanaged itself. Of what is not there yet, or goes with its group, nothing is drift. */
export function listDifferences({ row, changes }: Current): Difference[] {
  if (row.origin === null) return listUnmanaged(row);
  const isReleased = row.type === 'group' && row.deleted_at !== null;
  if (isReleased || !isLinked(row) || row.observed === null) return [];
  return [...changes.values()].flatMap(({ kind, harm: _, ...change }) => {
    const { repairs } = CHANGES[kind];
    return repairs === undefined ? [] : [{ ...change, kind: repairs }];
  });
}

function listUnmanaged(row: ResourceRow): Difference[] {
  const seen = row.observed;
  if (seen === null || isGone(seen) || row.deleted_at !== null) return [];
  const about = { resource_type: row.type, resource_id: row.id, member_id: '', desired: null };
  if ('displayName' in seen) {
    return [{ ...about, kind: 'group.unmanaged', observed: { displayName: seen.displayName } }];
  }
  const { userName = null, email = null, active } = seen;
  return [{ ...about, kind: 'user.unmanaged', observed: { userName, email, active } }];
}

/** User or group with the changes that would end its known differences, by their keys (`toChangeKey`). */
export interface Current {
  readonly row: ResourceRow;
  readonly changes: ReadonlyMap<string, PlanAction>;
  /** Members and admins of whom a change waits (`toLinkText`). */
  readonly waitingLinks: ReadonlySet<string>;
}

/** Compares a user or group, and locks it until the transaction ends; undefined when the store no longer has it. */
export async function lockCurrent(
  tx: Db,
  { policy }: Pick<ReconcileDeps, 'policy'>,
  key: GivenKey,
): Promise<Current | undefined> {
  const row = await lockRow(tx, key);
  return row && compareRow(tx, row, policy.deactivation);
}

/** Lists the changes that would end what differs where no change waits; of a deleted one those that take away. */
export const listChanges = async (db: Db, row: ResourceRow, deactivation: Deactivation) => [
  ...(await compareRow(db, row, deactivation)).changes.values(),
];

/** Compares what is desired of a user or group with what was observed. Of what is unmanaged, or outside the scope, nothing is to change. */
export async function compareRow(
  db: Db,
  row: ResourceRow,
  deactivation: Deactivation,
): Promise<Current> {
  if (row.origin === null || row.staged === 'scope')
    return { row, changes: new Map(), waitingLinks: new Set() };
  const { type: resource_type, id: resource_id } = row;
  const links = row.type === 'group' ? await listOpenLinks(db, row) : [];
  const listed = await (row.type === 'user'
    ? listOfUser(db, row, deactivation)
    : listOfGroup(db, row, { deactivation, lists: listOfLists(row, links) }));
  const changes = listed.map(({ member_id = '', ...change }): PlanAction => {
    return { ...change, resource_type, resource_id, member_id, harm: findHarm(change) };
  });
  return {
    row,
    changes: new Map(changes.map((change) => [toChangeKey(change), change])),
    waitingLinks: new Set(links.filter(({ waits }) => waits).map(toLinkText)),
  };
}

type Change = Pick<PlanAction, 'kind' | 'desired' | 'observed'> & { readonly member_id?: string };

const isIdle = (cell: Cell | undefined) => !isWaiting(cell);

async function listOfUser(db: Db, row: UserRow, deactivation: Deactivation): Promise<Change[]> {
  const state = toUserState(row);
  const { observed, desired, cells } = state;
  if (isWaiting(cells.account)) return [];
  if (!isLinked(row) || isGone(observed)) {
    const creation = { kind: 'user.create', desired: { active: true }, observed: null } as const;
    return desired.active ? [creation] : [];
  }
  const changes: Change[] = listFieldChanges(state, deactivation, isIdle);
  if (row.deleted_at === null) return changes;
  if (observed === null && !hasWaiting(row)) {
    // Nothing was ever seen of the account: it is taken to work.
    const off = { desired: { active: false }, observed: { active: true } };
    changes.push({ kind: 'user.deactivate', ...off });
  }
  const works = changes.filter(({ kind }) => kind === 'user.deactivate');
  if (works.length === 0) return [];
  // Another user may have the account by now.
  const holders = await listRows(db, 'user', { upstream_id: row.upstream_id ?? [], ...LIVE });
  return holders.length > 0 ? [] : works;
}

async function listOfGroup(
  db: Db,
  row: GroupRow,
  { deactivation, lists }: { readonly deactivation: Deactivation; readonly lists: Change[] },
): Promise<Change[]> {
  const state = toGroupState(row);
  const { observed, desired, cells } = state;
  if (row.deleted_at !== null) return listOfDeletedGroup(db, row, lists);
  const isAsked = isWaiting(cells.existence);
  const { displayName } = desired;
  const creation = { kind: 'group.create', desired: { displayName }, observed: null } as const;
  // A group that is to be made comes with its lists, and with its entities: some of them may be asked for later.
  if (!isLinked(row)) return isAsked ? lists : [creation, ...lists];
  if (isAsked || observed === null) return [];
  return isGone(observed)
    ? [creation]
    : [...listFieldChanges(state, deactivation, isIdle), ...lists];
}

/** Lists what a deleted group is to lose; one that another group stands for by now is left alone. */
async function listOfDeletedGroup(db: Db, row: GroupRow, lists: Change[]): Promise<Change[]> {
  const holder = isLinked(row) && (await findLinked(db, 'group', row));
  if (!holder || holder.id !== row.id) return [];
  const left = lists.filter(({ kind }) => !/^(member|admin)\.add$/.test(kind));
  const isToGo = row.origin === 'created' && row.observed !== null && !hasWaiting(row);
  const observed = { displayName: row.name };
  return isToGo ? [...left, { kind: 'group.delete', desired: null, observed }] : left;
}

/** Lists what differs in the members, admins and entities of a group, as far as is known. */
function listOfLists(row: GroupRow, links: Awaited<ReturnType<typeof listOpenLinks>>): Change[] {
  const differing = links.filter(({ waits }) => !waits);
  const ofLinks = differing.map(({ list, userId: member_id, wanted }) => {
    const kind = `${list}.${wanted ? 'add' : 'remove'}` as const;
    return { kind, member_id, desired: { present: wanted }, observed: { present: !wanted } };
  });
  const { cells, entities } = row;
  const roles = listEntityFields(cells).flatMap((member_id) => {
    const cell = cells[member_id];
    const seen = entities?.[member_id];
    if (isWaiting(cell) || holdsRoles(cell, seen)) return [];
    const wanted = findWantedRoles(cell);
    const set = seen === undefined ? 'entity.add' : 'entity.change';
    const [desired, observed] = [{ roles: parseRoles(wanted) }, { roles: parseRoles(seen) }];
    return [{ kind: wanted ? set : 'entity.remove', member_id, desired, observed } as const];
  });
  return [...ofLinks, ...roles];
}

/** Row that is unmanaged again, and shown as the service holds it. */
export function toUnmanaged<Row extends ResourceRow>(row: Row): Row {
  const observed = row.observed;
  const columns = observed && toColumns(row.type, toShown(observed));
  const version = row.version + 1;
  return {
    ...row,
    ...columns,
    origin: null,
    cells: {},
    entities: null,
    version,
    deleted_at: null,
  };
}

/** Attributes of what is unmanaged, as the service holds it. Identity providers insist on every one of a user. */
export function toShown(observed: ObservedUser | ObservedGroup): JsonObject {
  if ('displayName' in observed) {
    const { displayName, permissions, addToCardsAndSpacesEnabled } = observed;
    const extension = { permissions, addToCardsAndSpacesEnabled };
    return withExtension({ displayName: limitMarks(displayName) }, GROUP_EXTENSION, extension);
  }
  const { userName, email, role, virtual, active } = observed;
  const address = email ?? userName;
  const fullName = limitMarks(observed.fullName);
  const { givenName, familyName } = splitName(fullName);
  const work = { value: limitMarks(address ?? '').trim(), type: 'work', primary: true };
  const attributes = {
    userName: limitMarks(userName ?? email ?? ''),
    name: { givenName: givenName || '-', familyName: familyName || '-', formatted: fullName },
    ...(fullName === '' ? {} : { displayName: fullName }),
    ...(address === undefined ? {} : { emails: [work] }),
    active,
    // Only the service sets these, where a list tells them.
    ...withExtension({}, USER_EXTENSION, { role, virtual }),
  };
  return withRole(withLicences(attributes, observed.appsPermissions), role);
}

/** True when a worker has the resource or is about to look at it, and will know better. */
export const isBusy = ({ must_look }: ResourceRow) => must_look !== 0;

/** True when the resource was neither written, taken over, seen nor changed in the service since the row was read. */
export function isUnchanged(now: ResourceRow, before: ResourceRow): boolean {
  const isSame = now.version === before.version && now.origin === before.origin;
  const isKnown = isSameJson([now.cells, now.observed], [before.cells, before.observed]);
  return !isBusy(now) && isSame && isKnown;
}

type Values = Pick<PlanAction, 'desired' | 'observed'>;

/** Finds what is desired and observed by now, in the fields that a change is about: others may differ beside them. */
export function findNow({ changes }: Current, change: PlanAction): Values | undefined {
  const known = changes.get(toChangeKey(change));
  if (known === undefined || !isJsonObject(change.desired)) return known;
  const own = new Set(Object.keys(change.desired));
  const pick = (value: JsonValue): JsonValue =>
    isJsonObject(value)
      ? Object.fromEntries(Object.entries(value).filter(([field]) => own.has(field)))
      : value;
  const [desired, observed] = [pick(known.desired), pick(known.observed)];
  return isDeepStrictEqual(desired, {}) ? undefined : { desired, observed };
}

/** True when the precondition of a change holds: the same value is desired, and the same was observed. */
export function isStillSo(current: Current, change: PlanAction): boolean {
  if (change.kind.endsWith('.create')) return isWanted(current.row);
  const now = findNow(current, change);
  // The name of a group that is to go may change meanwhile.
  if (now === undefined || change.kind === 'group.delete') return now !== undefined;
  const { desired, observed } = change;
  return isDeepStrictEqual(now, { desired, observed });
}

/** True when it is still to be made; its absence is stored nowhere, so no more can be asked. */
function isWanted(row: ResourceRow): boolean {
  if (row.origin === null || row.deleted_at !== null) return false;
  const { account, existence } = row.cells;
  const isOn = row.type === 'group' || row.active === 1;
  return isOn && (isLinked(row) || !isWaiting(row.type === 'group' ? existence : account));
}

/** `gone`: the user or group that it is about was deleted. */
export type ChangeState = 'waits' | 'differs' | 'over' | 'gone';

/** Finds the state of a change. `current`: undefined: the store does not have it any more. */
export function findState(current: Current | undefined, change: PlanAction): ChangeState {
  if (current === undefined) return 'gone';
  const { row } = current;
  // Of what was deleted only removals are still to be made.
  if (row.deleted_at !== null && listHarms([change]).length === 0) return 'gone';
  if (row.must_look !== 0 || isPlaceWaiting(current, change)) return 'waits';
  return findNow(current, change) === undefined ? 'over' : 'differs';
}

function isPlaceWaiting({ row, waitingLinks }: Current, change: PlanAction): boolean {
  const place = toPlace(change);
  if (place.kind === 'link') return waitingLinks.has(toLinkText(place));
  return place.fields.some((field) => isWaiting(row.cells[field]));
}

/** Makes live users and groups due for a look (`now`: epoch milliseconds); desired state stays. */
export async function markToLook(tx: Db, keys: readonly ResourceKey[], now: number): Promise<void> {
  // The rows are locked in one order, groups first, so that two transactions with the same rows do not deadlock.
  const byText = new Map(keys.map((key) => [keyText(key), key]));
  for (const [, key] of [...byText].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const row = await lockRow(tx, key);
    if (row?.deleted_at === null) await updateRow(tx, row, toLookAgainColumns(row, now));
  }
}

/** Columns that make a resource due for a look, without delaying earlier work. A look that is under way does not count. */
export const toLookAgainColumns = (row: ResourceRow, now: number) => ({
  must_look: row.must_look + 1,
  ...toDueColumns(row, now),
});

/** Columns that make a resource due by then, without delaying earlier work. */
export const toDueColumns = ({ due_at, due_class }: ResourceRow, at: number) => ({
  due_at: Math.min(due_at ?? at, at),
  due_class: due_at === null ? (2 as const) : due_class,
});

/** Operations that list users or groups. */
const LISTS = /^scim\.get\w+s$|\.getListOf\w+$/;

/**
 * Decides on the entry of a list that was asked for at `sentAt` (epoch milliseconds). Only lists write an unmanaged
 * resource, so there a list of the same moment counts. No list brings back what was deleted.
 * - `merge`: the entry is newer than the stored state
 * - `drop`: the resource is being worked on, is better known, or was deleted
 * - `look-again`: it was written after the list was asked for, so only a look of its own can tell
 */
export function decideMerge(row: ResourceRow, sentAt: number): 'merge' | 'drop' | 'look-again' {
  const seen = row.observed;
  // A call that changes it may be on its way, or its outcome is unknown.
  if (row.must_look !== 0 && row.unsure_until !== null) return 'drop';
  // Of two lists of one moment this one came later.
  const isOfCall = seen !== null && !LISTS.test(seen.by);
  const seenAt = seen?.at ?? 0;
  const isOlder = row.modified_at >= sentAt || seenAt > sentAt || (seenAt === sentAt && isOfCall);
  if (row.deleted_at !== null) return isOlder || row.type === 'group' ? 'drop' : 'merge';
  if (row.origin === null) return seenAt > sentAt ? 'drop' : 'merge';
  return isOlder ? 'look-again' : 'merge';
}
