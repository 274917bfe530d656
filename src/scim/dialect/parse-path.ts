import type { ScimError } from '../errors.ts';
import { badRequest } from '../errors.ts';
import { PLAIN_NAME, parseElementFilter } from '../filter/parse-filter.ts';
import type { RepairKind, Repairs } from '../repairs.ts';
import type { AttributeRule, ResourceSchema, SchemaTable } from '../schema/resource-schemas.ts';
import {
  findAttribute,
  findTable,
  isKnownSchema,
  isQualified,
  toPathText,
} from '../schema/resource-schemas.ts';
import type { PatchTarget } from './to-steps.ts';

type PatchPath =
  | { readonly kind: 'attribute'; readonly target: PatchTarget }
  | { readonly kind: 'schema'; readonly table: SchemaTable }
  | { readonly kind: 'dropped' };

const PATH_LENGTH_MAX = 10_000;

const NO_LIST = 'has a filter on something that is no list';

/** Reads the path of an operation: `name`, `name.sub`, `list[filter]`, `list[filter].sub`, qualified or not, or a URN. @throws ScimError 400 @see RFC 7644 §3.5.2 */
export function parsePath(path: string, schema: ResourceSchema, repairs: Repairs): PatchPath {
  if (path.length > PATH_LENGTH_MAX) throw invalidPath('is too long');
  const { name, filter } = splitPath(path.trim());
  const found = findAttribute(schema, name);
  if (!found) {
    const table = findTable(schema, name);
    if (!table) return dropUnknown(name, schema, repairs);
    if (filter !== undefined) throw invalidPath(NO_LIST);
    return { kind: 'schema', table };
  }
  const text = toPathText(found);
  if (name !== text && name !== `${schema.core.urn}:${text}`) repairs.count('name-spelling');
  const { attribute, sub } = found;
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') {
    throw badRequest('mutability', `${text} is read-only.`);
  }
  const forgotten = findForgotten(attribute);
  if (forgotten) {
    repairs.count(forgotten);
    return { kind: 'dropped' };
  }
  if (filter === undefined) return { kind: 'attribute', target: { path: found, where: undefined } };
  if (!attribute.multiValued) throw invalidPath(NO_LIST);
  const where = parseElementFilter(filter, attribute, { repairs, isForWrite: true });
  return { kind: 'attribute', target: { path: found, where } };
}

/** How an attribute is counted that is accepted and forgotten. */
function findForgotten({ name, mutability }: AttributeRule): RepairKind | undefined {
  if (name === 'schemas') return 'read-only-dropped';
  return mutability === 'writeOnly' ? 'password-dropped' : undefined;
}

function dropUnknown(name: string, schema: ResourceSchema, repairs: Repairs): PatchPath {
  if (!isQualified(name) && !PLAIN_NAME.test(name)) throw invalidPath('is malformed');
  countUnknown(name, schema, repairs);
  return { kind: 'dropped' };
}

/** Counts a name that no schema has. */
export function countUnknown(name: string, schema: ResourceSchema, repairs: Repairs): void {
  const isForeign = isQualified(name) && !isKnownSchema(schema, name);
  repairs.count(isForeign ? 'unknown-schema-dropped' : 'unknown-attribute-dropped', name);
}

function invalidPath(problem: string): ScimError {
  return badRequest('invalidPath', `The path ${problem}.`);
}

/** A path with a value filter, whose texts may hold brackets and escaped quotes. @see RFC 7644 §3.5.2, figure 1 */
const FILTERED = /^([^[]*)\[((?:"(?:[^"\\]|\\.)*"|[^"\]])*)\]\s*(\..*)?$/s;

/** Takes the value filter out of a path. @throws ScimError 400 `invalidPath` */
function splitPath(path: string): { name: string; filter: string | undefined } {
  if (!path.includes('[')) return { name: path, filter: undefined };
  const [, list, filter, part = ''] = FILTERED.exec(path) ?? [];
  if (list === undefined) throw invalidPath('is malformed');
  return { name: list.trimEnd() + part, filter };
}
