import type { RequestHandler } from 'express';
import type { JsonObject } from '../../domain/json.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { findView } from '../../store/resources/views.ts';
import { getRequestContext } from '../../telemetry/request-context.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { ScimError, toScimErrorBody } from '../errors.ts';
import { toETag } from '../http/etag.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, type NotedOperation, note, toProviderDeps } from '../http/notes.ts';
import { sendJson } from '../http/respond.ts';
import { toRef, toShownVersion } from '../render/resource-text.ts';
import { createRequestRepairs } from '../repairs.ts';
import { type AcceptedWrite, assertUpstreamUp } from '../writes/write-result.ts';
import { parseBulk } from './parse-bulk.ts';
import { createTask, runTasks, type Task } from './run-tasks.ts';

/** POST /Bulk. @throws ScimError 400, 413, 503: nothing was performed. @see RFC 7644 §3.7 */
export function performBulk(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    // Where one type alone is closed, some operations can be performed.
    if (deps.findClosed('group')) assertOpen(deps, 'user');
    const { repairs, profile } = getNotes(res);
    const { operations, failOnErrors } = parseBulk(req.body, repairs);
    assertUpstreamUp(deps);
    const asked = toProviderDeps(deps, res);
    const tasks = operations.map((operation) =>
      createTask(operation, createRequestRepairs(deps.telemetry, profile)),
    );
    await runTasks(asked, tasks, { ...getRequestContext(res), failOnErrors });
    const done = tasks.filter(
      ({ accepted, error }) => accepted !== undefined || error !== undefined,
    );
    note(res, { operations: done.map(toNoted) });
    const entries: JsonObject[] = [];
    for (const task of done) entries.push(await toEntry(asked, task));
    sendJson(res, 200, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'],
      Operations: entries,
    });
  };
}

/** The entry of an operation in the answer. Only a failure has a body of its own. @see RFC 7644 §3.7.3 */
async function toEntry(
  deps: ProviderDeps,
  { method, bulkId, request, id, accepted, error }: Task,
): Promise<JsonObject> {
  const entry: JsonObject = {};
  if (!(request instanceof ScimError) && id !== undefined) {
    entry.location = toRef(deps.baseUrl, request.type, id);
  }
  if (method !== undefined) entry.method = method;
  if (bulkId !== undefined) entry.bulkId = bulkId;
  entry.status = String(error?.status ?? toStatus(method));
  if (error) entry.response = toScimErrorBody(error);
  else if (accepted && method !== 'DELETE') {
    entry.version = toETag(await readVersion(deps, accepted));
  }
  return entry;
}

/**
 * The version that readers are shown by now: operations behind this one may have changed its resource. Where the store
 * cannot be read everything is done all the same, and has to be answered.
 */
async function readVersion(deps: ProviderDeps, { type, id, row }: AcceptedWrite): Promise<string> {
  try {
    const view = await findView(deps.store.read, type, id);
    return toShownVersion(view ?? row, deps);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return toShownVersion(row, deps);
  }
}

function toNoted({ method, request, id, content, error, repairs }: Task): NotedOperation {
  const known = request instanceof ScimError ? undefined : request;
  return {
    method: known?.method ?? 'POST',
    resourceType: known ? (known.type === 'User' ? 'user' : 'group') : null,
    id,
    content,
    status: error?.status ?? toStatus(method),
    refusal: error,
    repaired: repairs.list(),
  };
}

/** Status of the single request that the operation stands for, where it succeeds. */
function toStatus(method: string | undefined): number {
  if (method === 'POST') return 201;
  return method === 'DELETE' ? 204 : 200;
}
