import { isJsonObject, type JsonObject, type JsonValue } from '../../domain/json.ts';
import { isStorable } from '../../domain/text.ts';
import { assertAcceptable, countSchemas, findPart } from '../dialect/parse-json.ts';
import { badRequest, invalidSyntax, invalidValue, notFound, ScimError } from '../errors.ts';
import { ANY_VERSION } from '../http/etag.ts';
import { toWholeNumber } from '../render/paging.ts';
import type { Repairs } from '../repairs.ts';
import {
  type BulkAction,
  type BulkOperation,
  type BulkRequest,
  isCreation,
} from './bulk-operation.ts';
import { isReference, listReferences } from './references.ts';

/** Most operations of one request. */
export const BULK_OPERATIONS_MAX = 1_000;
/** A type, and the id of one resource. The id may be `bulkId:…`. */
const PATH = /^\/?(Users|Groups)(?:\/([^/?#\s]+))?\/?$/i;

/**
 * Reads the body of a bulk request. An error of one operation is kept with it and fails it alone; two POSTs
 * with one bulkId both fail, because a reference to it would be ambiguous.
 * @throws ScimError 400 `invalidSyntax`: no operations; `invalidValue`: failOnErrors; 413: too many
 * @see RFC 7644 §3.7
 */
export function parseBulk(body: unknown, repairs: Repairs): BulkRequest {
  if (!isJsonObject(body)) throw invalidSyntax('The body is not a JSON object.');
  countSchemas(body, ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'], repairs);
  const operations = findPart(body, 'Operations');
  if (!Array.isArray(operations)) throw invalidSyntax('The body has no list of Operations.');
  if (operations.length > BULK_OPERATIONS_MAX) {
    throw new ScimError(413, `The request has more than ${BULK_OPERATIONS_MAX} operations.`);
  }
  const failOnErrors = parseFailOnErrors(findPart(body, 'failOnErrors'), repairs);
  const parsed: BulkOperation[] = [];
  for (const [index, operation] of operations.entries()) {
    parsed.push(parseOperation(operation, index));
  }
  return { failOnErrors, operations: withoutDoubles(parsed) };
}

function parseFailOnErrors(value: JsonValue | undefined, repairs: Repairs): number {
  if (value === undefined || value === null) return Number.POSITIVE_INFINITY;
  if (typeof value === 'string') repairs.count('number-as-text');
  const number = toWholeNumber(value);
  if (number === undefined || number < 0) throw invalidValue('failOnErrors is no whole number.');
  return number === 0 ? Number.POSITIVE_INFINITY : number;
}

function parseOperation(value: JsonValue, index: number): BulkOperation {
  const operation = isJsonObject(value) ? value : {};
  const bulkId = toText(findPart(operation, 'bulkId'));
  const method = toText(findPart(operation, 'method'))?.toUpperCase();
  try {
    // The data is looked at where it is read, as the body of the single request would be.
    assertAcceptable(Object.entries(operation).filter(([name]) => name.toLowerCase() !== 'data'));
    assertTexts(operation, ['method', 'path', 'version']);
    const { type, id } = parsePath(findPart(operation, 'path'));
    const action = parseAction(operation, method, id);
    if (method === 'POST' && bulkId === undefined) {
      assertTexts(operation, ['bulkId']);
      throw invalidSyntax('A POST in a bulk request needs a bulkId.');
    }
    const references = listReferences(action);
    return {
      kind: 'write',
      index,
      bulkId,
      type,
      action,
      references,
      behind: new Set(),
      postponed: undefined,
    };
  } catch (error) {
    if (!(error instanceof ScimError)) throw error;
    return { kind: 'malformed', index, bulkId, method, error };
  }
}

/** @throws ScimError 400 `invalidSyntax` where one of these parts is there and no text: it would count as absent */
function assertTexts(operation: JsonObject, names: readonly string[]): void {
  for (const name of names) {
    const part = findPart(operation, name) ?? '';
    if (typeof part === 'string') continue;
    throw invalidSyntax(`The ${name} of an operation has to be a text.`);
  }
}

function parsePath(value: JsonValue | undefined): {
  type: 'User' | 'Group';
  id: string | undefined;
} {
  const parts = typeof value === 'string' ? PATH.exec(value.trim()) : null;
  if (!parts) throw badRequest('invalidPath', 'The path of an operation is no /Users or /Groups.');
  const type = parts[1]?.toLowerCase() === 'users' ? 'User' : 'Group';
  return { type, id: parts[2] && decodeId(parts[2], type) };
}

/** An id is encoded as in the address of a single request; a bulkId is any text. @throws ScimError 400, 404 */
function decodeId(encoded: string, type: 'User' | 'Group'): string {
  if (isReference(encoded)) return encoded;
  try {
    const id = decodeURIComponent(encoded);
    if (isStorable(id)) return id;
  } catch (error) {
    throw badRequest('invalidPath', 'The path of an operation is not encoded correctly.', error);
  }
  throw notFound(type);
}

function parseAction(
  operation: JsonObject,
  method: string | undefined,
  id: string | undefined,
): BulkAction {
  const data = findPart(operation, 'data') ?? null;
  if (method === 'POST') {
    if (id === undefined) return { method, data };
    throw badRequest('invalidPath', 'The path of a POST names a type, not a resource.');
  }
  if (method !== 'PUT' && method !== 'PATCH' && method !== 'DELETE') {
    throw invalidSyntax('The method of an operation is none of POST, PUT, PATCH and DELETE.');
  }
  if (id === undefined) throw badRequest('invalidPath', `The path of a ${method} needs an id.`);
  const ifMatch = toText(findPart(operation, 'version'));
  const preconditions = { ...ANY_VERSION, ifMatch };
  if (method === 'DELETE') return { method, id, preconditions };
  return { method, id, preconditions, data: method === 'PATCH' ? toPatchBody(data) : data };
}

/** The body of a PATCH; a list is its operations, as the example of the standard has it. @see RFC 7644 §3.7.3 */
function toPatchBody(data: JsonValue): JsonValue {
  return Array.isArray(data) ? { Operations: data } : data;
}

function withoutDoubles(operations: readonly BulkOperation[]): BulkOperation[] {
  const counts = new Map<string, number>();
  for (const { bulkId } of operations.filter(isCreation)) {
    if (bulkId !== undefined) counts.set(bulkId, (counts.get(bulkId) ?? 0) + 1);
  }
  return operations.map((operation) => {
    const { index, bulkId } = operation;
    const isDouble = bulkId !== undefined && (counts.get(bulkId) ?? 0) > 1;
    if (!isDouble || !isCreation(operation)) return operation;
    const error = invalidSyntax('Several operations of the request have this bulkId.');
    return { kind: 'malformed', index, bulkId, method: 'POST', error };
  });
}

function toText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
