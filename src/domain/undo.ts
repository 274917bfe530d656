import { isDeepStrictEqual } from 'node:util';
import { ask, type Cells, isWaiting, undo } from './cell.ts';
import { toExtension } from './extensions.ts';
import { isJsonObject, type JsonObject } from './json.ts';

/** Attributes of a resource before and after a write. */
export interface WrittenAttributes {
  readonly before: JsonObject;
  readonly after: JsonObject;
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

/** A resource with a write that was refused. */
export interface RefusedResource<Field extends string> {
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

/** Places of the owned fields of users or groups among the attributes; a field of no place is never refused. */
export interface FieldsOfKind<Field extends string> {
  /** Field that stands for the whole: every write of what the service does not know claims it. */
  readonly existence: Field;
  readonly attributes: readonly Field[];
  readonly urn: string;
  /** Fields of the extension `urn`. */
  readonly extension: readonly Field[];
  /** Owned fields whose desired value differs. */
  listChanged(current: JsonObject, next: JsonObject): readonly Field[];
}

/** Copies `current` with the refused fields as they were before, so that what others wrote stays. */
function revertFields<Field extends string>(
  current: JsonObject,
  before: JsonObject,
  fields: readonly Field[],
  { attributes, urn, extension }: Pick<FieldsOfKind<Field>, 'attributes' | 'urn' | 'extension'>,
): JsonObject {
  const next: JsonObject = { ...current };
  for (const field of fields) {
    if (attributes.includes(field)) setOrDelete(next, field, before[field]);
    if (!extension.includes(field)) continue;
    const held = { ...toExtension(next, urn) };
    setOrDelete(held, field, toExtension(before, urn)[field]);
    setOrDelete(next, urn, withoutEmpty(held));
  }
  return next;
}

/** Takes a refused write back (RFC 7644 §3.5.2): its fields, and where it was the last write all that follows from it. */
export function takeBackWrite<Field extends string>(
  { current, cells, written, cellsBefore, fields, isLast, version }: RefusedResource<Field>,
  kind: FieldsOfKind<Field>,
): { attributes: JsonObject; cells: Cells<Field> } {
  const kept = isLast ? withoutWrite(current, written) : current;
  const attributes = revertFields(kept, written.before, fields, kind);
  const others = kind.listChanged(current, attributes).filter((field) => !fields.includes(field));
  const reached = others.filter((field) => !isWaiting(cells[field]));
  // With the resource go the sources of all its values.
  const sourced = fields.includes(kind.existence) ? kind.extension : [];
  const restored = undo(cells, cellsBefore, [...fields, ...others, ...sourced]);
  return { attributes, cells: ask(restored, reached, version) };
}
