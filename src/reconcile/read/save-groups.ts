import { ask } from '../../domain/cell.ts';
import { fail } from '../../domain/failure.ts';
import { foldCase } from '../../domain/fold.ts';
import {
  type GroupField,
  isAnotherGroup,
  type ObservedGroup,
  withCreated,
} from '../../domain/group.ts';
import { groupId, newId } from '../../domain/ids.ts';
import { NOT_APPLIED } from '../../domain/refusal.ts';
import { isTheSame } from '../../domain/resource-state.ts';
import { hasWaiting, parseCells, toDueClass, toGroupColumns } from '../../store/engine/columns.ts';
import { agreesWithLinks, observeLinks, type SeenLinks } from '../../store/links/observe.ts';
import { listNamesUnderWay, listRowsOfGroups } from '../../store/resources/find.ts';
import {
  deleteRow,
  type GroupRow,
  insertRows,
  LIVE_MANAGED,
  listRows,
  updateRow,
} from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import type { Db } from '../../store/store.ts';
import { groups as restGroups } from '../../upstream/operations/people.ts';
import { scim as scimOperations } from '../../upstream/operations/scim.ts';
import { toInteger } from '../../upstream/shapes/reader.ts';
import type { RestGroup } from '../../upstream/shapes/rest-group.ts';
import { toUnmanagedGroupAttributes } from '../group/observe.ts';
import { markToLook, toLookAgainColumns } from '../mark-to-look.ts';
import { decideMerge } from '../merge-decision.ts';
import type { GroupScimId } from '../quirks.ts';
import type { ListedScimGroup, PageTimes } from './reading.ts';

/** A group as the two interfaces show it; absent: that one does not. */
export interface ListedGroup {
  readonly scim?: ListedScimGroup;
  readonly rest?: RestGroup;
}

/** How groups are read. */
export interface PageReading {
  readonly form: GroupScimId | undefined;
  /** True while nothing was read before. */
  readonly isFirst: boolean;
  /** When the REST list was asked for, and the time of storing (epoch milliseconds). */
  readonly restSentAt: number;
  readonly now: number;
}

interface Shown {
  readonly group: ListedGroup;
  readonly how: PageReading;
}

export function toIds({ scim, rest }: ListedGroup, { form }: PageReading) {
  const scimId = scim?.id;
  return {
    scimId,
    restId: rest?.id ?? (form === 'restId' && scimId ? toInteger(scimId) : undefined),
    uid: rest?.uid ?? (form === 'uid' ? scimId : undefined),
  };
}

/** Rows of a listed group: live ones first, of these the managed one, else the older. */
function listRowsOf(rows: readonly GroupRow[], group: ListedGroup, how: PageReading): GroupRow[] {
  const { scimId, restId, uid } = toIds(group, how);
  const rank = ({ deleted_at, origin }: GroupRow) =>
    (deleted_at === null ? 0 : 2) + (origin === null ? 1 : 0);
  return rows
    .filter(
      (row) =>
        (scimId !== undefined && row.upstream_scim_id === scimId) ||
        (restId !== undefined && row.upstream_id === restId) ||
        (uid !== undefined && row.upstream_uid === uid),
    )
    .toSorted((a, b) => rank(a) - rank(b) || a.seq - b.seq);
}

/** Finds the one row that stands for a listed group; undefined: there is none, or several. */
export function findRow(
  rows: readonly GroupRow[],
  group: ListedGroup,
  how: PageReading,
): GroupRow | undefined {
  const [row, ...others] = listRowsOf(rows, group, how);
  return others.length > 0 ? undefined : row;
}

/** True when the store holds a group and its members as the lists show them. */
export async function isStored(db: Db, row: GroupRow, { group, how }: Shown): Promise<boolean> {
  const before = toObservedGroup(row);
  if (before === undefined || row.deleted_at !== null) return false;
  if (!isTheSame(toObservation(before, { group, how }), before)) return false;
  const known = new Map<string, unknown>(Object.entries(row));
  const columns = Object.entries(toIdColumns(group));
  if (columns.some(([column, id]) => known.get(column) !== id)) return false;
  const memberIds = group.scim?.memberIds;
  if (memberIds === undefined) return true;
  return agreesWithLinks(db, row, toSeenLinks(row, { memberIds, ...how, from: 'list' }));
}

