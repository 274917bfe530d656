import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { isJsonObject, isStorable } from '../../domain/values.ts';
import { invalidSyntax, invalidValue, ScimError } from '../errors.ts';
import type { Repairs } from '../repairs.ts';
import { UNCOUNTED } from '../repairs.ts';

/** A body as a JSON object, whose parts are looked at one by one (`assertShape`). @throws ScimError 400 */
export function openBody(body: unknown): JsonObject {
  if (isJsonObject(body)) return body;
  throw invalidSyntax('The body is not a JSON object.');
}

/** The value of a member of a message, by its name in any case. @param repairs counts another case; left out: nothing */
export function findPart<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
  repairs: Repairs = UNCOUNTED,
): Value | undefined {
  if (Object.hasOwn(object, name)) return object[name];
  const spelt = Object.keys(object).find((key) => key.toLowerCase() === name.toLowerCase());
  if (spelt === undefined) return undefined;
  repairs.count('name-spelling');
  return object[spelt];
}

/** The value, or the object or list that a text holds as JSON, as some clients write the values of a list. @throws ScimError 400 */
export function unpackText(value: JsonValue, repairs: Repairs): JsonValue {
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value;
  let packed: JsonValue;
  try {
    packed = parseJson(value);
  } catch (error) {
    // It only began like a document.
    if (error instanceof ScimError) return value;
    throw error;
  }
  assertShape(packed);
  repairs.count('json-in-text');
  return packed;
}

/** Makes a list of one value; null and "" are an empty one. */
export function toItems(given: JsonValue, repairs: Repairs): JsonValue[] {
  const value = unpackText(given, repairs);
  if (Array.isArray(value)) return value;
  if (value === null || value === '') return [];
  repairs.count('value-for-list');
  return [value];
}

/** Counts errors of the `schemas` of a body, on which nothing depends. @param known the first one has to be there */
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

const SCHEMAS_MAX = 1_000;

/** Most objects and lists inside each other; the deepest body of a provider needs 7. */
export const BODY_DEPTH_MAX = 20;
const LIST_MAX = 100_000;

/** Stops a value that is nested too deep or has too long a list; its texts are judged where they are read. @throws ScimError 400 */
export function assertShape(value: unknown, depth = 1): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > BODY_DEPTH_MAX) {
    throw invalidSyntax(`The body is nested deeper than ${BODY_DEPTH_MAX} levels.`);
  }
  const parts: unknown[] = Object.values(value);
  if (parts.length > LIST_MAX) throw invalidValue(`A list has more than ${LIST_MAX} values.`);
  for (const part of parts) assertShape(part, depth + 1);
}

/** Stops a text that no store can keep. @throws ScimError 400 `invalidValue` */
export function assertStorable(text: string): void {
  if (isStorable(text)) return;
  throw invalidValue(
    'The body holds a NUL character, half of a surrogate pair, or more than 30 combining marks in a row.',
  );
}

/** A possible number that JavaScript may write in another way: behind a colon, a comma or a bracket. Some texts match too. */
const MAY_BE_ODD = /(?:"\s*:|[[,])\s*(?:-0|-?\d{16}|-?\d+[.eE])/;
/** Longest text with such numbers, which take the parser much longer. */
const ODD_LENGTH_MAX = 1_048_576;

/** Parses JSON. A number that JavaScript would write in another way (`1.10`, too many digits) becomes its own text, so that nothing is lost. @throws ScimError 400 */
export function parseJson(text: string): JsonValue {
  assertQuick(text);
  const isOdd = MAY_BE_ODD.test(text);
  if (isOdd && text.length > ODD_LENGTH_MAX) {
    throw invalidValue('So large a body may have whole numbers of up to 15 digits alone.');
  }
  try {
    return (isOdd ? parse(text, keepOddNumber) : JSON.parse(text)) as JsonValue;
  } catch (error) {
    // A RangeError: odd numbers nested too deep.
    if (!(error instanceof SyntaxError || error instanceof RangeError)) throw error;
    throw invalidSyntax('The body is not JSON.', error);
  }
}

/** `JSON.parse` as Node has it, and TypeScript not yet: with the text of each number. */
const parse: (text: string, revive: typeof keepOddNumber) => unknown = JSON.parse;

function keepOddNumber(_name: string, value: unknown, { source = '' }: { source?: string } = {}) {
  return typeof value === 'number' && String(value) !== source ? source : value;
}

/** Different names in one body: each new one costs the parser as much as many known ones. */
const NAMES_MAX = 5_000;
/** Objects and lists in one body, each of which costs the parser time: a group of 100,000 members fits. */
const PARTS_MAX = 150_000;

const [COLON, QUOTE, OBJECT, LIST] = [...':"{['].map((sign) => sign.charCodeAt(0));

/** @throws ScimError 400 `invalidValue`: more than `NAMES_MAX` different names, or than `PARTS_MAX` objects and lists */
function assertQuick(text: string): void {
  const names = new Set<string>();
  let parts = 0;
  let name = { start: 0, end: 0 };
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OBJECT || code === LIST) parts += 1;
    else if (code === COLON) names.add(text.slice(name.start, name.end));
    else if (code === QUOTE) {
      const end = findClosingQuote(text, at);
      name = { start: at, end };
      at = end === -1 ? text.length : end;
    } else continue;
    if (names.size > NAMES_MAX) {
      throw invalidValue(`The body has more than ${NAMES_MAX} different names of attributes.`);
    }
    if (parts > PARTS_MAX) {
      throw invalidValue(`The body has more than ${PARTS_MAX} objects and lists.`);
    }
  }
}

/** Place of the quote that ends the text which begins at `opening`, or -1: one behind an odd number of backslashes is in it. */
function findClosingQuote(text: string, opening: number): number {
  for (let at = text.indexOf('"', opening + 1); at !== -1; at = text.indexOf('"', at + 1)) {
    let first = at;
    while (text[first - 1] === '\\') first -= 1;
    if ((at - first) % 2 === 0) return at;
  }
  return -1;
}
