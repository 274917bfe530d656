import { toExtension, toWrittenName } from '../../domain/extensions.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import { attempt, type Repairs } from '../repairs.ts';
import {
  type AttributePath,
  type AttributeRule,
  findAttribute,
  findRule,
  findTable,
  listRules,
  type ResourceSchema,
  type SchemaTable,
  toPathText,
} from '../schema/resource-schemas.ts';
import { coerceValue, hasContent, unwrapNamed, withoutNulls } from './coerce.ts';
import {
  assertAcceptable,
  countSchemas,
  findPart,
  openBody,
  toItems,
  unpackText,
} from './parse-json.ts';
import { countUnknown, isAttributeStep, type PatchStep } from './parse-path.ts';

/** Content of the body of a POST or PUT of a user or group. */
export interface ResourceInput {
  /**
   * Canonical, without the lists of users: names in the spelling of the schema, an extension's below its URN, nothing
   * read-only, nothing null.
   */
  readonly attributes: JsonObject;
  /** Attributes (`toWrittenName`) and extensions that the body names, also those that it clears. */
  readonly mentioned: ReadonlySet<string>;
  /** Attributes that are left out: what was held of them stays (`withLeftOut`). */
  readonly leftOut: readonly AttributePath[];
  readonly sent: SentLists;
  /** Ids of users, who may not exist. Absent: the body does not name the list. Empty: the list is cleared. */
  readonly members?: readonly string[];
  /** As `members`. */
  readonly admins?: readonly string[];
}

/** What the body of a write says: a resource, or the steps of a PATCH. */
export type Content = ResourceInput | readonly PatchStep[];

/** Content while it is read. */
interface Reading {
  readonly attributes: JsonObject;
  readonly mentioned: Set<string>;
  readonly leftOut: AttributePath[];
  members?: readonly string[];
  admins?: readonly string[];
}

/**
 * Reads the body of a POST or PUT in any provider's dialect.
 * @throws ScimError 400 `invalidSyntax`: no object; `invalidValue`: the name is missing, active is not a boolean, a member
 *   has no id, see `openBody`
 */
export function parseResource(
  body: unknown,
  schema: ResourceSchema,
  repairs: Repairs,
): ResourceInput {
  const object = openBody(body);
  countSchemas(object, schema.urns, repairs);
  const { entries, extensions, filtered } = readBody(object, schema, repairs);
  for (const name of filtered) repairs.count('unknown-attribute-dropped', name);
  const read: Reading = { attributes: {}, mentioned: new Set(extensions), leftOut: [] };
  for (const entry of entries) readEntry(read, entry, repairs);
  attempt(repairs, undefined, () => assertNamed(read.attributes, schema));
  return { ...read, sent: toSentLists(entries) };
}

/** Adds what an entry says. One that says nothing that a provider can set counts as not mentioned. */
function readEntry(read: Reading, { path, value }: BodyEntry, repairs: Repairs): void {
  const name = toWrittenName(path.extension, path.attribute.name);
  if (path.sub && path.attribute.multiValued) {
    repairs.count('unknown-attribute-dropped', toPathText(path));
    return;
  }
  if (path.userList) {
    read[path.userList] = readUserIds({ path, value }, repairs);
    read.mentioned.add(name);
    return;
  }
  const coerced = attempt(repairs, undefined, (inside) => ({
    value: coerceValue(path.sub ?? path.attribute, value, inside),
  }));
  if (coerced === undefined) read.leftOut.push(path);
  else if (coerced.value === null && name === 'active') {
    // An account is on or off, and blank must not switch it. Null says no more than its absence (RFC 7643 §2.5).
    if (value !== null) repairs.count('blank-active-dropped');
  } else if (coerced.value !== undefined) {
    read.mentioned.add(name);
    const isEmpty = isJsonObject(coerced.value) && !hasContent(coerced.value);
    if (coerced.value !== null && !isEmpty) assign(read.attributes, path.keys, coerced.value);
  }
}

