import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { at, invalidValue, ScimError } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { type AttributeRule, findRule } from '../schema/attribute-table.ts';
import { assertShort } from './assert-short.ts';
import { hasContent, isPrimary, withoutNulls } from './elements.ts';
import { toItems } from './parse-body.ts';
import { parseJson } from './parse-json.ts';
import { mergeElements } from './value-list.ts';

/**
 * The value in the type of its attribute. null: the attribute is cleared (by null, "" or []).
 * undefined: the attribute can hold nothing of the value, which then counts as not sent.
 * Parts of a complex value may be null as well.
 * @throws ScimError 400 `invalidValue` for a wrong boolean or number, a name or a list too long
 */
export function coerceValue(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonValue | undefined {
  if (rule.multiValued) return coerceList(rule, value, repairs);
  if (rule.type === 'complex') return coerceComplex(rule, value, repairs);
  const coerced = coerceSimple(rule, value, repairs);
  if (coerced === undefined && rule.type !== 'string' && rule.type !== 'reference') {
    throw invalidValue(`The value of ${rule.name} is no ${rule.type}.`);
  }
  assertShort(rule.name, coerced);
  return coerced;
}

function coerceComplex(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonObject | null | undefined {
  const only = unwrapArray(value, repairs);
  if (only !== undefined && isBlank(only, repairs)) return null;
  const object = only === undefined ? undefined : toObject(rule, only, repairs);
  if (!isJsonObject(object)) {
    repairs.count('value-dropped');
    return undefined;
  }
  const coerced = coerceObject(rule, object, repairs);
  // Without its value a reference refers to nothing: Entra clears a manager with {"value": ""}.
  return coerced && coerced.value === null ? null : coerced;
}

/** Most values of one list of a user: e-mails, roles, … Users have tens at most. */
export const USER_LIST_MAX = 1_000;

/**
 * A list of objects out of the value: one object or text becomes a list, empty elements are left out, equal
 * ones become one, and at most one is primary: the first.
 * @returns null when there is no element; undefined when an element can hold nothing of the value
 * @throws ScimError 400 `invalidValue`: more than `USER_LIST_MAX` values
 */
export function coerceList(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonObject[] | null | undefined {
  const items = toItems(value, repairs);
  assertFewValues(rule, items.length);
  const coerced: (JsonObject | null | undefined)[] = [];
  for (const [index, item] of items.entries()) {
    const place = () => `Value ${index + 1} of ${rule.name}`;
    coerced.push(at(place, () => coerceElement(rule, item, repairs)));
  }
  if (coerced.length > 0 && coerced.every((element) => element === undefined)) return undefined;
  const elements = coerced
    .flatMap((element): JsonObject[] => (element ? [withoutNulls(element)] : []))
    .filter((element) => keepsContent(element, repairs));
  const merged = mergeElements(rule, elements);
  if (merged.length < elements.length) repairs.count('duplicate-values');
  const single = keepFirstPrimary(merged, repairs);
  return single.length === 0 ? null : single;
}

/** @throws ScimError 400 `invalidValue`: more than `USER_LIST_MAX` values */
export function assertFewValues({ name }: AttributeRule, count: number): void {
  if (count <= USER_LIST_MAX) return;
  throw invalidValue(`${name} has more than ${USER_LIST_MAX} values.`);
}

/** True when the element says more than its use. */
function keepsContent(element: JsonObject, repairs: Repairs): boolean {
  if (hasContent(element)) return true;
  if (Object.keys(element).length > 0) repairs.count('empty-value-dropped');
  return false;
}

/**
 * One element of a list; its parts may be null. null: it has no value. undefined: an element can hold
 * nothing of the value.
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

function keepFirstPrimary(elements: readonly JsonObject[], repairs: Repairs): JsonObject[] {
  const first = elements.findIndex(isPrimary);
  return elements.map((element, index) => {
    if (index <= first || !isPrimary(element)) return element;
    repairs.count('several-primaries');
    return { ...element, primary: false };
  });
}

/**
 * The parts of an object in the types of their sub-attributes; a part is null where it is cleared. null: the
 * object is empty. undefined: the attribute can hold nothing of the value.
 */
function coerceObject(
  rule: AttributeRule,
  value: JsonObject,
  repairs: Repairs,
): JsonObject | null | undefined {
  const result: JsonObject = {};
  const names = Object.keys(value);
  for (const name of names) {
    const sub = findWritable(rule, name, repairs);
    const typed = sub && coerceSimple(sub, value[name] ?? null, repairs);
    const isAddress = rule.name === 'emails' && sub?.name === 'value';
    // White space around it is no part of an address: it is found and compared without.
    const coerced = isAddress && typeof typed === 'string' ? typed.trim() : typed;
    if (sub?.name === 'value') assertShort(rule.name, coerced);
    if (sub && coerced !== undefined) result[sub.name] = coerced;
  }
  if (Object.keys(result).length > 0) return result;
  return names.length === 0 ? null : undefined;
}

/** Makes an object of a single value: its `value` or, for a name or an address, its `formatted`. */
function toObject(rule: AttributeRule, value: JsonValue, repairs: Repairs): JsonValue {
  if (value === null || typeof value === 'object') return value;
  repairs.count('value-for-object');
  return rule.subAttributes.has('value') ? { value } : { formatted: value };
}

function findWritable(
  { subAttributes }: AttributeRule,
  name: string,
  repairs: Repairs,
): AttributeRule | undefined {
  const sub = findRule(subAttributes, name);
  if (sub?.mutability === 'readOnly') {
    repairs.count('read-only-dropped');
    return undefined;
  }
  if (!sub) repairs.count('unknown-attribute-dropped');
  else if (sub.name !== name) repairs.count('name-case');
  return sub;
}

/**
 * A text, boolean or whole number in the type of its attribute. null: the attribute is cleared.
 * undefined: the attribute can hold nothing of the value.
 */
function coerceSimple(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): string | number | boolean | null | undefined {
  const bare = unwrapObject(unwrapArray(value, repairs), repairs);
  const coerced = bare === undefined ? undefined : toTyped(rule, bare, repairs);
  if (coerced === undefined) repairs.count('value-dropped');
  return coerced;
}

/** True when the value clears its attribute. */
function isBlank(value: JsonValue, repairs: Repairs): value is null | '' {
  if (value === '') repairs.count('blank-as-unassign');
  return value === null || value === '';
}

/** Takes `["X"]` as X and `[]` as null; undefined: several values, of which none can be kept. */
function unwrapArray(value: JsonValue, repairs: Repairs): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  repairs.count('array-around-value');
  return value.length > 1 ? undefined : (value[0] ?? null);
}

function unwrapObject(value: JsonValue | undefined, repairs: Repairs): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  if (!Object.hasOwn(value, 'value')) return undefined;
  repairs.count('object-around-value');
  return value.value;
}

/** @see RFC 7643 §2.3.6, RFC 4648 §4, §5 */
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

function toTyped(rule: AttributeRule, sent: JsonValue, repairs: Repairs) {
  const { type, isUnique } = rule;
  const value = isUnique && typeof sent === 'string' ? sent.trim() : sent;
  if (isBlank(value, repairs)) return null;
  if (type === 'boolean') return toBoolean(value, repairs);
  if (type === 'integer') return toInteger(rule, value, repairs);
  if (type === 'binary' && typeof value === 'string' && !BASE64.test(value)) {
    repairs.count('binary-malformed');
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return undefined;
  repairs.count('text-as-other');
  return String(value);
}

function toBoolean(value: JsonValue, repairs: Repairs): boolean | undefined {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (word !== 'true' && word !== 'false') return undefined;
  repairs.count('boolean-as-text');
  return word === 'true';
}

/** A number as JSON writes it. A number with a fraction or too many digits comes as text (see `parseJson`). */
const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/;
/** A whole number, also as `1.0`. */
const WHOLE = /^\s*-?\d+(?:\.0+)?\s*$/;

/** Numbers of the service are ids and masks, so a rounded one would be wrong. */
function toInteger(
  { name }: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): number | undefined {
  const isText = typeof value === 'string' && NUMBER.test(value);
  if (typeof value !== 'number' && !isText) return undefined;
  const number = Number(value);
  if ((isText && !WHOLE.test(value)) || !Number.isSafeInteger(number) || number < 0) {
    throw invalidValue(`${name} is a whole number from 0 to ${Number.MAX_SAFE_INTEGER}.`);
  }
  if (isText) repairs.count('number-as-text');
  return number;
}

const PACKED: ReadonlySet<string> = new Set(['roles', 'entitlements']);

/**
 * Entra's expressions put a whole role as JSON into `value`; this takes it out again, with the name
 * of the role as its display. Any other text stays as it is.
 */
function unpackJson(rule: AttributeRule, element: JsonObject, repairs: Repairs): JsonObject {
  const text = element.value;
  if (!PACKED.has(rule.name) || typeof text !== 'string' || !text.startsWith('{')) return element;
  const packed = findJson(text);
  if (!isJsonObject(packed) || typeof packed.value !== 'string') return element;
  repairs.count('json-in-text');
  const display = packed.display ?? packed.displayName ?? element.display;
  return { ...element, value: packed.value, ...(display === undefined ? {} : { display }) };
}

/** Value of the JSON document; undefined: the text is none, it only began like one. */
function findJson(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}
