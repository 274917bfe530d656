import { isDeepStrictEqual } from 'node:util';
import { assertNever } from '../../domain/errors.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import { restoreGiven } from '../../domain/given.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { Pending } from '../../domain/pending.ts';
import { takeBackWrite } from '../../domain/undo.ts';
import { toDesiredUser, type UserField } from '../../domain/user.ts';
import { parseStored, toUserColumns } from '../../store/engine/columns.ts';
import type { UserUndo } from '../../store/resources/undo.ts';
import { toObservedUser, type UserRow } from '../../store/users/users.ts';
import { toUnmanagedAttributes } from './observe.ts';

/** Refused write of a user. */
export interface RefusedWrite {
  readonly undo: UserUndo;
  /** Fields that were refused. */
  readonly fields: readonly UserField[];
  /** True: no other write was stored since. */
  readonly isLast: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/**
 * Takes a refused write back (RFC 7644 §3.5.2): all of it where no other write was stored since, else its refused
 * fields. What had reached the service waits to be brought back. A new user is deleted, an adopted one is unmanaged
 * again, a deleted one is back.
 */
export function revertUser(row: UserRow, { undo, fields, isLast, now }: RefusedWrite): UserRow {
  const { before } = undo;
  if (row.attributes === undo.after) {
    if (before?.origin === null || isTakenOver(row, undo)) return toUnmanaged(row);
    if (before === undefined || before.deleted) return markDeleted(row, now);
  }
  const version = row.version + 1;
  const { attributes, pending, reverted } = takeBackWrite<UserField>(
    {
      current: parseStored<JsonObject>(row.attributes),
      pending: parseStored<Pending<UserField>>(row.pending),
      written: { before: before?.attributes ?? {}, after: parseStored<JsonObject>(undo.after) },
      pendingBefore: before?.pending ?? {},
      fields,
      isLast,
      version,
    },
    { revert: revertUserFields, listChanged },
  );
  return {
    ...row,
    ...toUserColumns(attributes),
    pending: JSON.stringify(pending),
    given: revertUserGiven(row, reverted, before?.given),
    version,
    deleted_at: before?.deleted === false ? null : row.deleted_at,
  };
}

/** Owned fields whose desired value differs; an account that comes or goes is taken back in its own way. */
function listChanged(current: JsonObject, next: JsonObject): UserField[] {
  const [is, will] = [current, next].map((attributes) => toDesiredUser(attributes, false));
  const changed = OWNED_FIELDS.filter((field) => !isDeepStrictEqual(is?.[field], will?.[field]));
  const isAddressed = is?.userName !== will?.userName || is?.address !== will?.address;
  return isAddressed ? [...changed, 'address'] : changed;
}

const OWNED_FIELDS = ['active', 'name', 'appsPermissions', 'temporarilyInactive'] as const;

function revertUserGiven({ given }: UserRow, fields: readonly UserField[], before = '{}'): string {
  return fields.includes('account') ? before : restoreGiven(given, before, fields);
}

/** True when a new user was given an existing account, which is not ours to deactivate. */
function isTakenOver({ origin }: UserRow, { before }: UserUndo): boolean {
  return before === undefined && origin === 'adopted';
}

/** Row of a user that is unmanaged again, and shown as the service holds it. */
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
 * Copies `current` with the refused fields as they were before. All given fields were last written by the refused
 * write, so that later writes stay.
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
      // The address is never refused: it is tried, and the answer remembered.
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
