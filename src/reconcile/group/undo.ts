import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { type GroupField, toDesiredGroup } from '../../domain/group.ts';
import { toCellsAfterGroupDeletion } from '../../domain/group-write.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { FieldsOfKind } from '../../domain/undo.ts';
import { parseCells, parseStored, toGroupColumns } from '../../store/engine/columns.ts';
import { type GroupRow, toObservedGroup } from '../../store/groups/groups.ts';
import {
  deleteLinks,
  type LinkRow,
  type LinkTable,
  type LinkWrite,
  listLinks,
  saveLinks,
} from '../../store/links/links.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { Problem } from '../outcome.ts';
import { type RefusedWrite, revertColumns } from '../take-back.ts';
import type { Waiter } from '../waiters.ts';
import { toUnmanagedGroupAttributes } from './observe.ts';
import { type GroupPart, groupRefusedLinks } from './outcome.ts';

/**
 * Takes a refused write back (RFC 7644 §3.5.2): all of it where no other write was stored since, else its refused
 * fields. What had reached the service waits to be brought back. A new group is deleted, a deleted one is back.
 */
export function revertGroup(row: GroupRow, write: RefusedWrite<GroupUndo, GroupField>): GroupRow {
  const { undo, now } = write;
  const isAsWritten = row.attributes === undo.after;
  if (isAsWritten && undo.before?.deleted !== false) return markDeleted(row, now);
  return { ...row, ...revertColumns(row, write, GROUP_FIELDS, toGroupColumns) };
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

/** Row of a group whose adoption was refused: unmanaged again, and shown as the service holds it. */
export function toUnmanagedGroup(row: GroupRow): GroupRow {
  const observed = toObservedGroup(row);
  const shown = observed ? toGroupColumns(toUnmanagedGroupAttributes(observed)) : {};
  return { ...row, ...shown, origin: null, cells: '{}', entities: null, deleted_at: null };
}

/** Refused write whose members and admins are put back as they were. */
export interface RefusedLinks {
  readonly waiter: Waiter<GroupUndo>;
  readonly parts: readonly GroupPart[];
}

/** Users that were put back, and the words of earlier refusals. */
export interface RevertedLinks {
  readonly userIds: readonly UserId[];
  readonly earlierWords: readonly string[];
}

/** Puts back the refused members and admins whose last writer is the refused write; the others stay. */
export async function revertLinks(
  tx: Db,
  groupId: GroupId,
  { waiter, parts }: RefusedLinks,
): Promise<RevertedLinks> {
  const reverted: LinkRow[] = [];
  for (const { kind, table, changes } of groupRefusedLinks(parts)) {
    const befores = kind === 'member' ? waiter.undo.members : waiter.undo.admins;
    const own = changes.filter(({ version }) => version === waiter.version);
    const refused = own.map(({ userId }) => userId);
    const rows = await listLinks(tx, table, groupId, refused);
    const mine = rows.filter((row) => row.pending === waiter.version && befores.has(row.user_id));
    await putBack(tx, { table, groupId, befores }, mine);
    reverted.push(...mine);
  }
  return {
    userIds: reverted.map((row) => row.user_id),
    earlierWords: reverted.flatMap(({ problem }) =>
      problem === null ? [] : [parseStored<Problem>(problem).words],
    ),
  };
}

/** Links of one list that a write changed, as they were. */
interface WrittenLinks {
  readonly table: LinkTable;
  readonly groupId: GroupId;
  readonly befores: ReadonlyMap<UserId, LinkWrite | null>;
}

async function putBack(
  tx: Db,
  { table, groupId, befores }: WrittenLinks,
  rows: readonly LinkRow[],
): Promise<void> {
  const known: LinkWrite[] = [];
  const gone: UserId[] = [];
  for (const { user_id } of rows) {
    const before = befores.get(user_id);
    if (before) known.push(before);
    else gone.push(user_id);
  }
  await saveLinks(tx, table, groupId, known);
  await deleteLinks(tx, table, groupId, gone);
}

/** Refused write whose members and admins are all put back. */
interface RevertedWrite {
  readonly waiter: Waiter<GroupUndo>;
  readonly except: ReadonlySet<UserId>;
  readonly version: number;
}

/**
 * Puts back every member and admin that a refused write changed, without those of `except`, who are back: one that had
 * reached the service waits since `version` to be brought back. Returns the users.
 */
export async function revertAllLinks(
  tx: Db,
  groupId: GroupId,
  { waiter, except, version }: RevertedWrite,
): Promise<UserId[]> {
  const { members, admins } = waiter.undo;
  const users: UserId[] = [];
  for (const [table, befores] of [
    ['memberships', members],
    ['group_admins', admins],
  ] as const) {
    const written = { table, groupId, befores };
    const rest = [...befores.keys()].filter((userId) => !except.has(userId));
    const rows = await listLinks(tx, table, groupId, rest);
    const unsent = rows.filter((row) => row.pending === waiter.version);
    const reached = rows.filter((row) => row.pending === null);
    await putBack(tx, written, unsent);
    await takeBackReached(tx, written, { rows: reached, version });
    users.push(...[...unsent, ...reached].map((row) => row.user_id));
  }
  return users;
}

async function takeBackReached(
  tx: Db,
  { table, groupId, befores }: WrittenLinks,
  { rows, version }: { rows: readonly LinkRow[]; version: number },
): Promise<void> {
  const links = rows.map(({ user_id: userId, observed, put_in: putIn }): LinkWrite => {
    const desired = befores.get(userId)?.desired ?? (befores.get(userId) ? null : 0);
    const pending = desired === null || desired === observed ? null : version;
    return { userId, desired, observed, pending, putIn };
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

/** Refused users that an error names. */
const NAMED_MAX = 10;

/** Adds to a problem the SCIM ids of its users, so that an administrator finds them. */
export function withRefusedUsers(problem: Problem, userIds: readonly UserId[]): Problem {
  if (userIds.length === 0) return problem;
  const named = userIds.slice(0, NAMED_MAX).join(', ');
  const more = userIds.length > NAMED_MAX ? ` and ${userIds.length - NAMED_MAX} more` : '';
  return { ...problem, words: `${problem.words} (about ${named}${more})` };
}
