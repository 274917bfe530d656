import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { findPart } from '../dialect/parse-body.ts';
import { ScimError } from '../errors.ts';
import { type Token, toTokens } from '../filter/tokens.ts';
import {
  findAttribute,
  findTable,
  groupSchema,
  type ResourceSchema,
  userSchema,
} from '../schema/resource-schemas.ts';
import type { BulkAction, BulkOperation } from './bulk-operation.ts';

/** A reference in the place of an id: the whole text. */
const WHOLE = /^bulkId:(.+)$/i;
/** A reference at the end of an address. */
const IN_ADDRESS = /^(.*\/)?bulkId:([^/]+)$/i;
/** Operators of a filter that compare with a whole id. */
const COMPARED: ReadonlySet<string> = new Set(['eq', 'ne']);
/** Attributes whose values are ids of resources. */
const REFERRING: ReadonlySet<string> = new Set(['members', 'admins', 'manager']);

/** The id that a bulkId stands for; undefined leaves the reference as it is. */
type Resolve = (bulkId: string) => string | undefined;

/** Schema of the resource that is written, and what bulkIds stand for. */
interface Context {
  readonly schema: ResourceSchema;
  readonly resolve: Resolve;
}

/**
 * The bulkIds that an action names: in its path, and in the attributes whose values are ids. Any other text may begin
 * as a reference does.
 */
export function listReferences(action: BulkAction, type: 'User' | 'Group'): Set<string> {
  const found = new Set<string>();
  resolveReferences(action, type, (bulkId) => {
    found.add(bulkId);
    return undefined;
  });
  return found;
}

/** The action with ids where it named bulkIds. */
export function resolveReferences(
  action: BulkAction,
  type: 'User' | 'Group',
  resolve: Resolve,
): BulkAction {
  const context = { schema: type === 'User' ? userSchema : groupSchema, resolve };
  if (action.method === 'POST') {
    return { ...action, data: resolveResource(action.data, context) };
  }
  const id = resolveText(action.id, resolve);
  switch (action.method) {
    case 'DELETE':
      return { ...action, id };
    case 'PUT':
      return { ...action, id, data: resolveResource(action.data, context) };
    default:
      return { ...action, id, data: resolvePatch(action.data, context) };
  }
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
  const rest = mapAttributes(data, userSchema, (name, value) => {
    referring.push([name, value]);
    return undefined;
  });
  return { rest, referring: Object.fromEntries(referring) };
}

function resolveResource(data: JsonValue, { schema, resolve }: Context): JsonValue {
  return mapAttributes(data, schema, (_, value) => resolveIds(value, resolve));
}

/** Maps the value of a named attribute; undefined leaves it out. */
type MapValue = (name: string, value: JsonValue) => JsonValue | undefined;

/**
 * Maps the attributes whose values are ids.
 * @param map is told the name of the attribute, after its URN if it is inside an extension
 */
function mapAttributes(data: JsonValue, schema: ResourceSchema, map: MapValue): JsonValue {
  return mapParts(data, (name, value) => {
    const table = findTable(schema, name);
    if (!table) return isReferring(schema, name) ? map(name, value) : value;
    return mapParts(value, (part, held) => {
      const qualified = `${table.urn}:${part}`;
      return isReferring(schema, qualified) ? map(qualified, held) : held;
    });
  });
}

/** Maps the parts of an object; any other value stays as it is. */
function mapParts(value: JsonValue, map: MapValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const parts: [string, JsonValue][] = [];
  for (const [name, part] of Object.entries(value)) {
    const mapped = map(name, part);
    if (mapped !== undefined) parts.push([name, mapped]);
  }
  // Not by assignment: a key of the request may be __proto__.
  return Object.fromEntries(parts);
}

function mapItems(list: readonly JsonValue[], map: (item: JsonValue) => JsonValue): JsonValue[] {
  const items: JsonValue[] = [];
  for (const item of list) items.push(map(item));
  return items;
}

function isReferring(schema: ResourceSchema, name: string): boolean {
  const path = findAttribute(schema, name);
  if (!path || !REFERRING.has(path.attribute.name)) return false;
  return path.sub === undefined || path.sub.name === 'value';
}

function resolvePatch(data: JsonValue, context: Context): JsonValue {
  if (!isJsonObject(data)) return data;
  const operations = findPart(data, 'Operations');
  return mapParts(data, (_, part) => {
    if (part !== operations) return part;
    if (!Array.isArray(part)) return resolveOperation(part, context);
    return mapItems(part, (operation) => resolveOperation(operation, context));
  });
}

function resolveOperation(operation: JsonValue, context: Context): JsonValue {
  if (!isJsonObject(operation)) return operation;
  const path = findPart(operation, 'path');
  const value = findPart(operation, 'value');
  return mapParts(operation, (name, part) => {
    if (name.toLowerCase() === 'path') return resolvePath(part, context);
    const isValue = name.toLowerCase() === 'value' && part === value;
    return isValue ? resolveValueAt(path, part, context) : part;
  });
}

function resolveValueAt(
  path: JsonValue | undefined,
  value: JsonValue,
  context: Context,
): JsonValue {
  const { schema, resolve } = context;
  if (typeof path !== 'string' || path.trim() === '') {
    return resolveResource(value, context);
  }
  const name = withoutFilter(path);
  if (isReferring(schema, name)) return resolveIds(value, resolve);
  const table = findTable(schema, name);
  if (!table) return value;
  return mapParts(value, (part, ids) => {
    return isReferring(schema, `${table.urn}:${part}`) ? resolveIds(ids, resolve) : ids;
  });
}

/** Resolves the ids that the filter of a path compares `value` with; other texts may begin as a reference does. */
function resolvePath(path: JsonValue, { schema, resolve }: Context): JsonValue {
  if (typeof path !== 'string' || !isReferring(schema, withoutFilter(path))) return path;
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

/** Resolves an id, a list of ids, or the `value` and the `$ref` of an object or of each object of a list. */
function resolveIds(value: JsonValue, resolve: Resolve): JsonValue {
  if (typeof value === 'string') return resolveText(value, resolve);
  if (Array.isArray(value)) return mapItems(value, (item) => resolveIds(item, resolve));
  return mapParts(value, (name, part) => {
    if (typeof part !== 'string') return part;
    if (name.toLowerCase() === 'value') return resolveText(part, resolve);
    return name.toLowerCase() === '$ref' ? resolveAddress(part, resolve) : part;
  });
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
