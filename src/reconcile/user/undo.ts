import { isDeepStrictEqual } from 'node:util';
import { askOnly } from '../../domain/cell.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { FieldsOfKind } from '../../domain/undo.ts';
import { toDesiredUser, type UserField } from '../../domain/user.ts';
import { parseCells, toUserColumns } from '../../store/engine/columns.ts';
import type { UserUndo } from '../../store/resources/undo.ts';
import { toObservedUser, type UserRow } from '../../store/users/users.ts';
import { type RefusedWrite, revertColumns } from '../take-back.ts';
import { toUnmanagedAttributes } from './observe.ts';

/**
 * Takes a refused write back (RFC 7644 §3.5.2): all of it where no other write was stored since, else its refused
 * fields. What had reached the service waits to be brought back. A new user is deleted, an adopted one is unmanaged
 * again, a deleted one is back.
 */
export function revertUser(row: UserRow, write: RefusedWrite<UserUndo, UserField>): UserRow {
  const { undo, now } = write;
  const { before } = undo;
  if (row.attributes === undo.after) {
    if (before?.origin === null || isTakenOver(row, undo)) return toUnmanagedUser(row);
    if (before === undefined || before.deleted) return markDeleted(row, now);
  }
  return { ...row, ...revertColumns(row, write, USER_FIELDS, toUserColumns) };
}

/** Owned fields whose desired value differs; an account that comes or goes is taken back in its own way. */
function listChanged(current: JsonObject, next: JsonObject): UserField[] {
  const [is, will] = [current, next].map((attributes) => toDesiredUser(attributes, false));
  const changed = OWNED_FIELDS.filter((field) => !isDeepStrictEqual(is?.[field], will?.[field]));
  const isAddressed = is?.userName !== will?.userName || is?.address !== will?.address;
  return isAddressed ? [...changed, 'address'] : changed;
}

const EXTENSION_FIELDS = ['appsPermissions', 'temporarilyInactive'] as const;
const OWNED_FIELDS = ['active', 'name', ...EXTENSION_FIELDS] as const;

/** Fields of a user; the address is never refused: it is tried, and the answer remembered. */
const USER_FIELDS: FieldsOfKind<UserField> = {
  existence: 'account',
  attributes: ['active', 'name'],
  urn: USER_EXTENSION,
  extension: EXTENSION_FIELDS,
  listChanged,
};

/** True when a new user was given an existing account, which is not ours to deactivate. */
function isTakenOver({ origin }: UserRow, { before }: UserUndo): boolean {
  return before === undefined && origin === 'adopted';
}

/** Row of a user that is unmanaged again, and shown as the service holds it. */
export function toUnmanagedUser(row: UserRow): UserRow {
  const observed = toObservedUser(row);
  return {
    ...row,
    ...(observed ? toUserColumns(toUnmanagedAttributes(observed)) : {}),
    origin: null,
    cells: '{}',
    version: row.version + 1,
    deleted_at: null,
  };
}

function markDeleted(row: UserRow, now: number): UserRow {
  const version = row.version + 1;
  const cells = JSON.stringify(askOnly(parseCells<UserField>(row), ['active'], version));
  return { ...row, cells, version, deleted_at: now, due_class: 0 };
}
