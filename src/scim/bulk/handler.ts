import type { RequestHandler } from 'express';
import { toResourceKey } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { findView } from '../../store/resources/views.ts';
import { getRequestContext, type RequestContext } from '../../telemetry/request-context.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import type { Content } from '../dialect/parse-resource.ts';
import { invalidValue, ScimError, toScimErrorBody } from '../errors.ts';
import { toETag } from '../http/etag.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, type NotedOperation, note, toProviderDeps } from '../http/notes.ts';
import { sendJson, toScimError } from '../http/respond.ts';
import { toRef, toShownVersion } from '../render/resources.ts';
import { attempt, createRequestRepairs, type RequestRepairs, UNCOUNTED } from '../repairs.ts';
import { acceptWrite, assertUpstreamUp, settleWrite } from '../writes/accept.ts';
import type { Accepted } from '../writes/kind.ts';
import { type BulkOperation, parseBulk, type SingleRequest } from './parse-bulk.ts';
import { findReference, listReferences, resolveReferences, splitReferring } from './references.ts';

/** POST /Bulk. @throws ScimError 400, 413, 503: nothing was performed. @see RFC 7644 §3.7 */
export function performBulk(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    // Where one type alone is closed, some operations can be performed.
    if (deps.findClosed('group')) assertOpen(deps, 'user');
    const { repairs, profile } = getNotes(res);
    const { operations, failOnErrors } = parseBulk(req.body, repairs);
    assertUpstreamUp(deps);
    const tasks = operations.map(
      (operation): Task => ({
        ...operation,
        repairs: createRequestRepairs(deps.telemetry, profile),
      }),
    );
    const run: Run = {
      deps: toProviderDeps(deps, res),
      context: getRequestContext(res),
      created: Map.groupBy(tasks, ({ method, bulkId }) => (method === 'POST' ? bulkId : undefined)),
      waiting: [...tasks],
      failed: new Set(),
      stored: new Map(),
    };
    await runTasks(run, failOnErrors);
    const done = tasks.filter(({ outcome }) => outcome !== undefined);
    note(res, { operations: done.map(toNoted) });
    const entries: JsonObject[] = [];
    for (const task of done) entries.push(await toEntry(run.deps, task));
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'];
    sendJson(res, 200, { schemas, Operations: entries });
  };
}

/** An operation of a bulk request and what has become of it so far. */
interface Task extends BulkOperation {
  request: SingleRequest | ScimError;
  readonly repairs: RequestRepairs;
  /** What its data says. */
  content?: Content;
  /** The bridge's id of its resource, where one is known. */
  id?: string | undefined;
  outcome?: Accepted | ScimError;
  /** The creation of a user without attributes that this task sets: the outcome is that of the creation. */
  readonly completes?: Task;
}

/** The entry of an operation in the answer. Only a failure has a body of its own. @see RFC 7644 §3.7.3 */
async function toEntry(deps: ProviderDeps, task: Task): Promise<JsonObject> {
  const { method, bulkId, request, id, outcome } = task;
  const entry: JsonObject = {};
  if (!(request instanceof ScimError) && id !== undefined) {
    entry.location = toRef(deps.baseUrl, request.type === 'user' ? 'User' : 'Group', id);
  }
  if (method !== undefined) entry.method = method;
  if (bulkId !== undefined) entry.bulkId = bulkId;
  entry.status = String(toStatus(task));
  if (outcome instanceof ScimError) entry.response = toScimErrorBody(outcome);
  else if (outcome && method !== 'DELETE') entry.version = toETag(await readVersion(deps, outcome));
  return entry;
}

/**
 * The version that readers are shown by now: operations behind this one may have changed its resource. Where the store
 * cannot be read everything is done all the same, and has to be answered.
 */
async function readVersion(deps: ProviderDeps, { row }: Accepted): Promise<string> {
  try {
    const view = await findView(deps.store.read, row.type, row.id);
    return toShownVersion(view ?? row, deps);
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return toShownVersion(row, deps);
  }
}

