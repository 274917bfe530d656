import { assertNever } from '../../domain/errors.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import { restoreGiven } from '../../domain/given.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { type Pending, restorePending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';
import { parseStored, toUserColumns } from '../../store/engine/columns.ts';
import type { UserUndo } from '../../store/resources/undo.ts';
import { toObservedUser, type UserRow } from '../../store/users/users.ts';
import { toUnmanagedAttributes } from './observe.ts';

/**
 * Reverts the refused fields of a write. Where nothing was written since, the whole write is taken back: a new user is
 * deleted, an adopted one is unmanaged again, a deleted one is back.
 */
export function revertUser(
  row: UserRow,
  { undo, fields, now }: { undo: UserUndo; fields: readonly UserField[]; now: number },
): UserRow {
  const { before } = undo;
  if (row.attributes === undo.after) {
    if (before?.origin === null || isTakenOver(row, undo)) return toUnmanaged(row);
    if (before === undefined || before.deleted) return markDeleted(row, now);
  }
  const pending = parseStored<Pending<UserField>>(row.pending);
  const current = parseStored<JsonObject>(row.attributes);
  return {
    ...row,
    ...toUserColumns(revertUserFields(current, before?.attributes ?? {}, fields)),
    pending: JSON.stringify(restorePending(pending, before?.pending ?? {}, fields)),
    given: revertUserGiven(row, fields, before?.given),
    version: row.version + 1,
    deleted_at: before?.deleted === false ? null : row.deleted_at,
  };
}

function revertUserGiven({ given }: UserRow, fields: readonly UserField[], before = '{}'): string {
  return fields.includes('account') ? before : restoreGiven(given, before, fields);
}

/** True when a new user was given an existing account, which is not ours to deactivate. */
function isTakenOver({ origin }: UserRow, { before }: UserUndo): boolean {
  return before === undefined && origin === 'adopted';
}

/** Only observed from now on, and shown as the service holds it. */
function toUnmanaged(row: UserRow): UserRow {
  const observed = toObservedUser(row);
  return {
    ...row,
    ...(observed ? toUserColumns(toUnmanagedAttributes(observed)) : {}),
    origin: null,
    echoes: '{}',
    given: '{}',
    pending: '{}',
    version: row.version + 1,
    deleted_at: null,
  };
}

function markDeleted(row: UserRow, now: number): UserRow {
  const version = row.version + 1;
  const pending = JSON.stringify({ active: version });
  return { ...row, pending, version, deleted_at: now, due_class: 0 };
}

/**
 * `current` with the refused fields as they were before. Only fields whose last writer is the refused
 * write are given here, so what others wrote since stays.
 */
export function revertUserFields(
  current: JsonObject,
  before: JsonObject,
  fields: readonly UserField[],
): JsonObject {
  let next = current;
  for (const field of fields) next = revertField(next, before, field);
  return next;
}

function revertField(current: JsonObject, before: JsonObject, field: UserField): JsonObject {
  switch (field) {
    case 'active':
    case 'name':
      return withAttribute(current, field, before[field]);
    case 'appsPermissions':
    case 'temporarilyInactive': {
      const held = toObject(before[USER_EXTENSION])[field];
      const extension = withAttribute(toObject(current[USER_EXTENSION]), field, held);
      const empty = Object.keys(extension).length === 0;
      return withAttribute(current, USER_EXTENSION, empty ? undefined : extension);
    }
    case 'account':
      // Every write of a user without an account claims the account, so nothing was written since.
      return before;
    case 'address':
      // Never refused: it is tried, and the answer remembered.
      return current;
    default:
      return assertNever(field);
  }
}

function withAttribute(
  object: JsonObject,
  name: string,
  value: JsonObject[string] | undefined,
): JsonObject {
  const { [name]: _, ...rest } = object;
  return value === undefined ? rest : { ...rest, [name]: value };
}

function toObject(value: JsonObject[string] | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
