import type { RequestHandler } from 'express';
import type { JsonObject } from '../../domain/json.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { readVersions } from '../../store/resources/views.ts';
import { getRequestContext } from '../../telemetry/request-context.ts';
import type { ScimDeps } from '../deps.ts';
import { type ScimError, toScimErrorBody } from '../errors.ts';
import { toETag } from '../http/etag.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, type NotedOperation, note, toProviderDeps } from '../http/notes.ts';
import { sendJson } from '../http/respond.ts';
import { toRef } from '../render/resource-text.ts';
import { assertUpstreamUp } from '../writes/settle.ts';
import type { BulkAction } from './bulk-operation.ts';
import { parseBulk } from './parse-bulk.ts';
import { type BulkResult, runBulk } from './run-bulk.ts';

/** POST /Bulk. @throws ScimError 400, 413, 503: nothing was performed. @see RFC 7644 §3.7 */
export function performBulk(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    assertAnyOpen(deps);
    const { profile, repairs } = getNotes(res);
    const request = parseBulk(req.body, deps.policy.bulkOperationsMax, repairs);
    assertUpstreamUp(deps);
    const results = await runBulk(toProviderDeps(deps, res), request, {
      ...getRequestContext(res),
      profile,
    });
    note(res, { operations: results.map(toNoted) });
    const versions = await readShownVersions(deps, results);
    sendJson(res, 200, toBulkResponse(deps.baseUrl, results, versions));
  };
}

/** Stops only when both types are closed: otherwise some operations can be performed. */
function assertAnyOpen(deps: ScimDeps): void {
  if (deps.findClosed('group')) assertOpen(deps, 'user');
}

/** Versions by id: operations behind one may have changed its resource, as a group does that a new user joins. */
type Versions = ReadonlyMap<string, number>;

async function readShownVersions(
  { store }: ScimDeps,
  results: readonly BulkResult[],
): Promise<Versions> {
  const accepted = results.filter((result) => result.kind === 'accepted');
  const read = (table: 'users' | 'groups', type: 'User' | 'Group') => {
    const ids = accepted.filter(({ operation }) => operation.type === type).map(({ id }) => id);
    return readVersions(store.read, table, [...new Set(ids)]);
  };
  try {
    return new Map([...(await read('users', 'User')), ...(await read('groups', 'Group'))]);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return new Map(); // Everything is done, and has to be told with the versions of the writes themselves.
  }
}

/**
 * The answer to a bulk request: one entry for each operation that was performed. Only a failure has a
 * body of its own. @param baseUrl without a slash at its end. @see RFC 7644 §3.7.3
 */
function toBulkResponse(
  baseUrl: string,
  results: readonly BulkResult[],
  versions: Versions,
): JsonObject {
  return {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
    Operations: results.map((result) => toEntry(baseUrl, result, versions)),
  };
}

function toEntry(baseUrl: string, result: BulkResult, versions: Versions): JsonObject {
  const { operation, id } = result;
  const method = operation.kind === 'write' ? operation.action.method : operation.method;
  const name = {
    ...(method === undefined ? {} : { method }),
    ...(operation.bulkId === undefined ? {} : { bulkId: operation.bulkId }),
  };
  const isKnown = operation.kind === 'write' && id !== undefined;
  const location = isKnown ? { location: toRef(baseUrl, operation.type, id) } : {};
  if (result.kind === 'failed') return { ...location, ...name, ...toFailure(result.error) };
  const status = String(toStatus(result.operation.action));
  if (method === 'DELETE') return { ...location, status, ...name };
  const version = versions.get(result.id) ?? result.accepted.row.version;
  return { ...location, version: toETag(version), status, ...name };
}

function toFailure(error: ScimError): JsonObject {
  const { schemas, ...words } = toScimErrorBody(error);
  return { status: String(error.status), response: { schemas: [...schemas], ...words } };
}

function toNoted(result: BulkResult): NotedOperation {
  const { operation, id, content, repaired } = result;
  const scimType = result.kind === 'failed' ? result.error.scimType : undefined;
  if (operation.kind === 'malformed') {
    const { status } = operation.error;
    return { method: 'POST', resourceType: null, id, content, status, scimType, repaired };
  }
  const { action, type } = operation;
  return {
    method: action.method,
    resourceType: type === 'User' ? 'user' : 'group',
    id,
    content,
    status: result.kind === 'failed' ? result.error.status : toStatus(action),
    scimType,
    repaired,
  };
}

/** Status of the single request that the operation stands for, where it succeeds. */
function toStatus({ method }: BulkAction): number {
  if (method === 'POST') return 201;
  return method === 'DELETE' ? 204 : 200;
}
