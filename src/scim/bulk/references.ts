import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { BODY_DEPTH_MAX } from '../dialect/parse-json.ts';

/** A reference in the place of an id, or at the end of an address. */
const REFERENCE = /^(.*\/)?bulkId:(.+)$/i;
/** Attributes whose values are ids of resources, after the URN of their schema or not. */
const REFERRING = /(?:^|[:.])(?:members|admins|manager)(?:\.value)?$/i;
/** Parts of such a value that hold the id. */
const ID_PARTS = /^(?:value|\$ref)$/i;
/** An id in the filter of a path, quoted or not. */
const IN_FILTER = /(\bvalue\s+(?:eq|ne)\s+)("bulkId:[^"\\]+"|bulkId:[^\s"\])]+)/gi;

/** The id that a bulkId stands for; undefined leaves the reference as it is. */
type Resolve = (bulkId: string) => string | undefined;

/** The bulkId that an id refers to; undefined: the id is none. */
export function findReference(id: string): string | undefined {
  return REFERENCE.exec(id)?.[2];
}

/** The data with ids where it names bulkIds: in attributes whose values are ids, and in the filters of paths of a PATCH. */
export function resolveReferences(data: JsonValue, resolve: Resolve): JsonValue {
  return resolveIn(data, { name: '', isId: false, depth: 0 }, resolve);
}

/** The bulkIds that the data names. */
export function listReferences(data: JsonValue): Set<string> {
  const found = new Set<string>();
  resolveReferences(data, (bulkId) => {
    found.add(bulkId);
    return undefined;
  });
  return found;
}

/** Place of a value: the name that it stands under, and whether it is an id, or holds one. */
interface Place {
  readonly name: string;
  readonly isId: boolean;
  readonly depth: number;
}

function resolveIn(value: JsonValue, place: Place, resolve: Resolve): JsonValue {
  if (typeof value === 'string') return place.isId ? resolveId(value, place, resolve) : value;
  if (typeof value !== 'object' || value === null || place.depth > BODY_DEPTH_MAX) return value;
  const depth = place.depth + 1;
  if (Array.isArray(value)) {
    return value.map((item) => resolveIn(item, { ...place, depth }, resolve));
  }
  const path = typeof value.path === 'string' ? value.path : '';
  const isOfIds = REFERRING.test(path.replace(/\s*\[.*\]\s*/s, '').trim());
  const parts = Object.entries(value).map(([name, part]) => {
    if (part === path && isOfIds) return [name, resolvePath(path, resolve)] as const;
    const isPart = (place.isId || isOfIds) && ID_PARTS.test(name);
    const isId = isPart || REFERRING.test(name);
    return [name, resolveIn(part, { name, isId, depth }, resolve)] as const;
  });
  // Not by assignment: a name of the request may be __proto__.
  return Object.fromEntries(parts);
}

function resolveId(text: string, { name }: Place, resolve: Resolve): string {
  const [, folder = name.toLowerCase() === '$ref' ? '../Users/' : '', bulkId] =
    REFERENCE.exec(text) ?? [];
  const id = bulkId && resolve(bulkId);
  return id === undefined ? text : `${folder}${id}`;
}

function resolvePath(path: string, resolve: Resolve): string {
  return path.replace(IN_FILTER, (whole, test: string, reference: string) => {
    const id = resolve(findReference(reference.replaceAll('"', '')) ?? '');
    return id === undefined ? whole : `${test}${JSON.stringify(id)}`;
  });
}

/** A resource without the attributes whose values are ids, and these by their qualified names. */
export interface SplitData {
  readonly rest: JsonObject;
  readonly referring: JsonObject;
}

/** Takes the attributes whose values are ids out of a user. */
export function splitReferring(user: JsonObject): SplitData {
  const rest: [string, JsonValue][] = [];
  const referring: [string, JsonValue][] = [];
  for (const [name, part] of Object.entries(user)) {
    if (REFERRING.test(name)) referring.push([name, part]);
    else if (name.startsWith('urn:') && isJsonObject(part)) {
      const inner = splitReferring(part);
      rest.push([name, inner.rest]);
      for (const [key, value] of Object.entries(inner.referring)) {
        referring.push([`${name}:${key}`, value]);
      }
    } else rest.push([name, part]);
  }
  return { rest: Object.fromEntries(rest), referring: Object.fromEntries(referring) };
}
