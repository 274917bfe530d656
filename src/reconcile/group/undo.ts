import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { restoreGiven } from '../../domain/given.ts';
import type { GroupField } from '../../domain/group.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type Pending, restorePending } from '../../domain/pending.ts';
import { parseStored, toGroupColumns } from '../../store/engine/columns.ts';
import { type GroupRow, toObservedGroup } from '../../store/groups/groups.ts';
import { deleteLinks, type LinkRow, listLinks, saveLinks } from '../../store/links/links.ts';
import { touchUsers } from '../../store/links/shown.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { Problem } from '../outcome.ts';
import type { Waiter } from '../waiters.ts';
import { toUnmanagedGroupAttributes } from './observe.ts';
import { type GroupPart, groupRefusedLinks } from './outcome.ts';

/**
 * Reverts the refused fields of a write. Where nothing was written since, the whole write is taken back: a new group is
 * deleted, a deleted one is back.
 */
export function revertGroup(
  row: GroupRow,
  { undo, fields, now }: { undo: GroupUndo; fields: readonly GroupField[]; now: number },
): GroupRow {
  const { before } = undo;
  const version = row.version + 1;
  if (row.attributes === undo.after && before?.deleted !== false) return markDeleted(row, now);
  const pending = parseStored<Pending<GroupField>>(row.pending);
  const current = parseStored<JsonObject>(row.attributes);
  return {
    ...row,
    ...toGroupColumns(revertGroupFields(current, before?.attributes ?? {}, fields)),
    pending: JSON.stringify(restorePending(pending, before?.pending ?? {}, fields)),
    given: revertGroupGiven(row, fields, before?.given),
    version,
    deleted_at: before?.deleted === false ? null : row.deleted_at,
  };
}

function revertGroupGiven(
  { given }: GroupRow,
  fields: readonly GroupField[],
  before = '{}',
): string {
  return fields.includes('existence') ? before : restoreGiven(given, before, fields);
}

/** Deletes the group again: one that the bridge created is removed, a released one loses the members the bridge added. */
function markDeleted(row: GroupRow, now: number): GroupRow {
  const version = row.version + 1;
  const pending = row.origin === 'created' ? { existence: version } : {};
  return { ...row, pending: JSON.stringify(pending), version, deleted_at: now, due_class: 0 };
}

/** The row of a group that a refused write took over: only observed again, and shown as the service holds it. */
export function toUnmanagedGroup(row: GroupRow): GroupRow {
  const observed = toObservedGroup(row);
  const shown = observed ? toGroupColumns(toUnmanagedGroupAttributes(observed)) : {};
  return { ...row, ...shown, origin: null, given: '{}', pending: '{}', deleted_at: null };
}

/** `current` with the refused fields as they were before. */
export function revertGroupFields(
  current: JsonObject,
  before: JsonObject,
  fields: readonly GroupField[],
): JsonObject {
  // Every write of a group that the service does not know claims its existence, so nothing was written since.
  if (fields.includes('existence')) return before;
  const next: JsonObject = { ...current };
  for (const field of fields) {
    if (field === 'displayName') restore(next, before, 'displayName');
    if (field !== 'permissions' && field !== 'addToCardsAndSpacesEnabled') continue;
    const extension: JsonObject = { ...toObject(next[GROUP_EXTENSION]) };
    restore(extension, toObject(before[GROUP_EXTENSION]), field);
    if (Object.keys(extension).length === 0) delete next[GROUP_EXTENSION];
    else next[GROUP_EXTENSION] = extension;
  }
  return next;
}

function restore(target: JsonObject, before: JsonObject, name: string): void {
  const held = before[name];
  if (held === undefined) delete target[name];
  else target[name] = held;
}

function toObject(value: JsonObject[string] | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Refused write whose members and admins are put back as they were. */
export interface RefusedWrite {
  readonly waiter: Waiter<GroupUndo>;
  readonly parts: readonly GroupPart[];
  /** Epoch milliseconds. */
  readonly now: number;
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
  { waiter, parts, now }: RefusedWrite,
): Promise<RevertedLinks> {
  const reverted: LinkRow[] = [];
  for (const { kind, table, changes } of groupRefusedLinks(parts)) {
    const befores = kind === 'member' ? waiter.undo.members : waiter.undo.admins;
    const own = changes.filter(({ version }) => version === waiter.version);
    const refused = own.map(({ userId }) => userId);
    const rows = await listLinks(tx, table, groupId, refused);
    const mine = rows.filter((row) => row.pending === waiter.version && befores.has(row.user_id));
    const userIds = mine.map((row) => row.user_id);
    const gone: UserId[] = [];
    for (const userId of userIds) {
      const before = befores.get(userId);
      if (before) await saveLinks(tx, table, groupId, [before]);
      else gone.push(userId);
    }
    await deleteLinks(tx, table, groupId, gone);
    await touchUsers(tx, userIds, now);
    reverted.push(...mine);
  }
  return {
    userIds: reverted.map((row) => row.user_id),
    earlierWords: reverted.flatMap(({ problem }) =>
      problem === null ? [] : [parseStored<Problem>(problem).words],
    ),
  };
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