function toNoted(task: Task): NotedOperation {
  const { request, id, content, outcome, repairs } = task;
  const known = request instanceof ScimError ? undefined : request;
  return {
    method: known?.method ?? 'POST',
    resourceType: known?.type ?? null,
    id,
    content,
    status: toStatus(task),
    refusal: outcome instanceof ScimError ? outcome : undefined,
    repaired: repairs.list(),
  };
}

/** Status of the single request that the operation stands for. */
function toStatus({ outcome, method }: Task): number {
  if (outcome instanceof ScimError) return outcome.status;
  if (method === 'POST') return 201;
  return method === 'DELETE' ? 204 : 200;
}

/** State of a bulk request while it runs. */
interface Run {
  readonly deps: ProviderDeps;
  readonly context: RequestContext;
  /** The operations that others may name. */
  readonly created: ReadonlyMap<string | undefined, readonly Task[]>;
  readonly waiting: Task[];
  readonly failed: Set<Task>;
  /**
   * Waits of stored writes, each begun by its first call. They are begun together, with the locks of their resources held
   * until then, so that many changes of a group are one call.
   */
  readonly stored: Map<Task, () => Promise<void>>;
}

/** Most stored writes before their waits begin. */
const STORED_MAX = 64;

/**
 * Performs the operations one after the other, each in a transaction of its own. One that refers to others waits until these are
 * settled: a refused write is undone before another one builds on it. Otherwise they keep their order. All waiting is
 * within the one wait of the request; once that is over, stored writes count as accepted, and the rest follows at once.
 * @param failOnErrors number of errors after which nothing more is performed
 */
async function runTasks(run: Run, failOnErrors: number): Promise<void> {
  const isEnough = () => run.failed.size >= failOnErrors;
  for (let task = takeNext(run); task !== undefined; task = takeNext(run)) {
    if (run.failed.size + run.stored.size >= failOnErrors) await settle(run);
    await settle(run, listReferents(run, task));
    if (!isEnough() || task.completes) await perform(run, task);
  }
  await settle(run);
  // A server that cannot resolve a circle answers 409 (RFC 7644 §3.7.1).
  const circle = new ScimError(409, 'Operations of the request refer to each other in a circle.');
  for (const task of run.waiting) if (!isEnough()) fail(run, task, circle);
}

/** Takes the first task that refers to nothing unfinished. undefined: there is none, or the rest refer to each other. */
function takeNext(run: Run): Task | undefined {
  const { waiting } = run;
  const ready = waiting.findIndex((task) => isReady(run, task));
  return ready === -1 ? breakCircle(run) : waiting.splice(ready, 1)[0];
}

/** The creation that a bulkId names. Of several all fail, so the last one stands for them. */
function findCreated({ created }: Run, bulkId: string | undefined): Task | undefined {
  return bulkId === undefined ? undefined : created.get(bulkId)?.at(-1);
}

/** The creations that a task refers to. */
function listReferents(run: Run, { request }: Task): Task[] {
  if (request instanceof ScimError) return [];
  return [...request.references].flatMap((bulkId) => findCreated(run, bulkId) ?? []);
}

/** True when everything is done that the operation refers to. */
function isReady(run: Run, task: Task): boolean {
  if (listReferents(run, task).some(({ outcome }) => outcome === undefined)) return false;
  if (task.request instanceof ScimError || task.completes) return true;
  // What changes a user comes behind the attributes that the user was to be created with.
  const target = findCreated(run, findReference(task.request.id));
  return target === undefined || run.waiting.every(({ completes }) => completes !== target);
}

/**
 * Breaks the circles that managers make: a new user is created without the attributes that name others, and another task
 * sets them when these are there. Circles of groups stay.
 * @returns the creation of the user; undefined: no user waits
 */
function breakCircle({ waiting }: Run): Task | undefined {
  for (const [at, task] of waiting.entries()) {
    const { request, bulkId } = task;
    if (request instanceof ScimError || request.method !== 'POST') continue;
    if (request.type !== 'user' || !isJsonObject(request.data)) continue;
    const { rest, referring } = splitReferring(request.data);
    const data = { Operations: [{ op: 'add', value: referring }] };
    const change = { ...request, method: 'PATCH', id: `bulkId:${bulkId}`, data } as const;
    waiting[at] = { ...task, request: change, repairs: UNCOUNTED, completes: task };
    task.request = { ...request, data: rest, references: listReferences(rest) };
    return task;
  }
  return undefined;
}

