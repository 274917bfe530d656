import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { findPart } from '../dialect/parse-body.ts';
import {
  findAttribute,
  findTable,
  groupSchema,
  type ResourceSchema,
  userSchema,
} from '../schema/resource-schemas.ts';
import type { BulkAction } from './bulk-operation.ts';

/** A reference in the place of an id: the whole text. */
const WHOLE = /^bulkId:(.+)$/i;
/** In the filter of a path: `members[value eq "bulkId:x"]`, also without the quotes. */
const IN_FILTER = /"bulkId:([^"]+)"|(?<=\s)bulkId:([^\s()[\]"]+)/gi;
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
  switch (action.method) {
    case 'POST':
      return { ...action, data: resolveResource(action.data, context) };
    case 'DELETE':
      return { ...action, id: resolveText(action.id, resolve) };
    case 'PUT': {
      const { id, data } = action;
      return { ...action, id: resolveText(id, resolve), data: resolveResource(data, context) };
    }
    default: {
      const { id, data } = action;
      return { ...action, id: resolveText(id, resolve), data: resolvePatch(data, context) };
    }
  }
}

/** True when the id is still a reference. */
export function isReference(id: string): boolean {
  return WHOLE.test(id);
}

/** A resource without the attributes whose values are ids, and these by their qualified names. */
export interface SplitReferences {
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

/**
 * Maps the attributes whose values are ids; undefined leaves one out.
 * @param map is told the name of the attribute, after its URN if it is inside an extension
 */
function mapAttributes(
  data: JsonValue,
  schema: ResourceSchema,
  map: (name: string, value: JsonValue) => JsonValue | undefined,
): JsonValue {
  if (!isJsonObject(data)) return data;
  // Not by assignment: a key of the request may be __proto__.
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]): [string, JsonValue][] => {
      const table = findTable(schema, name);
      if (table) {
        const inner = (part: string, held: JsonValue) => map(`${table.urn}:${part}`, held);
        return [
          [name, mapParts(value, (part) => isReferring(schema, `${table.urn}:${part}`), inner)],
        ];
      }
      const mapped = isReferring(schema, name) ? map(name, value) : value;
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );
}

function mapParts(
  value: JsonValue,
  isMeant: (name: string) => boolean,
  map: (name: string, value: JsonValue) => JsonValue | undefined,
): JsonValue {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, part]): [string, JsonValue][] => {
      const mapped = isMeant(name) ? map(name, part) : part;
      return mapped === undefined ? [] : [[name, mapped]];
    }),
  );
}

function isReferring(schema: ResourceSchema, name: string): boolean {
  const path = findAttribute(schema, name);
  if (!path || !REFERRING.has(path.attribute.name)) return false;
  return path.sub === undefined || path.sub.name === 'value';
}

function resolvePatch(data: JsonValue, context: Context): JsonValue {
  if (!isJsonObject(data)) return data;
  const operations = findPart(data, 'Operations');
  return Object.fromEntries(
    Object.entries(data).map(([name, part]) => {
      if (part !== operations) return [name, part];
      const resolved = Array.isArray(part)
        ? part.map((operation) => resolveOperation(operation, context))
        : resolveOperation(part, context);
      return [name, resolved];
    }),
  );
}

function resolveOperation(operation: JsonValue, context: Context): JsonValue {
  if (!isJsonObject(operation)) return operation;
  const path = findPart(operation, 'path');
  const value = findPart(operation, 'value');
  return Object.fromEntries(
    Object.entries(operation).map(([name, part]) => {
      if (name.toLowerCase() === 'path') return [name, resolvePath(part, context)];
      const isValue = name.toLowerCase() === 'value' && part === value;
      return [name, isValue ? resolveValueAt(path, part, context) : part];
    }),
  );
}

function resolveValueAt(
  path: JsonValue | undefined,
  value: JsonValue,
  context: Context,
): JsonValue {
  if (typeof path !== 'string' || path.trim() === '') return resolveResource(value, context);
  const name = withoutFilter(path);
  if (isReferring(context.schema, name)) return resolveIds(value, context.resolve);
  const table = findTable(context.schema, name);
  return table
    ? mapParts(
        value,
        (part) => isReferring(context.schema, `${table.urn}:${part}`),
        (_, ids) => resolveIds(ids, context.resolve),
      )
    : value;
}

function resolvePath(path: JsonValue, { schema, resolve }: Context): JsonValue {
  if (typeof path !== 'string' || !isReferring(schema, withoutFilter(path))) return path;
  return path.replace(IN_FILTER, (reference, quoted?: string, bare = '') => {
    const id = resolve(quoted ?? bare);
    return id === undefined ? reference : `"${id}"`;
  });
}

/** Name of the attribute of a path, well-formed or not. */
function withoutFilter(path: string): string {
  const opening = path.indexOf('[');
  if (opening === -1) return path.trim();
  return `${path.slice(0, opening)}${path.slice(path.lastIndexOf(']') + 1)}`.trim();
}

/** Resolves an id, a list of ids, or the `value` of an object or of each object of a list. */
function resolveIds(value: JsonValue, resolve: Resolve): JsonValue {
  if (typeof value === 'string') return resolveText(value, resolve);
  if (Array.isArray(value)) return value.map((item) => resolveIds(item, resolve));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => {
      const isId = name.toLowerCase() === 'value' && typeof part === 'string';
      return [name, isId ? resolveText(part, resolve) : part];
    }),
  );
}

function resolveText(text: string, resolve: Resolve): string {
  const bulkId = WHOLE.exec(text)?.[1];
  return bulkId === undefined ? text : (resolve(bulkId) ?? text);
}
