import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { isStorable } from '../../domain/text.ts';
import { invalidSyntax, invalidValue, ScimError } from '../errors.ts';
import { type Repairs, UNCOUNTED } from '../repairs.ts';
import { assertQuick, parseJson } from './parse-json.ts';

/**
 * A body as a JSON object. Its parts are looked at one by one (`assertAcceptable`).
 * @throws ScimError 400 `invalidSyntax`; `invalidValue`: too many attributes
 */
export function openBody(body: unknown): JsonObject {
  if (!isJsonObject(body)) throw invalidSyntax('The body is not a JSON object.');
  look(body, 1, []);
  return body;
}

/**
 * The value of a member of a message, by its name in any case: providers differ in it.
 * @param repairs counts a name in another case; left out, it counts nothing
 */
export function findPart<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
  repairs: Repairs = UNCOUNTED,
): Value | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const spelt = Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase());
  if (spelt === undefined) return undefined;
  repairs.count('name-case');
  return object[spelt];
}

/**
 * The value, or the object or list that a text holds as JSON: some clients write the values of a list so.
 * @throws ScimError 400 `invalidValue`: see `assertAcceptable`
 */
export function unpackText(value: JsonValue, repairs: Repairs): JsonValue {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  const packed = findJson(value);
  if (packed === undefined) return value;
  assertAcceptable(packed);
  repairs.count('json-in-text');
  return packed;
}

/** Value of the JSON document; undefined: the text is none, it only began like one. */
function findJson(text: string): JsonValue | undefined {
  try {
    assertQuick(text);
    return parseJson(text);
  } catch (error) {
    if (error instanceof ScimError) return undefined;
    throw error;
  }
}

/** Makes a list of one value; null and "" are an empty one. */
export function toItems(given: JsonValue, repairs: Repairs): JsonValue[] {
  const value = unpackText(given, repairs);
  if (Array.isArray(value)) return value;
  if (value === null || value === '') return [];
  repairs.count('value-for-list');
  return [value];
}

/**
 * Counts errors of the `schemas` of a body. Nothing depends on it, because providers send it wrong or not at all.
 * @param known the first one has to be there, in this spelling as the others
 */
export function countSchemas(
  { schemas }: JsonObject,
  known: readonly string[],
  repairs: Repairs,
): void {
  const urns = Array.isArray(schemas) ? schemas.slice(0, SCHEMAS_MAX) : [];
  const strange = urns.filter((urn) => typeof urn !== 'string' || !known.includes(urn));
  for (const _ of strange) repairs.count('schemas-unknown');
  const isNamed = known[0] !== undefined && urns.includes(known[0]);
  if (!isNamed && strange.length === 0) repairs.count('schemas-missing');
}

/** Most schemas of a body that are looked at. */
const SCHEMAS_MAX = 1_000;

/** Limits of the structure of a body. Its size in bytes is limited where it is read. */
const BODY_LIMITS = {
  /** Objects and lists inside each other; the deepest body of a provider needs 7. */
  depthMax: 20,
  /** Values of one list: members, operations. */
  listMax: 100_000,
  /** Attributes of one object; the widest of a provider has some dozens. */
  namesMax: 1_000,
} as const;

/**
 * Stops a body with content that no store can keep, also in parts that will be dropped.
 * @throws ScimError 400 `invalidValue`: a text that is not `isStorable`, a list too long, an object too wide; `invalidSyntax`: nested too deep
 */
export function assertAcceptable(body: unknown): void {
  let level: unknown[] = [body];
  for (let depth = 1; level.length > 0; depth += 1) {
    const inside: unknown[] = [];
    for (const value of level) look(value, depth, inside);
    level = inside;
  }
}

const UNSTORABLE =
  'The body holds a NUL character, half of a surrogate pair, or more than 30 combining marks in a row.';

/** Adds the names and parts of the value to `inside`. */
function look(value: unknown, depth: number, inside: unknown[]): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw invalidValue(UNSTORABLE);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (depth > BODY_LIMITS.depthMax) {
    throw invalidSyntax(`The body is nested deeper than ${BODY_LIMITS.depthMax} levels.`);
  }
  const isList = Array.isArray(value);
  const parts: unknown[] = isList ? value : Object.values(value);
  if (isList && parts.length > BODY_LIMITS.listMax) {
    throw invalidValue(`A list has more than ${BODY_LIMITS.listMax} values.`);
  }
  if (!isList) {
    if (parts.length > BODY_LIMITS.namesMax) {
      throw invalidValue(`An object has more than ${BODY_LIMITS.namesMax} attributes.`);
    }
    for (const name of Object.keys(value)) inside.push(name);
  }
  for (const part of parts) inside.push(part);
}
