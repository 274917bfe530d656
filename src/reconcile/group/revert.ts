import { hasEntityPutIn } from '../../domain/entity.ts';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { type GroupField, toDesiredGroup } from '../../domain/group.ts';
import { toCellsAfterGroupDeletion } from '../../domain/group-write.ts';
import type { UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { FieldsOfKind } from '../../domain/undo.ts';
import { toRuledGroup } from '../../rules/rule-group.ts';
import { parseCells, toGroupColumns } from '../../store/engine/columns.ts';
import { deleteLinks, type LinkRow, listLinks, saveLinks } from '../../store/links/links.ts';
import { disownLinks, hasPutIn, releaseLinks } from '../../store/links/observations.ts';
import { listLinkedUsers } from '../../store/links/shown.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import type { Undo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import { putBack, revertColumns, type WrittenLinks } from '../refuse.ts';
import type { Recording, RefusedWrite } from '../resource-kind.ts';
import { toUnmanagedGroupAttributes } from './observe.ts';
import type { GroupTypes } from './outcome.ts';

/**
 * Takes the refused parts of one write back, or all of it where no other write was stored since, and applies the rules to
 * the result. What had reached the service waits to be brought back. A new group is deleted, a deleted one is back.
 */
export async function revertGroup(
  tx: Db,
  row: GroupRow,
  { rules, reverted, now }: Recording<GroupTypes>,
  write: RefusedWrite<GroupField>,
): Promise<GroupRow> {
  const { waiter, links: refused, isLast } = write;
  const { undo } = waiter;
  const isUnchanged = row.attributes === undo.after;
  const isWhole = isUnchanged && (undo.before?.deleted !== false || undo.before.origin === null);
  const isAll = isLast && !isWhole;
  const links = isAll ? [...refused, ...(await revertAllLinks(tx, row, write))] : refused;
  reverted.push(...links, ...(isWhole ? await listLinkedUsers(tx, row.id) : []));
  const isDeleted = isUnchanged && undo.before?.deleted !== false;
  const without: GroupRow = isDeleted
    ? markDeleted(row, now)
    : { ...row, ...revertColumns(row, write, GROUP_FIELDS, toGroupColumns) };
  const kept = isUnchanged ? await followMembers(tx, without, undo) : without;
  // The people of inner groups are looked at when this is followed.
  const inner_groups = (isLast ? undo.before?.innerGroups : undefined) ?? row.inner_groups;
  const draft = { ...revertAdminsAsked(kept, links, undo), inner_groups };
  return (await toRuledGroup(tx, rules, { row: draft, now })) ?? draft;
}

/** Owned fields whose desired value differs. */
function listChanged(current: JsonObject, next: JsonObject): GroupField[] {
  const [is, will] = [current, next].map(toDesiredGroup);
  const fields = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;
  return fields.filter((field) => is?.[field] !== will?.[field]);
}

/** Fields of a group itself. */
const GROUP_FIELDS: FieldsOfKind<GroupField> = {
  existence: 'existence',
  attributes: ['displayName'],
  urn: GROUP_EXTENSION,
  extension: ['permissions', 'addToCardsAndSpacesEnabled'],
  listChanged,
};

/** Deletes the group again: one that the bridge created is removed, a released one loses the members the bridge added. */
function markDeleted(row: GroupRow, now: number): GroupRow {
  const version = row.version + 1;
  const deletion = { isOwn: row.origin === 'created', mayBeThere: true, version };
  const cells = toCellsAfterGroupDeletion(parseCells(row), deletion);
  return { ...row, cells: JSON.stringify(cells), version, deleted_at: now, due_class: 0 };
}

/** Follows up for the members of the group when a whole write was taken back. */
async function followMembers(tx: Db, row: GroupRow, undo: Undo): Promise<GroupRow> {
  if (row.deleted_at !== null && row.origin === 'adopted') {
    await releaseLinks(tx, row.id, row.version);
  }
  // Members that the write added stay, and then the group stays managed.
  const isPutIn = hasEntityPutIn(parseCells(row)) || (await hasPutIn(tx, row.id));
  if (undo.before?.origin !== null || isPutIn) return row;
  await disownLinks(tx, row.id);
  return toUnmanagedGroup(row);
}

/** Row of a group whose adoption was refused: unmanaged again, and shown as the service holds it. */
export function toUnmanagedGroup(row: GroupRow): GroupRow {
  const observed = toObservedGroup(row);
  const shown = observed ? toGroupColumns(toUnmanagedGroupAttributes(observed)) : {};
  return { ...row, ...shown, origin: null, cells: '{}', entities: null, deleted_at: null };
}

/**
 * Puts back every member and admin that a refused write changed, without those who are back: one that had reached the
 * service waits to be brought back. Returns the users.
 */
async function revertAllLinks(
  tx: Db,
  { id: groupId, version }: GroupRow,
  { waiter, links }: RefusedWrite<GroupField>,
): Promise<UserId[]> {
  const { members, admins } = waiter.undo;
  const back = new Set(links);
  const users: UserId[] = [];
  for (const [table, befores] of [
    ['memberships', members],
    ['group_admins', admins],
  ] as const) {
    const written = { table, groupId, befores };
    const rest = [...befores.keys()].filter((userId) => !back.has(userId));
    const rows = await listLinks(tx, table, groupId, rest);
    const unsent = rows.filter((row) => row.pending === waiter.version);
    const reached = rows.filter((row) => row.pending === null);
    await putBack(tx, written, unsent);
    await takeBackReached(tx, written, { rows: reached, version: version + 1 });
    users.push(...[...unsent, ...reached].map((row) => row.user_id));
  }
  return users;
}

async function takeBackReached(
  tx: Db,
  { table, groupId, befores }: WrittenLinks,
  { rows, version }: { rows: readonly LinkRow[]; version: number },
): Promise<void> {
  const links = rows.map(({ user_id: userId, observed, put_in: putIn }) => {
    const before = befores.get(userId);
    const desired = before ? before.desired : 0;
    const pending = desired === null || desired === observed ? null : version;
    return { userId, desired, observed, pending, putIn, byRule: before?.byRule ?? 0 };
  });
  await saveLinks(tx, table, groupId, links);
  const over = links.filter(({ desired, pending }) => desired === 0 && pending === null);
  await deleteLinks(
    tx,
    table,
    groupId,
    over.map(({ userId }) => userId),
  );
}

/** Gives the admin list back to the rules where all that the provider asked of it was refused. */
function revertAdminsAsked(row: GroupRow, links: readonly UserId[], undo: Undo): GroupRow {
  const wanted = [...undo.admins.keys()];
  if (wanted.length === 0 || wanted.some((userId) => !links.includes(userId))) return row;
  return { ...row, admins_asked: undo.before?.adminsAsked ?? 0 };
}
