import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { findPart } from '../dialect/parse-json.ts';
import { ScimError } from '../errors.ts';
import { type Token, toTokens } from '../filter/reader.ts';
import type { BulkAction, BulkOperation } from './bulk-operation.ts';

/** A reference in the place of an id: the whole text. */
const WHOLE = /^bulkId:(.+)$/i;
/** A reference at the end of an address. */
const IN_ADDRESS = /^(.*\/)?bulkId:([^/]+)$/i;
/** Operators of a filter that compare with a whole id. */
const COMPARED: ReadonlySet<string> = new Set(['eq', 'ne']);
/** Attributes whose values are ids of resources, after the URN of their schema or not. */
const REFERRING = /(?:^|[:.])(?:members|admins|manager)(?:\.value)?$/i;
/** Parts of such a value that hold the id. */
const ID_PARTS = /^(?:value|\$ref|members|admins|manager)$/i;

/** The id that a bulkId stands for; undefined leaves the reference as it is. */
type Resolve = (bulkId: string) => string | undefined;

/**
 * The bulkIds that an action names: in its path, and in the attributes whose values are ids. Any other text may begin
 * as a reference does.
 */
export function listReferences(action: BulkAction): Set<string> {
  const found = new Set<string>();
  resolveReferences(action, (bulkId) => {
    found.add(bulkId);
    return undefined;
  });
  return found;
}

/** The action with ids where it named bulkIds. */
export function resolveReferences(action: BulkAction, resolve: Resolve): BulkAction {
  if (action.method === 'POST') return { ...action, data: resolveIn(action.data, resolve) };
  const id = resolveText(action.id, resolve);
  if (action.method === 'DELETE') return { ...action, id };
  const toData = action.method === 'PUT' ? resolveIn : resolvePatch;
  return { ...action, id, data: toData(action.data, resolve) };
}

/** True when the id is still a reference. */
export function isReference(id: string): boolean {
  return findName(id) !== undefined;
}

function findName(id: string): string | undefined {
  return WHOLE.exec(id)?.[1];
}

/** The bulkId of the new resource that an operation changes or deletes; undefined: it does neither. */
export function findTargetName(operation: BulkOperation): string | undefined {
  if (operation.kind === 'malformed' || operation.action.method === 'POST') return undefined;
  return findName(operation.action.id);
}

/** A resource without the attributes whose values are ids, and these by their qualified names. */
interface SplitReferences {
  readonly rest: JsonValue;
  readonly referring: JsonObject;
}

/** Takes the attributes whose values are ids out of a user. */
export function splitReferences(data: JsonValue): SplitReferences {
  const referring: [string, JsonValue][] = [];
  const split = (value: JsonValue, schema: string): JsonValue =>
    mapParts(value, (name, part) => {
      if (schema === '' && name.startsWith('urn:') && isJsonObject(part)) {
        return split(part, `${name}:`);
      }
      if (!REFERRING.test(name)) return part;
      referring.push([`${schema}${name}`, part]);
      return undefined;
    });
  const rest = split(data, '');
  return { rest, referring: Object.fromEntries(referring) };
}

/** Resolves the ids inside the attributes whose values are ids. */
function resolveIn(data: JsonValue, resolve: Resolve): JsonValue {
  return mapParts(data, (name, value) => {
    if (REFERRING.test(name)) return resolveIds(value, resolve);
    return name.startsWith('urn:') ? resolveIn(value, resolve) : value;
  });
}

/** Resolves an id, a list of ids, or what holds the id of an object. */
function resolveIds(value: JsonValue, resolve: Resolve): JsonValue {
  if (typeof value === 'string') return resolveText(value, resolve);
  if (Array.isArray(value)) return value.map((item) => resolveIds(item, resolve));
  return mapParts(value, (name, part) => {
    if (name.toLowerCase() === '$ref' && typeof part === 'string') {
      return resolveAddress(part, resolve);
    }
    return ID_PARTS.test(name) ? resolveIds(part, resolve) : part;
  });
}

