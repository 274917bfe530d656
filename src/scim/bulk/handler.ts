import type { RequestHandler } from 'express';
import type { JsonObject } from '../../domain/json.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { findView } from '../../store/resources/views.ts';
import { getRequestContext } from '../../telemetry/request-context.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { type ScimError, toScimErrorBody } from '../errors.ts';
import { toETag } from '../http/etag.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, type NotedOperation, note, toProviderDeps } from '../http/notes.ts';
import { sendJson } from '../http/respond.ts';
import { toRef, toShownVersion } from '../render/resource-text.ts';
import { assertUpstreamUp } from '../writes/write-result.ts';
import type { BulkAction } from './bulk-operation.ts';
import { parseBulk } from './parse-bulk.ts';
import { type BulkResult, runBulk } from './run-bulk.ts';

/** POST /Bulk. @throws ScimError 400, 413, 503: nothing was performed. @see RFC 7644 §3.7 */
export function performBulk(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    assertAnyOpen(deps);
    const { profile, repairs } = getNotes(res);
    const request = parseBulk(req.body, repairs);
    assertUpstreamUp(deps);
    const asked = toProviderDeps(deps, res);
    const results = await runBulk(asked, request, {
      ...getRequestContext(res),
      profile,
    });
    note(res, { operations: results.map(toNoted) });
    const entries: JsonObject[] = [];
    for (const result of results) entries.push(await toEntry(asked, result));
    sendJson(res, 200, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
      Operations: entries,
    });
  };
}

/** Stops only when both types are closed: otherwise some operations can be performed. */
function assertAnyOpen(deps: ScimDeps): void {
  if (deps.findClosed('group')) assertOpen(deps, 'user');
}

/**
 * The version that readers are shown by now: operations behind this one may have changed its resource. Where the store
 * cannot be read everything is done all the same, and has to be told.
 */
async function readVersion(
  deps: ProviderDeps,
  { accepted: { type, id, row } }: Extract<BulkResult, { kind: 'accepted' }>,
): Promise<string> {
  const { read } = deps.store;
  try {
    const view = await findView(read, `${type}s`, id);
    return toShownVersion(view ?? row, deps);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return toShownVersion(row, deps);
  }
}

/**
 * The entry of an operation that was performed in the answer to a bulk request. Only a failure has a body of its own.
 * @see RFC 7644 §3.7.3
 */
async function toEntry(deps: ProviderDeps, result: BulkResult): Promise<JsonObject> {
  const { operation, id } = result;
  const method = operation.kind === 'write' ? operation.action.method : operation.method;
  const name = {
    ...(method === undefined ? {} : { method }),
    ...(operation.bulkId === undefined ? {} : { bulkId: operation.bulkId }),
  };
  const isKnown = operation.kind === 'write' && id !== undefined;
  const location = isKnown ? { location: toRef(deps.baseUrl, operation.type, id) } : {};
  if (result.kind === 'failed') return { ...location, ...name, ...toFailure(result.error) };
  const status = String(toStatus(result.operation.action));
  if (method === 'DELETE') return { ...location, status, ...name };
  return { ...location, version: toETag(await readVersion(deps, result)), status, ...name };
}

function toFailure(error: ScimError): JsonObject {
  const { schemas, ...words } = toScimErrorBody(error);
  return { status: String(error.status), response: { schemas: [...schemas], ...words } };
}

function toNoted(result: BulkResult): NotedOperation {
  const { operation, id, content, repaired } = result;
  const refusal = result.kind === 'failed' ? result.error : undefined;
  if (operation.kind === 'malformed') {
    const { status } = operation.error;
    return { method: 'POST', resourceType: null, id, content, status, refusal, repaired };
  }
  const { action, type } = operation;
  return {
    method: action.method,
    resourceType: type === 'User' ? 'user' : 'group',
    id,
    content,
    status: refusal?.status ?? toStatus(action),
    refusal,
    repaired,
  };
}

/** Status of the single request that the operation stands for, where it succeeds. */
function toStatus({ method }: BulkAction): number {
  if (method === 'POST') return 201;
  return method === 'DELETE' ? 204 : 200;
}
