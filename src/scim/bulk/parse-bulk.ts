import type { JsonObject, JsonValue } from '../../domain/values.ts';
import { isJsonObject, isStorable } from '../../domain/values.ts';
import {
  assertStorable,
  BODY_DEPTH_MAX,
  countSchemas,
  findPart,
  openBody,
} from '../dialect/parse-json.ts';
import { badRequest, invalidSyntax, invalidValue, notFound, ScimError } from '../errors.ts';
import { toWholeNumber } from '../render/paging.ts';
import type { Repairs } from '../repairs.ts';

/** Most operations of one request. */
export const BULK_OPERATIONS_MAX = 1_000;
/** A type, and the id of one resource. The id may be `bulkId:…`. */
const PATH = /^\/?(Users|Groups)(?:\/([^/?#\s]+))?\/?$/i;

/** Single request that an operation stands for. */
export interface SingleRequest {
  readonly type: 'user' | 'group';
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** May be `bulkId:…`; empty for a POST. */
  readonly id: string;
  readonly ifMatch: string | undefined;
  /** May hold `bulkId:…` in the place of ids. */
  readonly data: JsonValue;
  /** The bulkIds that it names. */
  readonly references: ReadonlySet<string>;
}

/** One operation of a bulk request. One that cannot be understood has an error, and fails alone. */
export interface BulkOperation {
  readonly bulkId: string | undefined;
  /** As it was sent; undefined: it was no text. */
  readonly method: string | undefined;
  request: SingleRequest | ScimError;
}

/** Reads the body of a bulk request. Two POSTs with one bulkId both fail, because a reference would be ambiguous. @throws ScimError 400, 413 @see RFC 7644 §3.7 */
export function parseBulk(sentBody: unknown, repairs: Repairs) {
  const body = openBody(sentBody);
  countSchemas(body, ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], repairs);
  const sent = findPart(body, 'Operations');
  if (!Array.isArray(sent)) throw invalidSyntax('The body has no list of Operations.');
  if (sent.length > BULK_OPERATIONS_MAX) {
    throw new ScimError(413, `The request has more than ${BULK_OPERATIONS_MAX} operations.`);
  }
  const failOnErrors = parseFailOnErrors(findPart(body, 'failOnErrors'), repairs);
  const operations = sent.map(parseOperation);
  const created = Map.groupBy(operations, ({ method, bulkId }) => method === 'POST' && bulkId);
  for (const [bulkId, same] of created) {
    if (!bulkId || same.length === 1) continue;
    for (const operation of same) {
      operation.request = invalidSyntax('Several operations of the request have this bulkId.');
    }
  }
  return { failOnErrors, operations };
}

function parseFailOnErrors(value: JsonValue | undefined, repairs: Repairs): number {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
  if (typeof value === 'string') repairs.count('number-as-text');
  const number = toWholeNumber(value);
  if (number === undefined || number < 0) throw invalidValue('failOnErrors is no whole number.');
  return number === 0 ? Number.POSITIVE_INFINITY : number;
}

function parseOperation(value: JsonValue): BulkOperation {
  const operation = isJsonObject(value) ? value : {};
  const [bulkId, method] = ['bulkId', 'method'].map((name) => {
    const text = findPart(operation, name);
    return typeof text === 'string' && text !== '' ? text : undefined;
  });
  const named = { bulkId, method: method?.toUpperCase() };
  try {
    return { ...named, request: parseRequest(operation, named.method) };
  } catch (error) {
    if (error instanceof ScimError) return { ...named, request: error };
    throw error;
  }
}

function parseRequest(operation: JsonObject, method: string | undefined): SingleRequest {
  readText(operation, 'method');
  const version = readText(operation, 'version');
  const { type, id } = parsePath(readText(operation, 'path'));
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH' && method !== 'DELETE') {
    throw invalidSyntax('The method of an operation is none of POST, PUT, PATCH and DELETE.');
  }
  const isPost = method === 'POST';
  if (isPost !== (id === '')) {
    const problem = isPost ? 'names a type, not a resource' : 'needs an id';
    throw badRequest('invalidPath', `The path of a ${method} ${problem}.`);
  }
  if (isPost && readText(operation, 'bulkId') === undefined) {
    throw invalidSyntax('A POST in a bulk request needs a bulkId.');
  }
  const sent = (method === 'DELETE' ? null : findPart(operation, 'data')) ?? null;
  // A list is the operations of a PATCH, as the example of the standard has it (RFC 7644 §3.7.3).
  const data = method === 'PATCH' && Array.isArray(sent) ? { Operations: sent } : sent;
  const references = new Set<string>();
  resolveReferences(data, (bulkId) => {
    references.add(bulkId);
    return undefined;
  });
  const target = findReference(id);
  if (target !== undefined) references.add(target);
  return { type, method, id, ifMatch: isPost ? undefined : version, data, references };
}

function readText(operation: JsonObject, name: string): string | undefined {
  const value = findPart(operation, name) ?? '';
  if (typeof value !== 'string') {
    throw invalidSyntax(`The ${name} of an operation has to be a text.`);
  }
  assertStorable(value);
  return value === '' ? undefined : value;
}

function parsePath(text = ''): Pick<SingleRequest, 'type' | 'id'> {
  const [, name, encoded = ''] = PATH.exec(text.trim()) ?? [];
  if (name === undefined) {
    throw badRequest('invalidPath', 'The path of an operation is no /Users or /Groups.');
  }
  const type = name.toLowerCase() === 'users' ? 'user' : 'group';
  // An id is encoded as in the address of a single request; a bulkId is any text.
  if (encoded === '' || findReference(encoded) !== undefined) return { type, id: encoded };
  try {
    const id = decodeURIComponent(encoded);
    if (isStorable(id)) return { type, id };
  } catch (error) {
    throw badRequest('invalidPath', 'The path of an operation is not encoded correctly.', error);
  }
  throw notFound(type === 'user' ? 'User' : 'Group');
}

/** A reference in the place of an id, or at the end of an address. */
const REFERENCE = /^(.*\/)?bulkId:(.+)$/i;
/** Attributes whose values are ids of resources, after the URN of their schema or not. */
const REFERRING = /(?:^|[:.])(?:members|admins|manager)(?:\.value)?$/i;
/** An id in the filter of a path, quoted or not. */
const IN_FILTER = /(\bvalue\s+(?:eq|ne)\s+)(?:"(bulkId:[^"\\]+)"|(bulkId:[^\s"\])]+))/gi;