/** Stores listed groups. One that was deleted through SCIM and is not gone yet is not brought back by a list. */
export async function saveGroups(
  tx: Db,
  listed: readonly ListedGroup[],
  how: PageReading,
): Promise<void> {
  const rows = await listRowsOfGroups(
    tx,
    listed.map((group) => toIds(group, how)),
    { lock: true },
  );
  const added: ListedGroup[] = [];
  for (const group of listed) {
    const [row, ...others] = listRowsOf(rows, group, how);
    // The older of the two lists decides how old what is known is.
    const times = { sentAt: group.scim?.sentAt ?? how.restSentAt, now: how.now };
    if (row === undefined) added.push(group);
    else if (row.deleted_at !== null) {
      for (const deleted of [row, ...others]) await removeAgain(tx, deleted, times);
    } else if (await isCurrent(tx, row, times)) await saveKnown(tx, row, { group, how, others });
  }
  if (added.length > 0) await addGroups(tx, added, how);
}

/**
 * Adds unmanaged groups. One that a create of ours may have made is left out: the look of the group that waits for it
 * tells. Under another id it would be lost to whoever writes it meanwhile.
 */
async function addGroups(tx: Db, added: readonly ListedGroup[], how: PageReading): Promise<void> {
  const underWay = await listNamesUnderWay(tx, 'group');
  for (const name of await lookForMoved(tx, added, how.now)) underWay.add(name);
  const members = new Map<string, readonly number[]>();
  const rows = added.flatMap((group) => {
    const observed = toObservation(undefined, { group, how });
    const columns = toGroupColumns(toUnmanagedGroupAttributes(observed));
    if (underWay.has(columns.name_folded)) return [];
    const id = groupId(newId());
    members.set(id, group.scim?.memberIds ?? []);
    const times = { created_at: how.now, modified_at: how.now };
    const row = { ...toIdColumns(group), ...columns, ...times, observed: JSON.stringify(observed) };
    return [{ ...row, type: 'group' as const, id }];
  });
  for (const row of await insertRows(tx, rows)) {
    const upstreamUserIds = members.get(row.id) ?? [];
    if (upstreamUserIds.length === 0) continue;
    await observeLinks(tx, row, { list: 'member', upstreamUserIds, baseline: null });
  }
}

/**
 * Makes managed groups due for a look that a list shows under another id: the service gave ids anew. Returns their names,
 * folded.
 */
async function lookForMoved(
  tx: Db,
  added: readonly ListedGroup[],
  now: number,
): Promise<readonly string[]> {
  const shown = new Map(added.map(({ rest }) => [foldCase(rest?.name ?? ''), rest?.created]));
  const rows = await listRows(tx, 'group', { name_folded: [...shown.keys()], ...LIVE_MANAGED });
  const moved = rows.filter((row) => {
    const { created = '' } = toObservedGroup(row) ?? {};
    return created !== '' && created === shown.get(row.name_folded);
  });
  await markToLook(tx, moved, now);
  return moved.map((row) => row.name_folded);
}

/**
 * Stores what the lists show of a group that is known: an unmanaged one is shown as observed, a managed one as desired.
 */
async function saveKnown(
  tx: Db,
  row: GroupRow,
  { group, how, others }: Shown & { readonly others: readonly GroupRow[] },
): Promise<void> {
  const double = others.find(({ deleted_at }) => deleted_at === null);
  // Two rows that a provider wrote stay as they are.
  if (double !== undefined && double.origin !== null) return;
  // It was seen through one interface alone.
  if (double) await deleteRow(tx, double);
  const before = toObservedGroup(row);
  const observed = toObservation(before, { group, how });
  if (
    row.origin !== null &&
    isAnotherGroup(before, { ...observed, created: group.rest?.created })
  ) {
    await markToLook(tx, [row], how.now);
    return;
  }
  const shown = toGroupColumns(toUnmanagedGroupAttributes(observed));
  const isSame = row.origin !== null || shown.attributes === row.attributes;
  const changed = isSame ? {} : { ...shown, version: row.version + 1, modified_at: how.now };
  const columns = { ...toIdColumns(group), observed: JSON.stringify(observed) };
  await updateRow(tx, row, { ...columns, ...changed });
  const memberIds = group.scim?.memberIds;
  if (memberIds) await saveMembers(tx, row, { memberIds, ...how, from: 'list' });
}

