import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { invalidValue } from '../errors.ts';
import { attempt, type Repairs } from '../repairs.ts';
import type { SchemaTable } from '../schema/attribute-table.ts';
import { listRules } from '../schema/attribute-table.ts';
import {
  type AttributePath,
  findAttribute,
  findTable,
  isKnownSchema,
  isQualified,
  type ResourceSchema,
} from '../schema/resource-schemas.ts';
import { assertAcceptable } from './parse-body.ts';

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

/** `readBody` of a whole resource, which has no place for a key with a value filter. */
export function readResource(
  body: JsonObject,
  schema: ResourceSchema,
  repairs: Repairs,
): Omit<Body, 'filtered'> {
  const { filtered, ...read } = readBody(body, schema, repairs);
  for (const name of filtered) repairs.count('unknown-attribute-dropped', name);
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
    countSpelling(name, path, repairs);
    addEntry(read.entries, { path, value }, repairs);
  } else if (table) {
    if (table !== schema.core) read.extensions.push(table.urn);
    addTable(read.entries, { schema, table, value }, repairs);
  } else if (name.includes('[')) {
    read.filtered.push(name);
  } else {
    const isForeign = isQualified(name) && !isKnownSchema(schema, name);
    repairs.count(isForeign ? 'unknown-schema-dropped' : 'unknown-attribute-dropped', name);
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

function countSpelling(
  name: string,
  { attribute, sub, extension }: AttributePath,
  repairs: Repairs,
): void {
  if (name === attribute.name && extension === undefined) return;
  if (isQualified(name)) repairs.count('name-qualified');
  else if (extension !== undefined) repairs.count('name-unqualified');
  else repairs.count(sub ? 'name-dotted' : 'name-case');
}
