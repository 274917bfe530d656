import type { JsonObject } from '../../domain/json.ts';
import { type ScimError, toScimErrorBody } from '../errors.ts';
import { toETag } from '../render/resource-text.ts';
import type { AcceptedWrite } from './accept-write.ts';
import type { BulkOperation } from './bulk-operation.ts';
import type { BulkResult } from './run-bulk.ts';

/**
 * The answer to a bulk request: one entry for each operation that was performed. Only a failure has a
 * body of its own. @param baseUrl without a slash at its end. @see RFC 7644 §3.7.3
 */
export function toBulkResponse(baseUrl: string, results: readonly BulkResult[]): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
    Operations: results.map((result) => toEntry(baseUrl, result)),
  };
}

function toEntry(baseUrl: string, result: BulkResult): JsonObject {
  const { operation } = result;
  const method = toMethod(operation);
  const name = {
    ...(method === undefined ? {} : { method }),
    ...(operation.bulkId === undefined ? {} : { bulkId: operation.bulkId }),
  };
  return result.kind === 'accepted'
    ? { ...toSuccess(baseUrl, result.accepted, method), ...name }
    : { ...toLocation(baseUrl, operation, result.id), ...name, ...toFailure(result.error) };
}

function toSuccess(
  baseUrl: string,
  { type, write }: AcceptedWrite,
  method: string | undefined,
): JsonObject {
  const location = `${baseUrl}/${type}s/${write.id}`;
  if (method === 'DELETE') return { location, status: '204' };
  const version = toETag(write.row.version);
  return { location, version, status: method === 'POST' ? '201' : '200' };
}

function toFailure(error: ScimError): JsonObject {
  const { schemas, ...words } = toScimErrorBody(error);
  return { status: String(error.status), response: { schemas: [...schemas], ...words } };
}

function toLocation(baseUrl: string, operation: BulkOperation, id: string | undefined): JsonObject {
  if (operation.kind === 'malformed' || id === undefined) return {};
  return { location: `${baseUrl}/${operation.type}s/${id}` };
}

function toMethod(operation: BulkOperation): string | undefined {
  return operation.kind === 'write' ? operation.action.method : operation.method;
}