/** The attributes of a PUT, with the values of before where it has one that is left out. */
export function withLeftOut(
  before: JsonObject,
  { attributes, leftOut }: Pick<ResourceInput, 'attributes' | 'leftOut'>,
): JsonObject {
  const kept = structuredClone(attributes);
  for (const { extension, attribute } of leftOut) {
    const { [attribute.name]: held } = extension ? toExtension(before, extension) : before;
    if (held !== undefined) assign(kept, [extension ?? [], attribute.name].flat(), held);
  }
  return kept;
}

/** @throws ScimError 400 `invalidValue` when the name a resource cannot be without is missing or blank */
function assertNamed(attributes: JsonObject, { name: type }: ResourceSchema): void {
  const name = type === 'User' ? 'userName' : 'displayName';
  const value = attributes[name];
  if (typeof value === 'string' && value.trim() !== '') return;
  throw invalidValue(`A ${type} needs a ${name}.`);
}

/** Sets a value below objects that are made on the way. The keys are names of a schema. */
function assign(target: JsonObject, keys: readonly string[], value: JsonValue): void {
  const [key, ...rest] = keys;
  if (key === undefined) return;
  const held = target[key];
  if (rest.length > 0) {
    const inner = isJsonObject(held) ? held : {};
    assign(inner, rest, value);
    target[key] = inner;
  } else if (isJsonObject(value)) {
    target[key] = { ...(isJsonObject(held) ? held : {}), ...withoutNulls(value) };
  } else {
    target[key] = value;
  }
}

/**
 * The ids of the users of a list, each once, in the order sent; null and "" are no user. Linear in their number.
 * @throws ScimError 400 `invalidValue`: an element without an id
 */
export function readUserIds({ path: { attribute }, value }: BodyEntry, repairs: Repairs): string[] {
  const items = toItems(unwrapNamed(attribute, value, repairs), repairs);
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    const place = () => `Value ${index + 1} of ${attribute.name}`;
    const id = attempt(repairs, place, (inside) =>
      readId(attribute, toMember(item, inside), inside),
    );
    if (id !== undefined) ids.add(id);
  }
  if (ids.size < items.length) repairs.count('duplicate-values');
  return [...ids];
}

function toMember(given: JsonValue, repairs: Repairs): JsonObject {
  const item = unpackText(given, repairs);
  if (isJsonObject(item)) return item;
  repairs.count('value-for-object');
  return { value: item };
}

