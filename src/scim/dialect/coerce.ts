import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { foldCase, INDEXED_LENGTH_MAX, isIndexable, isJsonObject } from '../../domain/values.ts';
import { invalidValue } from '../errors.ts';
import { toBoolean, toMoment } from '../filter/tree.ts';
import type { Repairs } from '../repairs.ts';
import { attempt } from '../repairs.ts';
import type { AttributeRule } from '../schema/resource-schemas.ts';
import { findRule } from '../schema/resource-schemas.ts';
import { assertStorable, toItems, unpackText } from './parse-json.ts';

/** The value in the type of its attribute. null: the attribute is cleared. undefined: it says nothing that a provider can set. @throws ScimError 400 `invalidValue` */
export function coerceValue(
  rule: AttributeRule,
  given: JsonValue,
  repairs: Repairs,
): JsonValue | undefined {
  const value = unwrapNamed(rule, given, repairs);
  if (rule.multiValued) return coerceList(rule, value, repairs);
  if (rule.type === 'complex') return coerceComplex(rule, value, repairs);
  const coerced = coerceSimple(rule, value, repairs);
  assertShort(rule.name, coerced);
  return coerced;
}

/** Takes `{"title": "X"}` in the place of a title as X. */
export function unwrapNamed(
  { name, subAttributes }: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonValue {
  const [key = '', ...others] = isJsonObject(value) ? Object.keys(value) : [];
  const isName = key.toLowerCase() === name.toLowerCase() && others.length === 0;
  if (!isName || !isJsonObject(value) || findRule(subAttributes, key)) return value;
  repairs.count('value-wrapped');
  return value[key] ?? null;
}

function coerceComplex(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonObject | null | undefined {
  const only = unwrapArray(value, repairs);
  if (only !== undefined && isBlank(only, repairs)) return null;
  const coerced = coerceObject(rule, only, repairs);
  // Without its value a reference refers to nothing: Entra clears a manager with {"value": ""}.
  return coerced && coerced.value === null ? null : coerced;
}

/** Most values of one list of a user: e-mails, roles, … Users have tens at most. */
export const USER_LIST_MAX = 1_000;

/** A list of objects out of a value: equal ones become one, at most the first is primary. null: there is none. @throws ScimError 400 `invalidValue` */
export function coerceList(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): JsonObject[] | null {
  const items = toItems(value, repairs);
  if (items.length > USER_LIST_MAX) {
    throw invalidValue(`${rule.name} has more than ${USER_LIST_MAX} values.`);
  }
  const elements = items
    .flatMap((item, index): JsonObject[] => {
      const place = () => `Value ${index + 1} of ${rule.name}`;
      const element = attempt(repairs, place, (inside) => coerceElement(rule, item, inside));
      return element ? [withoutNulls(element)] : [];
    })
    .filter((element) => {
      if (hasContent(element)) return true;
      if (Object.keys(element).length > 0) repairs.count('empty-value-dropped');
      return false;
    });
  const merged = mergeElements(rule, elements);
  if (merged.length < elements.length) repairs.count('duplicate-values');
  const single = keepFirstPrimary(merged, repairs);
  return single.length === 0 ? null : single;
}

/** One element of a list; its parts may be null. null: it has no value. undefined: it has read-only parts alone. @throws ScimError 400 `invalidValue` */
export function coerceElement(
  rule: AttributeRule,
  item: JsonValue,
  repairs: Repairs,
): JsonObject | null | undefined {
  if (item === null || item === '') return null;
  const bare = Array.isArray(item) && item.length === 1 ? (item[0] ?? null) : item;
  const packed = isJsonObject(bare) ? unpackJson(rule, bare, repairs) : bare;
  return coerceObject(rule, packed, repairs);
}

function keepFirstPrimary(elements: readonly JsonObject[], repairs: Repairs): JsonObject[] {
  const first = elements.findIndex(isPrimary);
  return elements.map((element, index) => {
    if (index <= first || !isPrimary(element)) return element;
    repairs.count('several-primaries');
    return { ...element, primary: false };
  });
}

/** The parts of an object, null where cleared. A single value stands for its `value` or `formatted`. null: it is empty. undefined: all is read-only. @throws ScimError 400 */
function coerceObject(
  rule: AttributeRule,
  given: JsonValue | undefined,
  repairs: Repairs,
): JsonObject | null | undefined {
  const value = toObject(rule, given, repairs);
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
  if (names.some((name) => findRule(rule.subAttributes, name))) return undefined;
  if (names.length === 0) return null;
  throw invalidValue(`The value of ${rule.name} has no part that is known here.`);
}

function toObject(rule: AttributeRule, given: JsonValue | undefined, repairs: Repairs): JsonObject {
  if (rule.type !== 'complex' && !isJsonObject(given)) return { value: given ?? null };
  const value = given === undefined ? null : unpackText(given, repairs);
  if (isJsonObject(value)) return value;
  if (typeof value === 'object') throw invalidValue(`The value of ${rule.name} is not one object.`);
  repairs.count('value-for-object');
  return { [rule.subAttributes.has('value') ? 'value' : 'formatted']: value };
}

function findWritable(
  rule: AttributeRule,
  name: string,
  repairs: Repairs,
): AttributeRule | undefined {
  const sub = findRule(rule.subAttributes, name);
  if (sub?.mutability === 'readOnly') {
    repairs.count('read-only-dropped');
    return undefined;
  }
  if (!sub) repairs.count('unknown-attribute-dropped', `${rule.name}.${name}`);
  else if (sub.name !== name) repairs.count('name-spelling');
  return sub;
}

/** A text, boolean or number in the type of its attribute; null: it is cleared. @throws ScimError 400 `invalidValue` */
function coerceSimple(
  rule: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): string | number | boolean | null {
  const bare = unwrapObject(unwrapArray(value, repairs), repairs);
  const coerced = bare === undefined ? undefined : toTyped(rule, bare, repairs);
  if (typeof coerced === 'string') assertStorable(coerced);
  if (coerced !== undefined) return coerced;
  const isTyped = rule.isNumber || rule.type === 'boolean' || rule.type === 'dateTime';
  const type = isTyped ? `no ${rule.type}` : 'not a text';
  throw invalidValue(`The value of ${rule.name} is ${type}.`);
}

function isBlank(value: JsonValue, repairs: Repairs): value is null | '' {
  if (value === '') repairs.count('blank-as-unassign');
  return value === null || value === '';
}

/** Takes `["X"]` as X and `[]` as null; undefined: several values. */
function unwrapArray(value: JsonValue, repairs: Repairs): JsonValue | undefined {
  if (!Array.isArray(value)) return value;
  repairs.count('value-wrapped');
  return value.length > 1 ? undefined : (value[0] ?? null);
}

function unwrapObject(value: JsonValue | undefined, repairs: Repairs): JsonValue | undefined {
  if (!isJsonObject(value)) return value;
  if (!Object.hasOwn(value, 'value')) return undefined;
  repairs.count('value-wrapped');
  return value.value;
}

/** @see RFC 7643 §2.3.6, RFC 4648 §4, §5 */
const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

function toTyped(rule: AttributeRule, sent: JsonValue, repairs: Repairs) {
  const { type, isUnique } = rule;
  const value = isUnique && typeof sent === 'string' ? sent.trim() : sent;
  if (isBlank(value, repairs)) return null;
  if (type === 'boolean') {
    const flag = toBoolean(value);
    if (flag !== undefined && flag !== value) repairs.count('boolean-as-text');
    return flag;
  }
  if (rule.isNumber) return toNumber(rule, value, repairs);
  if (type === 'dateTime') return isDateTime(value) ? value : undefined;
  if (type === 'binary' && typeof value === 'string' && !BASE64.test(value)) {
    repairs.count('binary-malformed');
  }
  if (typeof value === 'string') return value;
  if (typeof value === 'object') return undefined;
  repairs.count('text-as-other');
  return String(value);
}

/** A number as JSON writes it. A number with a fraction or too many digits comes as text (see `parseJson`). */
const NUMBER = /^\s*-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\s*$/;
const WHOLE = /^\s*-?\d+(?:\.0+)?\s*$/;

/** Whole numbers are often ids and masks, so a rounded one would be wrong. */
function toNumber(
  { name, type, least = Number.MIN_SAFE_INTEGER }: AttributeRule,
  value: JsonValue,
  repairs: Repairs,
): number | undefined {
  const isText = typeof value === 'string' && NUMBER.test(value);
  if (typeof value !== 'number' && !isText) return undefined;
  const number = Number(value);
  if (type === 'decimal') return Number.isFinite(number) ? number : undefined;
  if ((isText && !WHOLE.test(value)) || !Number.isSafeInteger(number) || number < least) {
    throw invalidValue(`${name} is a whole number from ${least} to ${Number.MAX_SAFE_INTEGER}.`);
  }
  if (isText) repairs.count('number-as-text');
  return number;
}

/** @see RFC 7643 §2.3.5; XML Schema, part 2, §3.2.7: the zone may be missing */
const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)?$/;

/** True for a moment on a day of the calendar. */
function isDateTime(value: JsonValue): value is string {
  if (typeof value !== 'string' || !DATE_TIME.test(value)) return false;
  const isDay = new Date(value.slice(0, 10)).getUTCDate() === Number(value.slice(8, 10));
  return isDay && !Number.isNaN(toMoment(value));
}

const PACKED: ReadonlySet<string> = new Set(['roles', 'entitlements']);

/** Takes a whole role out that Entra's expressions put as JSON into `value`, with its name as display. */
function unpackJson(rule: AttributeRule, element: JsonObject, repairs: Repairs): JsonObject {
  const text = element.value;
  if (!PACKED.has(rule.name) || typeof text !== 'string') return element;
  const packed = unpackText(text, repairs);
  if (!isJsonObject(packed) || typeof packed.value !== 'string') return element;
  const display = packed.display ?? packed.displayName ?? element.display;
  return { ...element, value: packed.value, ...(display === undefined ? {} : { display }) };
}

const INDEXED: ReadonlySet<string> = new Set(['userName', 'displayName', 'externalId', 'emails']);

/** Stops names that no index can hold, the same ones on every store. @throws ScimError 400 `invalidValue` */
function assertShort(attribute: string, value: JsonValue | undefined): void {
  if (typeof value !== 'string' || !INDEXED.has(attribute) || isIndexable(value)) return;
  throw invalidValue(`${attribute} is longer than ${INDEXED_LENGTH_MAX} characters.`);
}

/** True when the element is the preferred one of its list. */
export function isPrimary({ primary }: JsonObject): boolean {
  return primary === true;
}

/** True when the element has content beside `type` and `primary`. */
export function hasContent(element: JsonObject): boolean {
  return Object.entries(element).some(
    ([name, value]) => name !== 'type' && name !== 'primary' && value !== null && value !== '',
  );
}

/** The element without its cleared parts. */
export function withoutNulls(element: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(element).filter(([, value]) => value !== null));
}

