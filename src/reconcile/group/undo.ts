import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import { restoreGiven } from '../../domain/given.ts';
import type { GroupField } from '../../domain/group.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type Pending, restorePending } from '../../domain/pending.ts';
import { parseStored, toGroupColumns } from '../../store/engine/columns.ts';
import { type GroupRow, toObservedGroup } from '../../store/groups/groups.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import { toUnmanagedGroupAttributes } from './observe.ts';

/**
 * The row without the refused fields of a write. Where nobody has written since, the write as a whole is
 * taken back: what was not there goes again, what was deleted is back.
 */
export function revertGroup(
  row: GroupRow,
  { undo, fields, now }: { undo: GroupUndo; fields: readonly GroupField[]; now: number },
): GroupRow {
  const { before } = undo;
  const version = row.version + 1;
  if (row.attributes === undo.after && before?.deleted !== false) return bury(row, now);
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

/** One that the bridge created is removed; from one that was let go before it takes out what it put in. */
function bury(row: GroupRow, now: number): GroupRow {
  const version = row.version + 1;
  const pending = row.origin === 'created' ? { existence: version } : {};
  return { ...row, pending: JSON.stringify(pending), version, deleted_at: now, due_class: 0 };
}

/** The row of a group that a refused write took over: only observed again, and shown as the service holds it. */
export function releaseGroup(row: GroupRow): GroupRow {
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
  // Every write of a group that the service does not know claims its existence: nobody wrote anything since.
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
