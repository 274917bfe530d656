import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { findAttribute, groupSchema, userSchema } from '../schema/resource-schemas.ts';
import type { BulkAction } from './bulk-operation.ts';

/** A reference in the place of an id: the whole text. */
const WHOLE = /^bulkId:(.+)$/i;
/** In the filter of a path: `members[value eq "bulkId:x"]`, also without the quotes. */
const IN_FILTER = /"bulkId:([^"]+)"|(?<=\s)bulkId:([^\s()[\]"]+)/gi;

/** The id that a bulkId stands for; undefined leaves the reference as it is. */
type Resolve = (bulkId: string) => string | undefined;

/**
 * The bulkIds that an action names, in its path or its data. Read-only attributes make no reference:
 * the `groups` of a new user are left out as in any other request.
 */
export function listReferences(action: BulkAction, type: 'User' | 'Group'): Set<string> {
  const found = new Set<string>();
  const collect = (bulkId: string) => {
    found.add(bulkId);
    return undefined;
  };
  resolveReferences(withoutReadOnly(action, type), collect);
  return found;
}

/** The action with ids where it named bulkIds. */
export function resolveReferences(action: BulkAction, resolve: Resolve): BulkAction {
  switch (action.method) {
    case 'POST':
      return { ...action, data: resolveValue(action.data, resolve) };
    case 'DELETE':
      return { ...action, id: resolveText(action.id, resolve) };
    default: {
      const { id, data } = action;
      return { ...action, id: resolveText(id, resolve), data: resolveValue(data, resolve) };
    }
  }
}

/** True when the id is still a reference. */
export function isReference(id: string): boolean {
  return WHOLE.test(id);
}

function resolveValue(value: JsonValue, resolve: Resolve): JsonValue {
  if (typeof value === 'string') return resolveText(value, resolve);
  if (Array.isArray(value)) return value.map((item) => resolveValue(item, resolve));
  return isJsonObject(value) ? resolveObject(value, resolve) : value;
}

function resolveObject(object: JsonObject, resolve: Resolve): JsonObject {
  // Not by assignment: a key of the request may be __proto__.
  return Object.fromEntries(
    Object.entries(object).map(([name, part]) => {
      const isPath = typeof part === 'string' && name.toLowerCase() === 'path';
      return [name, isPath ? resolvePath(part, resolve) : resolveValue(part, resolve)];
    }),
  );
}

function resolveText(text: string, resolve: Resolve): string {
  const bulkId = WHOLE.exec(text)?.[1];
  return bulkId === undefined ? text : (resolve(bulkId) ?? text);
}

function resolvePath(path: string, resolve: Resolve): string {
  return path.replace(IN_FILTER, (reference, quoted?: string, bare = '') => {
    const id = resolve(quoted ?? bare);
    return id === undefined ? reference : `"${id}"`;
  });
}

function withoutReadOnly(action: BulkAction, type: 'User' | 'Group'): BulkAction {
  if (action.method === 'DELETE' || !isJsonObject(action.data)) return action;
  const schema = type === 'User' ? userSchema : groupSchema;
  const isWritable = (name: string) =>
    findAttribute(schema, name)?.attribute.mutability !== 'readOnly';
  const entries = Object.entries(action.data).filter(([name]) => isWritable(name));
  return { ...action, data: Object.fromEntries(entries) };
}