/** Stores one write as the single request would. */
async function perform(run: Run, task: Task): Promise<void> {
  const { deps } = run;
  const { repairs, request } = task;
  try {
    if (request instanceof ScimError) throw request;
    const { type, method, ifMatch, data, references } = request;
    const id = findTarget(run, request);
    // A member that no operation creates is an unknown one, beside which another one may have to leave.
    const isOfMembers = type === 'group' && id !== undefined;
    attempt(isOfMembers ? repairs : UNCOUNTED, undefined, () =>
      assertResolved(run, task, references),
    );
    assertOpen(deps, type);
    const accepted = await acceptWrite(deps, {
      type,
      method,
      target: { id: id ?? '', preconditions: { ifMatch, ifNoneMatch: undefined } },
      // Most name no other, and may be large.
      body:
        references.size === 0
          ? data
          : resolveReferences(data, (bulkId) => findCreated(run, bulkId)?.id),
      repairs,
      understood(content) {
        task.content = content;
      },
    });
    Object.assign(task.completes ?? task, { outcome: accepted, id: accepted.row.id });
    settleLater(run, task, accepted);
  } catch (error) {
    fail(run, task, error);
  }
}

/** @throws ScimError 400 where nothing has the bulkId, 409 where what had it failed */
function assertResolved(run: Run, { completes }: Task, references: ReadonlySet<string>): void {
  for (const bulkId of references) {
    const created = findCreated(run, bulkId);
    if (!created) throw invalidValue('A bulkId is named that no POST of the request has.');
    if (created.id !== undefined) continue;
    const detail = completes
      ? 'The user was created without its manager, because the operation that creates the manager failed.'
      : 'An operation of the request that this one refers to failed.';
    throw new ScimError(409, detail);
  }
}

/** The resource that an operation changes; undefined: it creates one, or that one is not there. */
function findTarget(run: Run, { type, method, id }: SingleRequest): string | undefined {
  if (method === 'POST') return undefined;
  const bulkId = findReference(id);
  return bulkId === undefined ? run.deps.formerIds.toOwn(type, id) : findCreated(run, bulkId)?.id;
}

function fail(run: Run, task: Task, cause: unknown): void {
  const { deps, context, failed } = run;
  const error = toScimError(cause);
  if (error.status >= 500 && error.cause !== undefined) {
    deps.telemetry.failed({ requestId: context.requestId, error: error.cause });
  }
  const { request, completes } = task;
  const failing = completes ?? task;
  failing.outcome = error;
  failed.add(failing);
  // A user that lacks some attributes is there all the same.
  if (!completes && !(request instanceof ScimError)) failing.id = findTarget(run, request);
}

function settleLater(run: Run, task: Task, accepted: Accepted): void {
  const { deps, context, stored } = run;
  const { row, undo } = accepted;
  const lock = undo && deps.reconciler.lock(toResourceKey(row));
  let waiting: Promise<void> | undefined;
  stored.set(task, () => {
    waiting ??= settleWrite(deps, accepted, context.arrivedAt, lock)
      .catch((error: unknown) => fail(run, task, error))
      .finally(() => stored.delete(task));
    return waiting;
  });
  // Without the lock another run may be sending the write already: a refusal has to find us waiting.
  if (lock === undefined) void stored.get(task)?.();
  if (stored.size >= STORED_MAX) void settle(run);
}

/** Waits until the writes of these tasks are settled; of all where left out. */
async function settle({ stored }: Run, tasks: Iterable<Task> = stored.keys()): Promise<void> {
  const awaited = [...tasks].flatMap((task) => stored.get(task) ?? []);
  if (awaited.length === 0) return;
  for (const wait of stored.values()) void wait();
  await Promise.all(awaited.map((wait) => wait()));
}
