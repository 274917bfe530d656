import { isDeepStrictEqual } from 'node:util';
import { ask, type Cells, isWaiting, undo } from './cell.ts';
import { GROUP_EXTENSION, toExtension, USER_EXTENSION } from './extensions.ts';
import { type GroupField, toDesiredGroup } from './group.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { toDesiredUser, type UserField } from './user.ts';

/** Attributes of a resource before and after a write. */
export interface WrittenAttributes {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

type Field = UserField | GroupField;

/** A resource with a write that was refused. */
interface RefusedResource {
  readonly current: JsonObject;
  readonly cells: Cells<Field>;
  readonly written: WrittenAttributes;
  /** Cells before the write. */
  readonly cellsBefore: Cells<Field>;
  /** Fields that were refused. */
  readonly fields: readonly Field[];
  /** True: no other write was stored since, so all of it goes back; false: the refused fields alone. */
  readonly isLast: boolean;
  /** Version since which waits what had reached the service. */
  readonly version: number;
}

/** Places of the owned fields among the attributes. A field of no place is never refused: an address is tried. */
const PLACES = {
  user: {
    attributes: ['active', 'name'],
    urn: USER_EXTENSION,
    extension: ['appsPermissions', 'temporarilyInactive'],
  },
  group: {
    attributes: ['displayName'],
    urn: GROUP_EXTENSION,
    extension: ['permissions', 'addToCardsAndSpacesEnabled'],
  },
} as const;

/** Takes a refused write back (RFC 7644 §3.5.2): its fields, and where it was the last write all that follows from it. */
export function takeBackWrite(
  type: keyof typeof PLACES,
  { current, cells, written, cellsBefore, fields, isLast, version }: RefusedResource,
): { attributes: JsonObject; cells: Cells<Field> } {
  const { extension } = PLACES[type];
  const kept = isLast ? withoutWrite(current, written) : current;
  const attributes = revertFields(type, kept, { before: written.before, fields });
  const others = listChanged(type, current, attributes).filter((field) => !fields.includes(field));
  const reached = others.filter((field) => !isWaiting(cells[field]));
  // With the resource go the sources of all its values.
  const isWhole = fields.some((field) => field === 'account' || field === 'existence');
  const restored = undo(cells, cellsBefore, [...fields, ...others, ...(isWhole ? extension : [])]);
  return { attributes, cells: ask(restored, reached, version) };
}

/** Takes a write out of `current`: each attribute that still is as it was written becomes what it was before. */
function withoutWrite(current: JsonObject, { before, after }: WrittenAttributes): JsonObject {
  const next: JsonObject = { ...current };
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, written, is] = [before[name], after[name], current[name]];
    if (isDeepStrictEqual(was, written)) continue;
    if (name.includes(':') && isJsonObject(written) && isJsonObject(is)) {
      const parts = { before: isJsonObject(was) ? was : {}, after: written };
      setOrDelete(next, name, withoutEmpty(withoutWrite(is, parts)));
    } else if (isDeepStrictEqual(is, written)) setOrDelete(next, name, was);
  }
  return next;
}

function withoutEmpty(extension: JsonObject): JsonObject | undefined {
  return Object.keys(extension).length === 0 ? undefined : extension;
}

function setOrDelete(
  target: JsonObject,
  name: string,
  value: JsonObject[string] | undefined,
): void {
  if (value === undefined) delete target[name];
  else target[name] = value;
}

/** Copies `current` with the refused fields as they were before, so that what others wrote stays. */
function revertFields(
  type: keyof typeof PLACES,
  current: JsonObject,
  { before, fields }: { readonly before: JsonObject; readonly fields: readonly Field[] },
): JsonObject {
  const { attributes, urn, extension } = PLACES[type];
  const next: JsonObject = { ...current };
  for (const field of attributes) {
    if (fields.includes(field)) setOrDelete(next, field, before[field]);
  }
  for (const field of extension) {
    if (!fields.includes(field)) continue;
    const held = { ...toExtension(next, urn) };
    setOrDelete(held, field, toExtension(before, urn)[field]);
    setOrDelete(next, urn, withoutEmpty(held));
  }
  return next;
}

/** Owned fields whose desired value differs; what comes or goes as a whole is taken back in its own way. */
function listChanged(type: keyof typeof PLACES, current: JsonObject, next: JsonObject): Field[] {
  if (type === 'group') {
    const [is, will] = [toDesiredGroup(current), toDesiredGroup(next)];
    const { attributes, extension } = PLACES.group;
    return [...attributes, ...extension].filter((field) => is[field] !== will[field]);
  }
  const [is, will] = [toDesiredUser(current, false), toDesiredUser(next, false)];
  const { attributes, extension } = PLACES.user;
  const changed = [...attributes, ...extension].filter(
    (field) => !isDeepStrictEqual(is[field], will[field]),
  );
  const isAddressed = is.userName !== will.userName || is.address !== will.address;
  return isAddressed ? [...changed, 'address'] : changed;
}
