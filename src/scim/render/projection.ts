import { createFolds } from '../../domain/fold.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { findClosingBracket, splitPath } from '../dialect/parse-path.ts';
import { badRequest, invalidValue } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import { parseElementFilter } from '../filter/parse-filter.ts';
import { countComparisons, type Filter } from '../filter/tree.ts';
import { listRules } from '../schema/attribute-table.ts';
import { findAttribute, findTable, type ResourceSchema } from '../schema/resource-schemas.ts';

/** Attributes of an answer: those of `only`, when it is there, without those of `except`. */
export interface Projection {
  readonly only: Names | undefined;
  readonly except: Names;
}

/** Property names of a schema, each with the parts of its value that are meant. */
type Names = ReadonlyMap<string, readonly Choice[]>;

/** Values, or parts of values, that a name means. */
export interface Choice {
  /** Filter of the elements of a list; undefined: all of them. */
  readonly where: Filter | undefined;
  /** Parts of each; undefined: the whole. */
  readonly parts: Names | undefined;
}

/** The parameters of a request that choose attributes; a query has texts, a search body has lists. */
interface ProjectionQuery {
  readonly attributes?: unknown;
  readonly excludedAttributes?: unknown;
}

/** Projection of all attributes. */
export const EVERYTHING: Projection = { only: undefined, except: new Map() };

/** Most names in a parameter: several times the number of attributes. */
const NAMES_MAX = 1_000;
/** Most characters of a parameter. */
const LENGTH_MAX = 100_000;
/** Most comparisons in the filters of a parameter, because each value of a list is compared with all. */
const COMPARISONS_MAX = 20;

/** Attributes that are `returned: always` (RFC 7643 §2.2). */
const ALWAYS: ReadonlySet<string> = new Set(['schemas', 'id']);

/**
 * Reads `attributes` and `excludedAttributes`. Names are compared without case, may be qualified by a
 * URN or be the URN of a schema, and may choose the values of a list by a filter; unknown ones are ignored, because
 * they are in no answer.
 * @throws ScimError 400 `invalidValue`: neither text nor list of texts, or too much of them; `invalidFilter`,
 * `invalidPath`: a filter that cannot be used, or compares too much
 * @see RFC 7644 §3.9
 */
export function parseProjection(query: ProjectionQuery, schema: ResourceSchema): Projection {
  const { attributes, excludedAttributes } = query;
  if (attributes === undefined && excludedAttributes === undefined) return EVERYTHING;
  const only = parseNames(attributes, 'attributes');
  return {
    only: only.length > 0 ? toNames(only, schema) : undefined,
    except: toNames(parseNames(excludedAttributes, 'excludedAttributes'), schema),
  };
}

/** True when the request wants all attributes, so that stored text can be sent as it is. */
export function isPlain({ only, except }: Projection): boolean {
  return only === undefined && except.size === 0;
}

/** True when any part of a top-level attribute is in the answer, so that it must be loaded. */
export function isIncluded({ only, except }: Projection, name: string): boolean {
  if (ALWAYS.has(name)) return true;
  return (only === undefined || only.has(name)) && !except.get(name)?.some(isWhole);
}

/** True when all values of a top-level attribute are in the answer as they are. */
export function isWholly({ only, except }: Projection, name: string): boolean {
  return (only === undefined || only.get(name)?.some(isWhole) === true) && !except.has(name);
}

/** Choices of the values of an attribute that `attributes` names; undefined: all its values are meant. */
export function findChoices({ only }: Projection, name: string): readonly Choice[] | undefined {
  return only?.get(name);
}

/** The resource with the attributes that were asked for; `id` and `schemas` stay in any case. */
export function project(resource: JsonObject, projection: Projection): JsonObject {
  const { only, except } = projection;
  const chosen = only ? keep(resource, only) : resource;
  const left = except.size > 0 ? leaveOut(chosen, except) : chosen;
  if (left === resource) return resource;
  const always = Object.entries(resource).filter(([name]) => ALWAYS.has(name));
  return { ...Object.fromEntries(always), ...left };
}

function isWhole({ where, parts }: Choice): boolean {
  return where === undefined && parts === undefined;
}

function parseNames(value: unknown, parameter: string): string[] {
  if (value === undefined || value === null) return [];
  const texts: unknown[] = Array.isArray(value) ? value : [value];
  const names: string[] = [];
  let length = 0;
  for (const text of texts) {
    if (typeof text !== 'string') throw invalidValue(`${parameter} is not a list of names.`);
    length += text.length + 1;
    if (length > LENGTH_MAX) {
      throw invalidValue(`${parameter} has more than ${LENGTH_MAX} characters.`);
    }
    names.push(...cut(text).flatMap((name) => name.trim() || []));
    if (names.length > NAMES_MAX) {
      throw invalidValue(`${parameter} has more than ${NAMES_MAX} names.`);
    }
  }
  return names;
}

/** Cuts a list at its commas, but not at those inside the filter of a name. Looks at each character once. */
function cut(list: string): string[] {
  if (!list.includes('[')) return list.split(',');
  const names: string[] = [];
  let start = 0;
  while (start < list.length) {
    const end = findEnd(list, start);
    names.push(list.slice(start, end));
    start = end + 1;
  }
  return names;
}

/** Place of the comma behind the name that starts here, or the end of the list. */
function findEnd(list: string, start: number): number {
  let at = start;
  while (at < list.length && list[at] !== ',') {
    const closing = list[at] === '[' ? findClosingBracket(list, at) : at;
    if (closing === -1) return list.length;
    at = closing + 1;
  }
  return at;
}

