import { assertNever } from '../../domain/errors.ts';
import { USER_EXTENSION } from '../../domain/extensions.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { Pending } from '../../domain/pending.ts';
import type { UserField } from '../../domain/user.ts';

/** What takes one write of a person back. */
export interface UserUndo {
  readonly type: 'user';
  /** The attributes and waiting fields before the write; undefined: the write created the person. */
  readonly before: { attributes: JsonObject; pending: Pending<UserField> } | undefined;
  /** The write deleted the person, who is to be there again. */
  readonly buried?: true;
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
      // Every write of a person without an account claims the account, so nobody wrote anything since.
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
