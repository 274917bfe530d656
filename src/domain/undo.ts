import { isDeepStrictEqual } from 'node:util';
import { isJsonObject, type JsonObject } from './json.ts';

/** Attributes of a resource before and after a write. */
export interface WrittenAttributes {
  readonly before: JsonObject;
  readonly after: JsonObject;
}

/** Takes a write out of `current`: each attribute that still is as it was written becomes what it was before. */
export function withoutWrite(
  current: JsonObject,
  { before, after }: WrittenAttributes,
): JsonObject {
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