/** Names while they are read. */
type NameTree = Map<string, Choice[]>;

function toNames(names: readonly string[], schema: ResourceSchema): Names {
  const tree: NameTree = new Map();
  let comparisons = 0;
  for (const name of names) {
    const table = findTable(schema, name);
    if (table === schema.core) {
      for (const attribute of listRules(table.attributes)) addKeys(tree, [attribute.name]);
    } else if (table) {
      addKeys(tree, [table.urn]);
    } else {
      comparisons += addName(tree, name, schema);
    }
  }
  if (comparisons <= COMPARISONS_MAX) return tree;
  const detail = `The filters of attributes compare with more than ${COMPARISONS_MAX} values.`;
  throw badRequest('invalidFilter', detail);
}

/** Adds the attribute of a name, if there is one. @returns the comparisons of its filter */
function addName(tree: NameTree, name: string, schema: ResourceSchema): number {
  const { name: plain, filter } = splitPath(name);
  const path = findAttribute(schema, plain);
  if (!path) return 0;
  const { extension, attribute, sub, keys } = path;
  if (filter === undefined || !attribute.multiValued) {
    addKeys(tree, keys);
    return 0;
  }
  const where = parseElementFilter(filter, attribute);
  const parts: NameTree | undefined = sub && new Map([[sub.name, [WHOLE]]]);
  const container = extension === undefined ? tree : enter(tree, extension);
  if (container) listChoices(container, attribute.name).push({ where, parts });
  return countComparisons(where);
}

/** Choice of everything. */
export const WHOLE: Choice = { where: undefined, parts: undefined };

function addKeys(tree: NameTree, [key, ...rest]: readonly string[]): void {
  if (key === undefined) return;
  if (rest.length === 0) listChoices(tree, key).push(WHOLE);
  else {
    const inner = enter(tree, key);
    if (inner) addKeys(inner, rest);
  }
}

/** Names below a name; undefined: all of it is meant already. */
function enter(tree: NameTree, key: string): NameTree | undefined {
  const choices = listChoices(tree, key);
  if (choices.some(isWhole)) return undefined;
  const held = choices.find(({ where }) => where === undefined)?.parts;
  if (held instanceof Map) return held;
  const inner: NameTree = new Map();
  choices.push({ where: undefined, parts: inner });
  return inner;
}

function listChoices(tree: NameTree, key: string): Choice[] {
  const held = tree.get(key);
  if (held) return held;
  const choices: Choice[] = [];
  tree.set(key, choices);
  return choices;
}

function keep(value: JsonObject, names: Names): JsonObject {
  return mapParts(value, (name, part) => {
    const choices = names.get(name);
    if (choices === undefined || choices.some(isWhole)) return choices && part;
    return findContent(mapObjects(part, (object) => keepChosen(object, choices)));
  });
}

function keepChosen(object: JsonObject, choices: readonly Choice[]): JsonObject | undefined {
  const names = findNames(object, choices);
  return names === 'all' ? object : names && keep(object, names);
}

/** Parts of the object that the choices mean; undefined: none of them means the object. */
function findNames(object: JsonObject, choices: readonly Choice[]): Names | 'all' | undefined {
  // Each text of it is compared with all filters.
  const fold = createFolds();
  const fitting = choices.filter(
    ({ where }) => where === undefined || matches(where, object, fold),
  );
  if (fitting.some(({ parts }) => parts === undefined)) return 'all';
  if (fitting.length <= 1) return fitting[0]?.parts;
  return new Map(fitting.flatMap(({ parts }) => [...(parts ?? [])]));
}

/** Value without items and objects that have none of the wanted parts; undefined: nothing is left. */
function findContent(value: JsonValue | undefined): JsonValue | undefined {
  if (Array.isArray(value)) {
    const items = value.filter((item) => findContent(item) !== undefined);
    return items.length === 0 ? undefined : items;
  }
  return isJsonObject(value) && Object.keys(value).length === 0 ? undefined : value;
}

function leaveOut(value: JsonObject, names: Names): JsonObject {
  return mapParts(value, (name, part) => {
    const choices = names.get(name);
    if (choices === undefined) return part;
    if (choices.some(isWhole)) return undefined;
    return mapObjects(part, (object) => leaveOutChosen(object, choices));
  });
}

function leaveOutChosen(object: JsonObject, choices: readonly Choice[]): JsonObject | undefined {
  const names = findNames(object, choices);
  if (names === 'all') return undefined;
  return names === undefined ? object : leaveOut(object, names);
}

function mapParts(
  value: JsonObject,
  toPart: (name: string, part: JsonValue) => JsonValue | undefined,
): JsonObject {
  const result: JsonObject = {};
  for (const [name, part] of Object.entries(value)) {
    const mapped = toPart(name, part);
    if (mapped !== undefined) result[name] = mapped;
  }
  return result;
}

/** Maps an object or the objects of a list; undefined leaves one out. */
function mapObjects(
  value: JsonValue,
  map: (object: JsonObject) => JsonObject | undefined,
): JsonValue | undefined {
  if (!Array.isArray(value)) return isJsonObject(value) ? map(value) : value;
  const items = value.map((item) => mapObjects(item, map)).filter((item) => item !== undefined);
  return items.length === 0 && value.length > 0 ? undefined : items;
}
