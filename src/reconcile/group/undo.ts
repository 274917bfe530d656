import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { GroupField } from '../../domain/group.ts';
import type { UserId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { Pending } from '../../domain/pending.ts';
import type { LinkWrite } from '../../store/links.ts';

/** What takes one write of a group back. */
export interface GroupUndo {
  readonly type: 'group';
  /** The attributes and waiting fields before the write; undefined: the write created the group. */
  readonly before: { attributes: JsonObject; pending: Pending<GroupField> } | undefined;
  /** The links that the write changed, as they were; null: there was none. */
  readonly members: ReadonlyMap<UserId, LinkWrite | null>;
  readonly admins: ReadonlyMap<UserId, LinkWrite | null>;
  /** The write deleted the group, which is to be there again. */
  readonly buried?: true;
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
