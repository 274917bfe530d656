import { hasEntityPutIn } from '../../domain/entity.ts';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { type GroupField, toDesiredGroup } from '../../domain/group.ts';
import type { JsonObject } from '../../domain/json.ts';
import {
  disownLink,
  type LinkKey,
  releaseLink,
  revertLink,
  toLinkText,
} from '../../domain/link.ts';
import type { FieldsOfKind } from '../../domain/undo.ts';
import { toCellsAfterGroupDeletion } from '../../domain/write.ts';
import { groupFields, toRuled } from '../../rules/fields.ts';
import { parseCells, toGroupColumns } from '../../store/engine/columns.ts';
import { changeLinks, changeNamed, hasLink, listLinkedUsers } from '../../store/links/links.ts';
import type { GroupRow } from '../../store/resources/rows.ts';
import { toObservedGroup } from '../../store/resources/state.ts';
import type { Undo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import { revertColumns } from '../refuse.ts';
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
  reverted.push(...links.map(({ userId }) => userId));
  if (isWhole) reverted.push(...(await listLinkedUsers(tx, row)));
  const isDeleted = isUnchanged && undo.before?.deleted !== false;
  const without: GroupRow = isDeleted
    ? markDeleted(row, now)
    : { ...row, ...revertColumns(row, write, GROUP_FIELDS, toGroupColumns) };
  const kept = isUnchanged ? await followMembers(tx, without, undo) : without;
  // The people of inner groups are looked at when this is followed.
  const inner_groups = (isLast ? undo.before?.innerGroups : undefined) ?? row.inner_groups;
  const draft = { ...revertAdminsAsked(kept, links, undo), inner_groups };
  return (await toRuled(tx, rules, groupFields, { row: draft, now })) ?? draft;
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
    await changeLinks(tx, row, {}, (link) => releaseLink(link, row.version));
  }
  // Members that the write added stay, and then the group stays managed.
  const isPutIn = hasEntityPutIn(parseCells(row)) || (await hasLink(tx, row, 'ours'));
  if (undo.before?.origin !== null || isPutIn) return row;
  await changeLinks(tx, row, {}, disownLink);
  return toUnmanagedGroup(row);
}

/** Row of a group whose adoption was refused: unmanaged again, and shown as the service holds it. */
export function toUnmanagedGroup(row: GroupRow): GroupRow {
  const observed = toObservedGroup(row);
  const shown = observed ? toGroupColumns(toUnmanagedGroupAttributes(observed)) : {};
  return { ...row, ...shown, origin: null, cells: '{}', entities: null, deleted_at: null };
}

/** Puts back every member and admin that a refused write changed, without those who are back. */
async function revertAllLinks(
  tx: Db,
  row: GroupRow,
  { waiter: { version, undo }, links }: RefusedWrite<GroupField>,
): Promise<LinkKey[]> {
  const back = new Set(links.map(toLinkText));
  const rest = undo.links.filter((link) => !back.has(toLinkText(link)));
  const versions = { version, next: row.version + 1 };
  return changeNamed(tx, row, rest, (link, { before }) => revertLink(link, before, versions));
}

/** Gives the admin list back to the rules where all that the provider asked of it was refused. */
function revertAdminsAsked(row: GroupRow, links: readonly LinkKey[], undo: Undo): GroupRow {
  const back = new Set(links.map(toLinkText));
  const wanted = undo.links.filter(({ list }) => list === 'admin');
  if (wanted.length === 0 || wanted.some((link) => !back.has(toLinkText(link)))) return row;
  return { ...row, admins_asked: undo.before?.adminsAsked ?? 0 };
}
