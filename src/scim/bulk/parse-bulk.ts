import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { isStorable } from '../../domain/text.ts';
import { assertAcceptable, countSchemas, findPart } from '../dialect/parse-json.ts';
import { badRequest, invalidSyntax, invalidValue, notFound, ScimError } from '../errors.ts';
import { toWholeNumber } from '../render/paging.ts';
import type { Repairs } from '../repairs.ts';
import { findReference, listReferences } from './references.ts';

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

/** A bulk request. */
interface BulkRequest {
  /** Errors after which nothing more is performed; Infinity when the request names no number. */
  readonly failOnErrors: number;
  readonly operations: readonly BulkOperation[];
}

/**
 * Reads the body of a bulk request. Two POSTs with one bulkId both fail, because a reference to it would be ambiguous.
 * @throws ScimError 400 `invalidSyntax`: no operations; `invalidValue`: failOnErrors; 413: too many
 * @see RFC 7644 §3.7
 */
export function parseBulk(body: unknown, repairs: Repairs): BulkRequest {
  if (!isJsonObject(body)) throw invalidSyntax('The body is not a JSON object.');
  countSchemas(body, ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], repairs);
  const sent = findPart(body, 'Operations');
  if (!Array.isArray(sent)) throw invalidSyntax('The body has no list of Operations.');
  if (sent.length > BULK_OPERATIONS_MAX) {
    throw new ScimError(413, `The request has more than ${BULK_OPERATIONS_MAX} operations.`);
  }
  const failOnErrors = parseFailOnErrors(findPart(body, 'failOnErrors'), repairs);
  const parsed = sent.map(parseOperation);
  const created = Map.groupBy(parsed, ({ method, bulkId }) => method === 'POST' && bulkId);
  for (const [bulkId, same] of created) {
    if (!bulkId || same.length === 1) continue;
    for (const operation of same) {
      operation.request = invalidSyntax('Several operations of the request have this bulkId.');
    }
  }
  return { failOnErrors, operations: parsed };
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
  const named = {
    bulkId: toText(findPart(operation, 'bulkId')),
    method: toText(findPart(operation, 'method'))?.toUpperCase(),
  };
  try {
    return { ...named, request: parseRequest(operation, named) };
  } catch (error) {
    if (error instanceof ScimError) return { ...named, request: error };
    throw error;
  }
}

function parseRequest(
  operation: JsonObject,
  { bulkId, method }: Pick<BulkOperation, 'bulkId' | 'method'>,
): SingleRequest {
  // The data is looked at where it is read, as the body of the single request would be.
  assertAcceptable(Object.entries(operation).filter(([name]) => name.toLowerCase() !== 'data'));
  for (const name of ['method', 'path', 'version']) assertText(operation, name);
  const { type, id } = parsePath(findPart(operation, 'path'));
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH' && method !== 'DELETE') {
    throw invalidSyntax('The method of an operation is none of POST, PUT, PATCH and DELETE.');
  }
  if (method === 'POST') {
    if (id !== '')
      throw badRequest('invalidPath', 'The path of a POST names a type, not a resource.');
    if (bulkId === undefined) {
      assertText(operation, 'bulkId');
      throw invalidSyntax('A POST in a bulk request needs a bulkId.');
    }
  } else if (id === '') throw badRequest('invalidPath', `The path of a ${method} needs an id.`);
  const data = method === 'DELETE' ? null : toData(method, findPart(operation, 'data') ?? null);
  const references = listReferences(data);
  const target = findReference(id);
  if (target !== undefined) references.add(target);
  const ifMatch = method === 'POST' ? undefined : toText(findPart(operation, 'version'));
  return { type, method, id, ifMatch, data, references };
}

/** The body of the request; a list is the operations of a PATCH, as the example of the standard has it. @see RFC 7644 §3.7.3 */
function toData(method: SingleRequest['method'], data: JsonValue): JsonValue {
  return method === 'PATCH' && Array.isArray(data) ? { Operations: data } : data;
}

function parsePath(value: JsonValue | undefined): Pick<SingleRequest, 'type' | 'id'> {
  const parts = typeof value === 'string' ? PATH.exec(value.trim()) : null;
  if (!parts) throw badRequest('invalidPath', 'The path of an operation is no /Users or /Groups.');
  const type = parts[1]?.toLowerCase() === 'users' ? 'user' : 'group';
  return { type, id: parts[2] ? decodeId(parts[2], type) : '' };
}

/** @throws ScimError 400 `invalidSyntax` where this part is there and no text: it would count as absent */
function assertText(operation: JsonObject, name: string): void {
  if (typeof (findPart(operation, name) ?? '') === 'string') return;
  throw invalidSyntax(`The ${name} of an operation has to be a text.`);
}

/** An id is encoded as in the address of a single request; a bulkId is any text. @throws ScimError 400, 404 */
function decodeId(encoded: string, type: 'user' | 'group'): string {
  if (findReference(encoded) !== undefined) return encoded;
  try {
    const id = decodeURIComponent(encoded);
    if (isStorable(id)) return id;
  } catch (error) {
    throw badRequest('invalidPath', 'The path of an operation is not encoded correctly.', error);
  }
  throw notFound(type === 'user' ? 'User' : 'Group');
}

function toText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