/** The bulkId that an id refers to; undefined: the id is none. */
export function findReference(id: string): string | undefined {
  return REFERENCE.exec(id)?.[2];
}

/** The data with ids where it names bulkIds: in attributes whose values are ids, and in the filters of paths of a PATCH. */
export function resolveReferences(
  data: JsonValue,
  resolve: (bulkId: string) => string | undefined,
): JsonValue {
  return walk(data, { name: '', isOfIds: false, depth: 0 });

  function walk(
    value: JsonValue,
    place: { name: string; isOfIds: boolean; depth: number },
  ): JsonValue {
    const { name, depth } = place;
    if (typeof value === 'string') return place.isOfIds ? resolveId(value, name) : value;
    if (typeof value !== 'object' || value === null || depth > BODY_DEPTH_MAX) return value;
    if (Array.isArray(value))
      return value.map((item) => walk(item, { ...place, depth: depth + 1 }));
    const path = typeof value.path === 'string' ? value.path : '';
    const [list = ''] = path.split('[', 1);
    const isOfIds = place.isOfIds || REFERRING.test(list.trim());
    const parts = Object.entries(value).map(([key, part]) => {
      if (key === 'path' && isOfIds)
        return [key, path.replace(IN_FILTER, resolveInFilter)] as const;
      const inside = { name: key, isOfIds: isOfIds || REFERRING.test(key), depth: depth + 1 };
      return [key, walk(part, inside)] as const;
    });
    // Not by assignment: a name of the request may be __proto__.
    return Object.fromEntries(parts);
  }

  function resolveId(text: string, name: string): JsonValue {
    const [, folder = name.toLowerCase() === '$ref' ? '../Users/' : '', bulkId] =
      REFERENCE.exec(text) ?? [];
    const id = bulkId && resolve(bulkId);
    // What refers to nothing is no value, which is left out where access is taken beside it.
    if (bulkId !== undefined && id === undefined) return {};
    return id === undefined ? text : `${folder}${id}`;
  }

  function resolveInFilter(whole: string, test: string, quoted?: string, bare = ''): string {
    const id = resolve(findReference(quoted ?? bare) ?? '');
    return id === undefined ? whole : `${test}${JSON.stringify(id)}`;
  }
}