/** True when an answer tells news of a group; one that may be older than a call makes a look due. */
export async function isCurrent(
  tx: Db,
  row: GroupRow,
  { sentAt, now }: PageTimes,
): Promise<boolean> {
  const decision = decideMerge(row, sentAt);
  if (decision === 'look-again') await updateRow(tx, row, toLookAgainColumns(row, now));
  return decision === 'merge';
}

function toIdColumns({ scim, rest }: ListedGroup) {
  return {
    ...(scim && { upstream_scim_id: scim.id }),
    ...(rest && { upstream_id: rest.id, upstream_uid: rest.uid }),
  };
}

/**
 * Observation of a listed group. The name comes from SCIM where SCIM shows the group, or once did; permissions and the
 * flag come from REST.
 */
function toObservation(
  before: ObservedGroup | undefined,
  { group: { scim, rest }, how: { now } }: Shown,
): ObservedGroup {
  const by = restGroups.getListOfGroups.id;
  const { permissions, addToCardsAndSpacesEnabled: isAddable } = rest ?? {};
  const isOfRest = before === undefined || before.by === by;
  return {
    ...(isOfRest ? { displayName: rest?.name ?? '', by } : before),
    ...(scim && { displayName: scim.displayName, shownAt: now, by: scimOperations.getGroups.id }),
    ...(permissions !== undefined && { permissions }),
    ...(isAddable !== undefined && { addToCardsAndSpacesEnabled: isAddable }),
    ...withCreated(before, rest?.created),
    ...(rest && { listedAt: now }),
    at: now,
  };
}

interface SeenMembers {
  readonly memberIds: readonly number[];
  readonly now: number;
  /** True while nothing was read before. */
  readonly isFirst: boolean;
  /** Source of the members: the list of all groups may cut long member lists short, the list of one group does not. */
  readonly from: 'list' | 'group';
}

/**
 * Stores the members that were seen in a group. Where they are shown and have changed, the ETag of the group changes.
 */
export async function saveMembers(tx: Db, row: GroupRow, seen: SeenMembers): Promise<void> {
  const links = toSeenLinks(row, seen);
  const moved = await observeLinks(tx, row, links);
  // A managed group shows its desired members, whatever is seen.
  if (moved === 0 || links.baseline === 0) return;
  await updateRow(tx, row, { version: row.version + 1, modified_at: seen.now });
}

/**
 * Members of a newly adopted group belong to it, also when they are read later. In a created group, and in a group that
 * was read before, a new member is not desired.
 */
function toSeenLinks(row: GroupRow, { memberIds, isFirst, from }: SeenMembers): SeenLinks {
  const { origin } = row;
  // A short list must not pass for a removal that a provider asks for.
  const isUnsure = !isFirst && from === 'list' && origin !== null;
  return {
    list: 'member',
    upstreamUserIds: memberIds,
    baseline: origin === null ? null : origin === 'adopted' && isFirst ? 1 : 0,
    absent: isUnsure ? 'unknown' : 'out',
    // A call whose outcome is unknown may have ended after the list was read: the look that follows shows it.
    mayBeOld: row.must_look !== 0,
  };
}

/**
 * Lets the removal of a group wait again, with one failed attempt, where the bridge removed it and a list that was asked
 * for after the answer shows it: then the service did not make the change.
 */
async function removeAgain(tx: Db, row: GroupRow, { sentAt, now }: PageTimes): Promise<void> {
  const isReleased = row.origin !== 'created' || row.observed !== null;
  const isUnderWay = hasWaiting(row) || row.due_at !== null;
  if (isReleased || isUnderWay || row.modified_at >= sentAt) return;
  const asked = ask(parseCells<GroupField>(row), ['existence'], row.version);
  const failing = { problem: NOT_APPLIED, isOwn: true, toRetryAt: () => now };
  const cells = fail(asked, { fields: ['existence'], held: {}, ...failing });
  const due = { due_at: now, due_class: toDueClass(true) };
  await updateRow(tx, row, { cells: JSON.stringify(cells), ...due });
}
