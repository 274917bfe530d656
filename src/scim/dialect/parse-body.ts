import { toWrittenName } from '../../domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { isJsonObject } from '../../domain/values.ts';
import type { ScimError } from '../errors.ts';
import { badRequest, invalidSyntax, invalidValue } from '../errors.ts';
import { PLAIN_NAME, parseElementFilter } from '../filter/parse-filter.ts';
import { assertFewOfUsers, countComparisons } from '../filter/tree.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import type { Repairs } from '../repairs.ts';
import { attempt, UNCOUNTED } from '../repairs.ts';
import type { AttributePath, ResourceSchema, SchemaTable } from '../schema/resource-schemas.ts';
import {
  findAttribute,
  findTable,
  isKnownSchema,
  isQualified,
  toPathText,
} from '../schema/resource-schemas.ts';
import { coerceValue } from './coerce.ts';
import { assertShape, assertStorable, countSchemas, findPart, openBody } from './parse-json.ts';
import type { PatchOp, PatchStep, PatchTarget } from './to-steps.ts';
import { toSteps } from './to-steps.ts';

/** What the body of a write asks for. */
export interface Content {
  /** In order; those of a POST or PUT set attributes of an empty resource. */
  readonly steps: readonly PatchStep[];
}

/** Content of the body of a POST or PUT of a user or group. */
export interface ResourceInput extends Content {
  /** Canonical, without the lists of users: in the spelling of the schema, an extension's below its URN, nothing read-only or null. */
  readonly attributes: JsonObject;
  /** Attributes (`toWrittenName`) and extensions that the body names, also those that it clears. */
  readonly mentioned: ReadonlySet<string>;
  /** Attributes that are left out: what was held of them stays (`applyWhole`). */
  readonly leftOut: readonly AttributePath[];
}

interface Context {
  readonly schema: ResourceSchema;
  readonly repairs: Repairs;
}

/** Reads the body of a POST or PUT in any provider's dialect. What says nothing that a provider can set counts as not mentioned. @throws ScimError 400 */
export function parseResource(
  body: unknown,
  schema: ResourceSchema,
  repairs: Repairs,
): ResourceInput {
  const object = openBody(body);
  const urns = schema.descriptions.map(({ id }) => id);
  countSchemas(object, urns, repairs);
  const { entries, extensions, filtered, leftOut } = readBody(object, { schema, repairs });
  for (const name of filtered) repairs.count('unknown-attribute-dropped', name);
  const mentioned = new Set(extensions);
  const steps = entries.flatMap(({ path, value }) => {
    const { extension, attribute, sub } = path;
    if (sub && attribute.multiValued) {
      repairs.count('unknown-attribute-dropped', toPathText(path));
      return [];
    }
    const operation = { op: 'whole', target: { path, where: undefined }, value } as const;
    const read = attempt(repairs, undefined, (inside) => toSteps(operation, inside));
    if (read === undefined) leftOut.push(path);
    else if (read.length > 0) mentioned.add(toWrittenName(extension, attribute.name));
    return read ?? [];
  });
  const name = schema.name === 'User' ? 'userName' : 'displayName';
  if (!mentioned.has(name)) {
    leftOut.push(...listPaths(schema, name));
    attempt(repairs, undefined, () => {
      throw invalidValue(`A ${schema.name} needs a ${name}.`);
    });
  }
  return { steps, attributes: applyPatch({}, steps, UNCOUNTED), mentioned, leftOut };
}

const OPS = ['add', 'replace', 'remove'] as const;

/** Most operations of one PATCH; those that add or remove members by their ids do not count. */
const PATCH_OPERATIONS_MAX = 1_000;

/** Reads the body of a PATCH in any provider's dialect into canonical operations, in order; nothing is applied yet. @throws ScimError 400 @see RFC 7644 §3.5.2 */
export function parsePatch(body: unknown, { schema, repairs }: Context): Content {
  const object = openBody(body);
  countSchemas(object, ['urn:ietf:params:scim:api:messages:2.0:PatchOp'], repairs);
  const given = findPart(object, 'Operations', repairs);
  if (isJsonObject(given)) repairs.count('operation-for-list');
  const operations = isJsonObject(given) ? [given] : given;
  if (!Array.isArray(operations) || operations.length === 0) {
    throw invalidSyntax('The body has no Operations.');
  }
  let [others, ofUsers] = [0, 0];
  const steps = operations.flatMap((operation, index) => {
    const number = operations.length === 1 ? undefined : index + 1;
    const place = number === undefined ? number : () => `Operation ${number}`;
    const read = (inside: Repairs) => readOperation(operation, { schema, repairs: inside });
    const own = attempt(repairs, place, read) ?? [];
    for (const step of own) ofUsers += countOfUsers(step);
    assertFewOfUsers(ofUsers, 'invalidFilter');
    others += own.some(isOther) ? 1 : 0;
    if (others > PATCH_OPERATIONS_MAX) {
      throw invalidValue(`The body has more than ${PATCH_OPERATIONS_MAX} Operations.`);
    }
    return number === undefined ? own : own.map((step) => ({ ...step, operation: number }));
  });
  return { steps };
}

