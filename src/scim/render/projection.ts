import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { isJsonObject } from '../../domain/values.ts';
import { invalidValue } from '../errors.ts';
import type { QueryParameters } from '../http/address.ts';
import type { ResourceSchema } from '../schema/resource-schemas.ts';
import { findAttribute, findTable } from '../schema/resource-schemas.ts';

/** Attributes of an answer: those of `only`, when it is there, without those of `except`. */
export interface Projection {
  readonly only: Names | undefined;
  readonly except: Names;
}

/** Property names of a schema, each with the parts of its value that are meant, or all of it. */
type Names = ReadonlyMap<string, Names | 'whole'>;

/** Projection of all attributes. */
export const EVERYTHING: Projection = { only: undefined, except: new Map() };

const NAMES_MAX = 1_000;
const LENGTH_MAX = 100_000;

/** Attributes that are `returned: always` (RFC 7643 §2.2). */
const ALWAYS: ReadonlySet<string> = new Set(['schemas', 'id']);

/** Reads `attributes` and `excludedAttributes`: names in any case, qualified or a URN; unknown ones are ignored. @throws ScimError 400 @see RFC 7644 §3.9 */
export function parseProjection(query: QueryParameters, schema: ResourceSchema): Projection {
  const { attributes, excludedAttributes } = query;
  if (attributes === undefined && excludedAttributes === undefined) return EVERYTHING;
  const only = parseNames(attributes, 'attributes');
  return {
    only: only.length > 0 ? toNames(only, schema) : undefined,
    except: toNames(parseNames(excludedAttributes, 'excludedAttributes'), schema),
  };
}

/** True when any part of a top-level attribute is in the answer, so that it must be loaded. */
export function isIncluded({ only, except }: Projection, name: string): boolean {
  if (ALWAYS.has(name)) return true;
  return (only === undefined || only.has(name)) && except.get(name) !== 'whole';
}

/** True when all values of a top-level attribute are in the answer as they are. */
export function isWholly({ only, except }: Projection, name: string): boolean {
  return (only === undefined || only.get(name) === 'whole') && !except.has(name);
}

/** The resource with the attributes that were asked for; `id` and `schemas` stay in any case. */
export function project(resource: JsonObject, projection: Projection): JsonObject {
  const { only, except } = projection;
  const chosen = only ? select(resource, only, 'named') : resource;
  const left = except.size > 0 ? select(chosen, except, 'others') : chosen;
  if (left === resource) return resource;
  const always = Object.entries(resource).filter(([name]) => ALWAYS.has(name));
  return { ...Object.fromEntries(always), ...left };
}

function parseNames(value: unknown, parameter: string): string[] {
  const texts: unknown[] = Array.isArray(value) ? value : [value ?? ''];
  if (!texts.every((text) => typeof text === 'string')) {
    throw invalidValue(`${parameter} is not a list of names.`);
  }
  const text = texts.join();
  if (text.length >= LENGTH_MAX) {
    throw invalidValue(`${parameter} has more than ${LENGTH_MAX} characters.`);
  }
  const names = text.split(',').flatMap((name) => name.trim() || []);
  if (names.length > NAMES_MAX)
    throw invalidValue(`${parameter} has more than ${NAMES_MAX} names.`);
  return names;
}

type NameTree = Map<string, NameTree | 'whole'>;

function toNames(names: readonly string[], schema: ResourceSchema): Names {
  const tree: NameTree = new Map();
  for (const name of names) {
    const table = findTable(schema, name);
    if (table === schema.core) {
      for (const attribute of table.attributes.values()) tree.set(attribute.name, 'whole');
    } else addKeys(tree, table ? [table.urn] : (findAttribute(schema, name)?.keys ?? []));
  }
  return tree;
}

function addKeys(tree: NameTree, [key, ...rest]: readonly string[]): void {
  const known = key === undefined ? 'whole' : tree.get(key);
  if (key === undefined || known === 'whole') return;
  const inner: NameTree | 'whole' = rest.length === 0 ? 'whole' : (known ?? new Map());
  tree.set(key, inner);
  if (inner !== 'whole') addKeys(inner, rest);
}

/** The parts of an object that are named, or all others. */
function select(value: JsonObject, names: Names, which: 'named' | 'others'): JsonObject {
  const result: JsonObject = {};
  for (const [name, part] of Object.entries(value)) {
    const parts = names.get(name) ?? 'none';
    if (parts === 'whole' || parts === 'none') {
      if ((parts === 'whole') === (which === 'named')) result[name] = part;
      continue;
    }
    const inner = mapObjects(part, (object) => select(object, parts, which));
    const left = which === 'named' ? findContent(inner) : inner;
    if (left !== undefined) result[name] = left;
  }
  return result;
}

/** Value without items and objects that have none of the wanted parts; undefined: nothing is left. */
function findContent(value: JsonValue): JsonValue | undefined {
  if (!Array.isArray(value)) {
    return isJsonObject(value) && Object.keys(value).length === 0 ? undefined : value;
  }
  const items = value.filter((item) => findContent(item) !== undefined);
  return items.length === 0 ? undefined : items;
}

function mapObjects(value: JsonValue, map: (object: JsonObject) => JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => mapObjects(item, map));
  return isJsonObject(value) ? map(value) : value;
}
