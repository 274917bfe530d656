import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import type { Repairs } from '../repairs.ts';

/** The lists of people a group has. */
export type PeopleList = 'members' | 'admins';

/** Somebody in a list of people. */
export interface MemberRef {
  /** The SCIM id of a user; whether there is one is not known here. */
  readonly value: string;
}

/**
 * The people of a list, each once, in the order sent; null and "" are nobody. Linear in their number.
 * @param list for errors
 * @throws ScimError 400 `invalidValue`: an element without an id, or a group
 */
export function parseMembers(list: PeopleList, value: JsonValue, repairs: Repairs): MemberRef[] {
  const items = toItems(value, repairs);
  const ids = new Set<string>();
  for (const item of items) ids.add(parseId(list, item, repairs));
  if (ids.size < items.length) repairs.count('duplicate-values');
  return [...ids].map((id) => ({ value: id }));
}

function toItems(value: JsonValue, repairs: Repairs): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  if (value === null || value === '') return [];
  repairs.count('value-for-list');
  return [value];
}

function parseId(list: PeopleList, item: JsonValue, repairs: Repairs): string {
  if (!isJsonObject(item)) {
    repairs.count('value-for-object');
    return toId(list, item, repairs);
  }
  const type = findPart(item, 'type');
  if (typeof type === 'string' && type.toLowerCase() === 'group') {
    throw invalidValue(`Groups as ${list} are not supported.`);
  }
  return toId(list, findPart(item, 'value'), repairs);
}

function toId(list: PeopleList, value: JsonValue | undefined, repairs: Repairs): string {
  if (typeof value === 'string' && value !== '') return value;
  if (typeof value === 'number') {
    repairs.count('text-as-other');
    return String(value);
  }
  throw invalidValue(`Each of the ${list} needs a value: the id of a user.`);
}

function findPart(item: JsonObject, name: string): JsonValue | undefined {
  if (Object.hasOwn(item, name)) return item[name];
  const spelt = Object.keys(item).find((key) => key.toLowerCase() === name);
  return spelt === undefined ? undefined : item[spelt];
}
