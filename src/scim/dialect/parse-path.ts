import { toWrittenName } from '../../domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import { badRequest, type ScimError } from '../errors.ts';
import { PLAIN_NAME, parseElementFilter } from '../filter/parse-filter.ts';
import type { Filter } from '../filter/tree.ts';
import type { RepairKind, Repairs } from '../repairs.ts';
import {
  type AttributePath,
  type AttributeRule,
  findAttribute,
  findTable,
  isKnownSchema,
  isQualified,
  type ResourceSchema,
  type SchemaTable,
  toPathText,
  type UserList,
} from '../schema/resource-schemas.ts';

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
 * @throws ScimError 400 `invalidPath`: malformed; `invalidFilter`: the part between
 * the brackets; `mutability`: read-only
 * @see RFC 7644 §3.5.2
 */
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

/**
 * Takes the value filter out of a path. @throws ScimError 400 `invalidPath`: no closing bracket, or something else
 * than a sub-attribute behind it. @see RFC 7644 §3.5.2, figure 1
 */
function splitPath(path: string): { name: string; filter: string | undefined } {
  const opening = path.indexOf('[');
  if (opening === -1) return { name: path, filter: undefined };
  const closing = findClosingBracket(path, opening);
  const after = path.slice(closing + 1).trimStart();
  if (closing === -1 || (after !== '' && !after.startsWith('.'))) {
    throw invalidPath('is malformed');
  }
  const name = path.slice(0, opening).trimEnd() + after;
  return { name, filter: path.slice(opening + 1, closing) };
}

/** Place of the bracket that closes the filter, outside of quoted texts, or -1. */
function findClosingBracket(path: string, opening: number): number {
  let quoted = false;
  for (let i = opening + 1; i < path.length; i += 1) {
    if (path[i] === '"') quoted = !quoted;
    else if (path[i] === '\\' && quoted)
      i += 1; // Whatever is escaped, it does not close the text.
    else if (path[i] === ']' && !quoted) return i;
  }
  return -1;
}

/** Target of an operation of a PATCH. */
export interface PatchTarget {
  readonly path: AttributePath;
  /** Filter of the elements of a list; its names start at the element. undefined: the attribute itself, or all elements. */
  readonly where: Filter | undefined;
}

/**
 * One canonical operation of a PATCH; an operation of a provider becomes none, one or several.
 * - `set`: the value has the type of the target; parts of an object may be null, which unassigns them
 * - `clear`: no value any more
 * - `exclude`: leave out the elements of a list that are like one of these
 * - `users`, `users-where`: members or admins of a group, by id or by a filter on the element
 */
export type PatchStep = (AttributeStep | UserListStep) & Placed;

/** Place of a step in its request. */
interface Placed {
  /** The operation that it comes from, counted from 1; absent where that is the only one. */
  readonly operation?: number;
  /** The value as it was sent; errors count places in it. */
  readonly sent?: JsonValue | undefined;
}

/** An operation on anything but the lists of users of a group. */
export type AttributeStep =
  | {
      readonly kind: 'set';
      readonly op: 'add' | 'replace';
      readonly target: PatchTarget;
      readonly value: JsonValue;
    }
  | { readonly kind: 'clear'; readonly target: PatchTarget }
  | {
      readonly kind: 'exclude';
      readonly target: PatchTarget;
      readonly values: readonly JsonObject[];
    };

/** An operation on a list of users of a group. */
type UserListStep =
  | {
      readonly kind: 'users';
      readonly list: UserList;
      readonly op: 'add' | 'remove' | 'replace';
      readonly ids: readonly string[];
    }
  | { readonly kind: 'users-where'; readonly list: UserList; readonly filter: Filter };

/** True for a step on anything but the lists of users of a group. */
export function isAttributeStep(step: PatchStep): step is AttributeStep & Placed {
  return step.kind !== 'users' && step.kind !== 'users-where';
}

/** Attributes that the steps name (`toWrittenName`), without the lists of users. */
export function listStepNames(steps: readonly PatchStep[]): Set<string> {
  const paths = steps.filter(isAttributeStep).map(({ target }) => target.path);
  return new Set(paths.map(({ extension, attribute }) => toWrittenName(extension, attribute.name)));
}