const isOther = (step: PatchStep) => step.kind !== 'users' || step.op === 'replace';
const countOfUsers = (step: PatchStep) =>
  step.kind === 'users-where' ? countComparisons(step.filter) : 0;

function readOperation(operation: JsonValue, context: Context): PatchStep[] {
  if (!isJsonObject(operation)) throw invalidSyntax('An operation is not a JSON object.');
  assertShape(operation);
  const { repairs } = context;
  const path = findPart(operation, 'path', repairs) ?? '';
  if (typeof path !== 'string') {
    throw badRequest('invalidPath', 'The path of an operation is not a text.');
  }
  assertStorable(path);
  const word = findPart(operation, 'op', repairs);
  const folded = typeof word === 'string' ? word.trim().toLowerCase() : undefined;
  const op = OPS.find((one) => one === folded);
  if (!op) throw invalidSyntax('The op of an operation is none of add, replace and remove.');
  if (op !== word) repairs.count('op-case');
  const value = findPart(operation, 'value', repairs);
  if (path.trim() !== '') return toPathSteps(op, path, value, context);
  if (repairs.isStrict) repairs.count('path-missing');
  // Without a path the value is an object that names the attributes.
  if (op === 'remove') throw badRequest('noTarget', 'A remove operation has no path.');
  const [only, ...others] = Array.isArray(value) ? value : [value];
  if (isJsonObject(only) && others.length === 0) return toObjectSteps(op, only, context);
  throw invalidValue('An operation without a path needs an object of attributes as its value.');
}

function toPathSteps(
  op: PatchOp,
  path: string,
  value: JsonValue | undefined,
  context: Context,
): PatchStep[] {
  const { schema, repairs } = context;
  const parsed = parsePath(path, schema, repairs);
  if (parsed.kind === 'dropped') return [];
  if (parsed.kind === 'attribute') return toSteps({ op, target: parsed.target, value }, repairs);
  const isCore = parsed.table === schema.core;
  if (op === 'remove' && isCore) {
    throw badRequest('mutability', 'The core schema cannot be removed.');
  }
  const given = op === 'remove' ? null : value;
  if (given === undefined || (isCore && !isJsonObject(given))) {
    throw invalidValue('A schema needs an object of attributes.');
  }
  return toObjectSteps(op, { [parsed.table.urn]: given }, context);
}

function toObjectSteps(op: PatchOp, object: JsonObject, context: Context): PatchStep[] {
  const { schema, repairs } = context;
  const { entries, filtered } = readBody(object, context);
  const steps = toEntrySteps(op, entries, repairs);
  for (const path of filtered) {
    const read = (inside: Repairs) =>
      toPathSteps(op, path, object[path], { schema, repairs: inside });
    steps.push(...(attempt(repairs, undefined, read) ?? []));
  }
  return steps;
}

function toEntrySteps(op: PatchOp, entries: readonly BodyEntry[], repairs: Repairs): PatchStep[] {
  return entries.flatMap(({ path, value }) => {
    const operation = { op, target: { path, where: undefined }, value };
    return attempt(repairs, undefined, (inside) => toSteps(operation, inside)) ?? [];
  });
}

interface BodyEntry {
  readonly path: AttributePath;
  readonly value: JsonValue;
}

interface Body {
  readonly entries: BodyEntry[];
  /** URNs of extensions in the body, also of empty ones. */
  readonly extensions: string[];
  /** Keys with a value filter, which only a PATCH can follow: `emails[type eq "work"].value`. */
  readonly filtered: string[];
  /** Attributes of keys that cannot be read. */
  readonly leftOut: AttributePath[];
}

/** Resolves the keys of a body: in any case, dotted, qualified by a URN, or a URN with an object. Unknown and read-only ones are left out. */
function readBody(body: JsonObject, { schema, repairs }: Context): Body {
  const read: Body = { entries: [], extensions: [], filtered: [], leftOut: [] };
  for (const name of Object.keys(body)) {
    const isRead = attempt(repairs, undefined, (inside) => {
      assertShape(body[name]);
      readKey(read, [name, body[name] ?? null], { schema, repairs: inside });
      return true;
    });
    if (!isRead) read.leftOut.push(...listPaths(schema, name));
  }
  const places = Map.groupBy(read.entries, ({ path }) => path.sub ?? path.attribute).values();
  const isOne = (same: readonly BodyEntry[]) =>
    attempt(repairs, undefined, (inside) => assertOneValue(same, inside));
  const several = new Set([...places].filter((same) => same.length > 1 && !isOne(same)).flat());
  for (const { path } of several) read.leftOut.push(path);
  return { ...read, entries: read.entries.filter((entry) => !several.has(entry)) };
}