/** The list with each element once: of those with the same value for the same use, the later ones add their other parts. */
export function mergeElements(rule: AttributeRule, elements: readonly JsonObject[]): JsonObject[] {
  const merged = new Map<string, JsonObject>();
  for (const element of elements) {
    const key = toKey(rule, element);
    merged.set(key, { ...merged.get(key), ...element });
  }
  return [...merged.values()];
}

/** What tells an element from others of its list (`toIdentity`), as one text. */
export function toKey(rule: AttributeRule, element: JsonObject): string {
  return toIdentity(rule, element).join(' ');
}

/** What tells an element from others of its list: its value or, without one (addresses), its parts; and its `type`, else empty. */
export function toIdentity(
  rule: AttributeRule,
  element: JsonObject,
): readonly [content: string, use: string] {
  const { value, type, primary: _, ...parts } = element;
  const use = typeof type === 'string' ? JSON.stringify(toCompared(type)) : '';
  if (typeof value !== 'string') {
    const sorted = Object.entries({ ...parts, value }).sort(([a], [b]) => (a < b ? -1 : 1));
    return [JSON.stringify(sorted), use];
  }
  const isFolded = rule.subAttributes.get('value')?.caseExact === false;
  return [JSON.stringify(isFolded ? toCompared(value) : value), use];
}

/** Characters of a longer text are compared as they are: no provider has one in another case. */
const FOLDED_LENGTH_MAX = 10_000;

function toCompared(text: string): string {
  return text.length > FOLDED_LENGTH_MAX ? text : foldCase(text);
}
