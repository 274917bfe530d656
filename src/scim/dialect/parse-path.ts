import { badRequest, type ScimError } from '../errors.ts';
import { parseElementFilter } from '../filter/parse-filter.ts';
import type { Repairs } from '../repairs.ts';
import type { SchemaTable } from '../schema/attribute-table.ts';
import {
  findAttribute,
  findTable,
  isCoreQualified,
  isDotted,
  isKnownSchema,
  isQualified,
  type ResourceSchema,
  toPathText,
} from '../schema/resource-schemas.ts';
import { splitPath } from '../schema/split-path.ts';
import type { PatchTarget } from './patch-step.ts';

/** Meaning of the path of an operation; `dropped`: the bridge accepts the attribute and forgets it. */
type PatchPath =
  | { readonly kind: 'attribute'; readonly target: PatchTarget }
  | { readonly kind: 'schema'; readonly table: SchemaTable }
  | { readonly kind: 'dropped' };

/** Most characters of a path. */
const PATH_LENGTH_MAX = 10_000;

const NO_LIST = 'has a filter on something that is no list';

/**
 * Reads the path of an operation: `name`, `name.sub`, `list[filter]`, `list[filter].sub`, each
 * qualified by a URN or not, or the URN of a schema.
 * @throws ScimError 400 `invalidPath`: malformed, or no core attribute; `invalidFilter`: the part between
 * the brackets; `mutability`: read-only
 * @see RFC 7644 §3.5.2
 */
export function parsePath(path: string, schema: ResourceSchema, repairs: Repairs): PatchPath {
  if (path.length > PATH_LENGTH_MAX) throw invalidPath('is too long');
  const { name, filter } = splitPath(path.trim());
  const found = findAttribute(schema, name);
  if (!found) return toOther(name, schema, { repairs, filter });
  if (found.extension !== undefined && !isQualified(name)) repairs.count('path-unqualified');
  if (isDotted(schema, name)) repairs.count('path-dotted');
  const { attribute, sub } = found;
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') {
    throw badRequest('mutability', `${toPathText(found)} is read-only.`);
  }
  if (attribute.mutability === 'writeOnly' || attribute.name === 'schemas') {
    if (attribute.mutability === 'writeOnly') repairs.count('password-dropped');
    return { kind: 'dropped' };
  }
  if (filter === undefined) return { kind: 'attribute', target: { path: found, where: undefined } };
  if (!attribute.multiValued) throw invalidPath(NO_LIST);
  return {
    kind: 'attribute',
    target: {
      path: found,
      where: parseElementFilter(filter, attribute, { repairs, isForWrite: true }),
    },
  };
}

/** Meaning of a name that is no attribute: a schema, an unknown extension that is dropped, or a mistake. */
function toOther(
  name: string,
  schema: ResourceSchema,
  { repairs, filter }: { repairs: Repairs; filter: string | undefined },
): PatchPath {
  const table = findTable(schema, name);
  if (table) {
    if (filter !== undefined) throw invalidPath(NO_LIST);
    return { kind: 'schema', table };
  }
  if (!isQualified(name) || isCoreQualified(schema, name)) {
    throw invalidPath(`names no attribute of a ${schema.name}`);
  }
  repairs.count(
    isKnownSchema(schema, name) ? 'unknown-attribute-dropped' : 'unknown-schema-dropped',
  );
  return { kind: 'dropped' };
}

function invalidPath(problem: string): ScimError {
  return badRequest('invalidPath', `The path ${problem}.`);
}
