import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import type { AttributeRule } from '../schema/attribute-table.ts';
import { coerceObject, toObject } from './coerce-object.ts';
import { hasContent, isPrimary, mergeElements, withoutNulls } from './elements.ts';
import { unpackJson } from './unpack-json.ts';

/** Values of one list of a user: e-mails, roles, … People have tens at most. */
export const USER_LIST_MAX = 1_000;

/**
 * A list of objects out of what was sent: one object or text becomes a list, elements that say nothing
 * are left out, equal ones become one, and at most one is primary: the first.
 * @returns null when there is no element; undefined when all that was sent is nothing an element could hold
 * @throws ScimError 400 `invalidValue`: more than `USER_LIST_MAX` values
 */
export function coerceList(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonObject[] | null | undefined {
  const items = toItems(value, repairs);
  if (items.length > USER_LIST_MAX) {
    throw invalidValue(`${rule.name} has more than ${USER_LIST_MAX} values.`);
  }
  const coerced = items.map((item) => coerceElement(rule, item, repairs));
  if (coerced.length > 0 && coerced.every((element) => element === undefined)) return undefined;
  const elements = coerced
    .flatMap((element): JsonObject[] => (element ? [withoutNulls(element)] : []))
    .filter(hasContent);
  const merged = mergeElements(rule, [], elements);
  if (merged.length < elements.length) repairs.count('duplicate-values');
  const single = keepFirstPrimary(merged, repairs);
  return single.length === 0 ? null : single;
}

/**
 * One element of a list; its parts may be null. null: it is to have no value. undefined: nothing the
 * element could hold was sent.
 */
export function coerceElement(
  rule: AttributeRule,
  item: JsonValue,
  repairs: Repairs,
): JsonObject | null | undefined {
  if (item === null || item === '') return null;
  const bare = Array.isArray(item) && item.length === 1 ? (item[0] ?? null) : item;
  const object = toObject(rule, bare, repairs);
  if (!isJsonObject(object)) {
    repairs.count('value-dropped');
    return undefined;
  }
  return coerceObject(rule, unpackJson(rule, object, repairs), repairs);
}

function toItems(value: JsonValue, repairs: Repairs): JsonValue[] {
  if (Array.isArray(value)) return value;
  if (value === null || value === '') return [];
  repairs.count('value-for-list');
  return [value];
}

function keepFirstPrimary(elements: readonly JsonObject[], repairs: Repairs): JsonObject[] {
  const first = elements.findIndex(isPrimary);
  return elements.map((element, index) => {
    if (index <= first || !isPrimary(element)) return element;
    repairs.count('several-primaries');
    return { ...element, primary: false };
  });
}