/** Address of a member, absolute or not. */
const ADDRESS = /(?:^|\/)(?:Users|Groups)\/([^/?#]+)$/i;

function readId(rule: AttributeRule, member: JsonObject, repairs: Repairs): string {
  // The id alone is taken: `keepKnown` finds the resource.
  for (const name of Object.keys(member)) {
    const sub = findRule(rule.subAttributes, name);
    if (!sub) repairs.count('unknown-attribute-dropped', `${rule.name}.${name}`);
    else if (sub.mutability === 'readOnly') repairs.count('read-only-dropped');
  }
  const address = findPart(member, '$ref');
  const value =
    findPart(member, 'value') ??
    (typeof address === 'string' ? ADDRESS.exec(address)?.[1] : undefined);
  // A broken document is the id of nobody.
  if (typeof value === 'string' && value !== '' && !/^\s*[[{].*"/s.test(value)) return value;
  if (typeof value !== 'number') {
    throw invalidValue(`Each of the ${rule.name} needs a value: the id of a user.`);
  }
  repairs.count('text-as-other');
  return String(value);
}

/** One value of a body and its place. */
export interface BodyEntry {
  readonly path: AttributePath;
  readonly value: JsonValue;
}

/** Writable attributes of a body. */
export interface Body {
  readonly entries: BodyEntry[];
  /** URNs of extensions in the body, also of empty ones. */
  readonly extensions: string[];
  /** Keys with a value filter, which only a PATCH can follow: `emails[type eq "work"].value`. */
  readonly filtered: string[];
}

/**
 * Resolves the keys of a body: in any case, dotted, qualified by a URN, or an extension's URN with an
 * object. Unknown and read-only attributes are left out.
 */
export function readBody(body: JsonObject, schema: ResourceSchema, repairs: Repairs): Body {
  const read: Body = { entries: [], extensions: [], filtered: [] };
  for (const name of Object.keys(body)) {
    attempt(repairs, undefined, (inside) => {
      assertAcceptable({ [name]: body[name] });
      readKey(read, { name, value: body[name] ?? null, schema }, inside);
    });
  }
  countDoubles(read.entries, repairs);
  return read;
}

/** Counts attributes that are there in several spellings: of their values the last one counts. */
function countDoubles(entries: readonly BodyEntry[], repairs: Repairs): void {
  const places = new Set(entries.map(({ path }) => path.keys.join(' ')));
  for (let doubles = entries.length - places.size; doubles > 0; doubles -= 1) {
    repairs.count('name-doubled');
  }
}

/** Entries that clear every attribute of an extension. */
export function listUnassigned(schema: ResourceSchema, table: SchemaTable): BodyEntry[] {
  return listRules(table.attributes).flatMap(({ name, mutability }) => {
    const path = findAttribute(schema, `${table.urn}:${name}`);
    return path && mutability === 'readWrite' ? [{ path, value: null }] : [];
  });
}

function readKey(
  read: Body,
  { name, value, schema }: { name: string; value: JsonValue; schema: ResourceSchema },
  repairs: Repairs,
): void {
  const path = findAttribute(schema, name);
  const table = path ? undefined : findTable(schema, name);
  if (path) {
    const isPlain = name === path.attribute.name && path.extension === undefined;
    if (!isPlain) repairs.count('name-spelling');
    addEntry(read.entries, { path, value }, repairs);
  } else if (table) {
    if (table !== schema.core) read.extensions.push(table.urn);
    addTable(read.entries, { schema, table, value }, repairs);
  } else if (name.includes('[')) {
    read.filtered.push(name);
  } else {
    countUnknown(name, schema, repairs);
  }
}

function addTable(
  entries: BodyEntry[],
  { schema, table, value }: { schema: ResourceSchema; table: SchemaTable; value: JsonValue },
  repairs: Repairs,
): void {
  if (value === null || value === '') {
    if (table !== schema.core) entries.push(...listUnassigned(schema, table));
    return;
  }
  if (!isJsonObject(value)) throw invalidValue(`The value of ${table.urn} is not an object.`);
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

/** Lists of a body as they were sent, by the name of their attribute: errors count places in these, not in what is left once equal values are one. */
type SentLists = ReadonlyMap<string, JsonValue>;

/** The lists of the entries; of a list that is there in several spellings the last one. */
function toSentLists(entries: readonly BodyEntry[]): SentLists {
  const lists = entries.filter(({ path }) => path.attribute.multiValued && !path.sub);
  return new Map(lists.map(({ path, value }) => [path.attribute.name, value]));
}

/**
 * Place of a value in a list as it was sent, for the words of an error, counted from 1; undefined: the list lacks it.
 * @param name of the attribute @param value of an element or, where that has none, the element itself
 */
export function findSentPlace(
  name: string,
  sent: JsonValue | undefined,
  value: string,
): string | undefined {
  const isIt = (item: JsonValue) => {
    const text = String(toValue(item));
    return text === value || text.trim() === value;
  };
  if (!Array.isArray(sent)) {
    return sent !== undefined && isIt(sent) ? `The value of ${name}` : undefined;
  }
  const index = sent.findIndex(isIt);
  return index === -1 ? undefined : `Value ${index + 1} of ${name}`;
}

/** Place of a value in the last step of a PATCH that puts it into the list. */
export function findStepPlace(
  steps: readonly PatchStep[],
  name: string,
  value: string,
): string | undefined {
  for (const step of steps.toReversed()) {
    const list = isAttributeStep(step) ? step.target.path.attribute.name : step.list;
    const removes = step.kind === 'users' ? step.op === 'remove' : step.kind !== 'set';
    const place = list === name && !removes ? findSentPlace(name, step.sent, value) : undefined;
    if (place === undefined) continue;
    return step.operation === undefined ? place : `Operation ${step.operation}: ${place}`;
  }
  return undefined;
}

/** The value of an element as its reader takes it: bare, in a list of its own, or in an object in one. */
function toValue(item: JsonValue): JsonValue | undefined {
  if (Array.isArray(item)) return item.length === 1 ? toValue(item[0] ?? null) : undefined;
  if (!isJsonObject(item)) return item;
  const value = findPart(item, 'value');
  return value === undefined ? undefined : toValue(value);
}