/** Of an attribute in several spellings the last value counts. A field of the service under several names needs one value. @throws ScimError 400 `invalidValue` */
function assertOneValue(same: readonly BodyEntry[], repairs: Repairs): true {
  const names = new Set(same.map(({ path }) => toPathText(path)));
  for (const _ of same.slice(names.size)) repairs.count('name-doubled');
  if (names.size === 1) return true;
  const values = same.map(({ path, value }) => coerceValue(path.attribute, value, UNCOUNTED));
  if (new Set(values).size === 1) return true;
  throw invalidValue(`${[...names].join(' and ')} are one field, with one value.`);
}

function listPaths(schema: ResourceSchema, name: string): AttributePath[] {
  const [path, table] = [findAttribute(schema, name), findTable(schema, name)];
  if (path) return [path];
  return table ? listUnassigned(schema, table).map((entry) => entry.path) : [];
}

function listUnassigned(schema: ResourceSchema, table: SchemaTable): BodyEntry[] {
  return [...table.attributes.values()].flatMap(({ name, mutability }) => {
    const path = findAttribute(schema, `${table.urn}:${name}`);
    return path && mutability === 'readWrite' ? [{ path, value: null }] : [];
  });
}

function readKey(read: Body, [name, value]: [string, JsonValue], context: Context): void {
  const { schema, repairs } = context;
  const path = findAttribute(schema, name);
  const table = path ? undefined : findTable(schema, name);
  if (path) {
    const isPlain = name === path.attribute.name && path.extension === undefined;
    if (!isPlain) repairs.count('name-spelling');
    addEntry(read.entries, { path, value }, repairs);
  } else if (table) {
    if (table !== schema.core) read.extensions.push(table.urn);
    addTable(read.entries, [table, value], context);
  } else if (name.includes('[')) {
    read.filtered.push(name);
  } else {
    countUnknown(name, schema, repairs);
  }
}

function addTable(
  entries: BodyEntry[],
  [table, value]: [SchemaTable, JsonValue],
  { schema, repairs }: Context,
): void {
  if (value === null || value === '') {
    if (table !== schema.core) entries.push(...listUnassigned(schema, table));
    return;
  }
  if (!isJsonObject(value)) throw invalidValue('A schema needs an object of attributes.');
  for (const name of Object.keys(value)) {
    const path = findAttribute(schema, `${table.urn}:${name}`);
    if (!path) repairs.count('unknown-attribute-dropped', `${table.urn}:${name}`);
    else addEntry(entries, { path, value: value[name] ?? null }, repairs);
  }
}

function addEntry(entries: BodyEntry[], entry: BodyEntry, repairs: Repairs): void {
  const { attribute, sub } = entry.path;
  if (attribute.mutability === 'readOnly' || sub?.mutability === 'readOnly') {
    repairs.count('read-only-dropped');
  } else if (attribute.mutability === 'writeOnly') {
    repairs.count('password-dropped');
  } else if (attribute.name !== 'schemas') {
    entries.push(entry);
  }
}

type PatchPath =
  | { readonly kind: 'attribute'; readonly target: PatchTarget }
  | { readonly kind: 'schema'; readonly table: SchemaTable }
  | { readonly kind: 'dropped' };

const PATH_LENGTH_MAX = 10_000;

const NO_LIST = 'has a filter on something that is no list';

/** Reads the path of an operation: `name`, `name.sub`, `list[filter]`, `list[filter].sub`, qualified or not, or a URN. @throws ScimError 400 @see RFC 7644 §3.5.2 */
export function parsePath(path: string, schema: ResourceSchema, repairs: Repairs): PatchPath {
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
  if (attribute.mutability === 'writeOnly' || attribute.name === 'schemas') {
    repairs.count(attribute.name === 'schemas' ? 'read-only-dropped' : 'password-dropped');
    return { kind: 'dropped' };
  }
  if (filter === undefined) return { kind: 'attribute', target: { path: found, where: undefined } };
  if (!attribute.multiValued) throw invalidPath(NO_LIST);
  const where = parseElementFilter(filter, attribute, { repairs, isForWrite: true });
  return { kind: 'attribute', target: { path: found, where } };
}

function dropUnknown(name: string, schema: ResourceSchema, repairs: Repairs): PatchPath {
  if (!isQualified(name) && !PLAIN_NAME.test(name)) throw invalidPath('is malformed');
  countUnknown(name, schema, repairs);
  return { kind: 'dropped' };
}

/** Counts a name that no schema has. */
function countUnknown(name: string, schema: ResourceSchema, repairs: Repairs): void {
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
  if (path.length > PATH_LENGTH_MAX) throw invalidPath('is too long');
  if (!path.includes('[')) return { name: path, filter: undefined };
  const [, list, filter, part = ''] = FILTERED.exec(path) ?? [];
  if (list === undefined) throw invalidPath('is malformed');
  return { name: list.trimEnd() + part, filter };
}