/** Maps the parts of an object, or leaves one out; any other value stays as it is. */
function mapParts(
  value: JsonValue,
  map: (name: string, value: JsonValue) => JsonValue | undefined,
): JsonValue {
  if (!isJsonObject(value)) return value;
  const parts: [string, JsonValue][] = [];
  for (const [name, part] of Object.entries(value)) {
    const mapped = map(name, part);
    if (mapped !== undefined) parts.push([name, mapped]);
  }
  // Not by assignment: a key of the request may be __proto__.
  return Object.fromEntries(parts);
}

function resolvePatch(data: JsonValue, resolve: Resolve): JsonValue {
  return mapParts(data, (name, part) => {
    if (name.toLowerCase() !== 'operations') return part;
    if (!Array.isArray(part)) return resolveOperation(part, resolve);
    return part.map((operation) => resolveOperation(operation, resolve));
  });
}

function resolveOperation(operation: JsonValue, resolve: Resolve): JsonValue {
  const path = isJsonObject(operation) ? findPart(operation, 'path') : undefined;
  const isOfIds = typeof path === 'string' && REFERRING.test(withoutFilter(path));
  return mapParts(operation, (name, part) => {
    if (name.toLowerCase() === 'value') {
      return isOfIds ? resolveIds(part, resolve) : resolveIn(part, resolve);
    }
    return isOfIds && part === path ? resolvePath(path, resolve) : part;
  });
}

/** Resolves the ids that the filter of a path compares `value` with; other texts may begin as a reference does. */
function resolvePath(path: string, resolve: Resolve): string {
  const opening = path.indexOf('[') + 1;
  const closing = path.lastIndexOf(']');
  if (opening === 0 || closing < opening) return path;
  const filter = path.slice(opening, closing);
  return `${path.slice(0, opening)}${resolveFilter(filter, resolve)}${path.slice(closing)}`;
}

function resolveFilter(filter: string, resolve: Resolve): string {
  const tokens = tryTokens(filter);
  let resolved = '';
  let copied = 0;
  for (const [index, { text, at }] of tokens.entries()) {
    const [name, op, next] = [tokens[index - 2], tokens[index - 1], tokens[index + 1]];
    const isId = name?.text.toLowerCase() === 'value' && COMPARED.has(op?.text.toLowerCase() ?? '');
    const id = isId ? resolveText(text, resolve) : text;
    if (id === text) continue;
    const raw = filter.slice(at, next?.at).trimEnd();
    resolved += `${filter.slice(copied, at)}${JSON.stringify(id)}`;
    copied = at + raw.length;
  }
  return resolved + filter.slice(copied);
}

/** The tokens of a filter; none of one that is malformed, which is refused where it is read. */
function tryTokens(filter: string): Token[] {
  try {
    return toTokens(filter);
  } catch (error) {
    if (error instanceof ScimError) return [];
    throw error;
  }
}

/** Name of the attribute of a path, well-formed or not. */
function withoutFilter(path: string): string {
  const opening = path.indexOf('[');
  if (opening === -1) return path.trim();
  const after = path.slice(path.lastIndexOf(']') + 1).trim();
  return `${path.slice(0, opening).trim()}${after}`;
}

/** The id, or the one that it refers to. */
export function resolveText(text: string, resolve: Resolve): string {
  const bulkId = findName(text);
  return bulkId === undefined ? text : (resolve(bulkId) ?? text);
}

/** Resolves `bulkId:x`, and the last part of `../Users/bulkId:x`. */
function resolveAddress(address: string, resolve: Resolve): string {
  const [, folder = '../Users/', bulkId] = IN_ADDRESS.exec(address) ?? [];
  const id = bulkId === undefined ? undefined : resolve(bulkId);
  return id === undefined ? address : `${folder}${id}`;
}
