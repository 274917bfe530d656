import type { RequestHandler } from 'express';
import type { JsonObject } from '../../domain/values.ts';
import { toResourceKey } from '../../domain/values.ts';
import { StoreError } from '../../store/engine/store-error.ts';
import { findView } from '../../store/resources/views.ts';
import type { RequestContext } from '../../telemetry/request-context.ts';
import { getRequestContext } from '../../telemetry/request-context.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import type { Content } from '../dialect/parse-body.ts';
import { invalidValue, ScimError, toScimErrorBody } from '../errors.ts';
import { toETag } from '../http/etag.ts';
import { assertOpen } from '../http/guards.ts';
import type { NotedOperation } from '../http/notes.ts';
import { getNotes, note, toProviderDeps } from '../http/notes.ts';
import { reportFault, sendJson } from '../http/respond.ts';
import { toRef, toShownVersion } from '../render/resources.ts';
import type { RequestRepairs } from '../repairs.ts';
import { attempt, createRequestRepairs, UNCOUNTED } from '../repairs.ts';
import { acceptWrite, assertUpstreamUp, deliverWrite } from '../writes/accept.ts';
import type { Accepted } from '../writes/kind.ts';
import type { BulkOperation } from './parse-bulk.ts';
import { findReference, parseBulk, resolveReferences } from './parse-bulk.ts';

/** POST /Bulk. @throws ScimError 400, 413, 503: nothing was performed. @see RFC 7644 §3.7 */
export function performBulk(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    // Where one type alone is closed, some operations can be performed.
    if (deps.findClosed('group')) assertOpen(deps, 'user');
    const { repairs, profile } = getNotes(res);
    const { operations, failOnErrors } = parseBulk(req.body, repairs);
    assertUpstreamUp(deps);
    const tasks = operations.map((operation): Task => {
      return { ...operation, repairs: createRequestRepairs(deps.events, profile) };
    });
    const asked = toProviderDeps(deps, res);
    await new BulkRun(asked, tasks, getRequestContext(res)).perform(failOnErrors);
    const done = tasks.filter(({ outcome }) => outcome !== undefined);
    note(res, { operations: done.map(toNoted) });
    const entries: JsonObject[] = [];
    for (const task of done) entries.push(await toEntry(asked, task));
    const schemas = ['urn:ietf:params:scim:api:messages:2.0:BulkResponse'];
    sendJson(res, 200, { schemas, Operations: entries });
  };
}

interface Task extends BulkOperation {
  readonly repairs: RequestRepairs;
  content?: Content;
  /** The bridge's id of its resource, where one is known. */
  id?: string | undefined;
  outcome?: Accepted | ScimError;
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

/** The version that readers are shown by now: later operations may have changed the resource. Where the store cannot be read, that of the write. */
async function readVersion(deps: ProviderDeps, { row }: Accepted): Promise<string> {
  const view = await findView(deps.store.read, row.type, row.id).catch((error: unknown) => {
    if (error instanceof StoreError) return undefined;
    throw error;
  });
  return toShownVersion(view ?? row, deps);
}

function toNoted(task: Task): NotedOperation {
  const { request, id, content, outcome, repairs } = task;
  const known = request instanceof ScimError ? undefined : request;
  return {
    method: known?.method ?? 'POST',
    resource_type: known?.type ?? null,
    id,
    content,
    status: toStatus(task),
    refusal: outcome instanceof ScimError ? outcome : undefined,
    repaired: repairs.list(),
  };
}

function toStatus({ outcome, method }: Task): number {
  if (outcome instanceof ScimError) return outcome.status;
  if (method === 'POST') return 201;
  return method === 'DELETE' ? 204 : 200;
}

/** A server need not resolve a circle (RFC 7644 §3.7.1). */
const CIRCLE = 'Operations of the request refer to each other in a circle.';
/** Most stored writes before their waits begin. */
const STORED_MAX = 64;

/** True for a change of a group that takes nothing: with those that follow it is one call. */
function mayGrow({ method, outcome }: Task): boolean {
  if (outcome === undefined || outcome instanceof ScimError || method === 'POST') return false;
  return outcome.row.type === 'group' && !outcome.takesAccess;
}

/** Performs the operations in order, each in a transaction of its own. One that refers to others waits until these are delivered, since a refused write is undone. */
class BulkRun {
  readonly #deps: ProviderDeps;
  readonly #waiting: Task[];
  readonly #created: ReadonlyMap<string | undefined, Task>;
  readonly #request: RequestContext;
  /** Waits of stored writes, each begun by its first call; together, with their locks held until then, so that many changes of a group are one call. */
  readonly #stored = new Map<Task, () => Promise<void>>();
  #failures = 0;

  constructor(deps: ProviderDeps, tasks: readonly Task[], request: RequestContext) {
    this.#deps = deps;
    this.#waiting = [...tasks];
    this.#request = request;
    const posts = tasks.filter(({ method }) => method === 'POST');
    this.#created = new Map(posts.map((task) => [task.bulkId, task]));
  }

  /** @param failOnErrors number of errors after which nothing more is performed */
  async perform(failOnErrors: number): Promise<void> {
    for (let task = this.#takeNext(); task !== undefined; task = this.#takeNext()) {
      if (this.#failures + this.#stored.size >= failOnErrors) await this.#deliver();
      await this.#deliver(this.#listReferents(task));
      if (this.#failures >= failOnErrors) break;
      if (this.#isReady(task)) await this.#store(task);
      else this.#fail(task, new ScimError(409, CIRCLE));
    }
    await this.#deliver();
  }

  /** Takes the next operation, in the order of those on one resource; where none is ready, a POST that others wait for. */
  #takeNext(): Task | undefined {
    const busy = new Set<string>();
    const next = this.#waiting.findIndex((task) => {
      const target = this.#findTarget(task.request);
      const isFree = target === undefined || !busy.has(target);
      if (target !== undefined) busy.add(target);
      return isFree && this.#isReady(task);
    });
    if (next !== -1) return this.#waiting.splice(next, 1)[0];
    const first = this.#waiting.findIndex(({ method }) => method === 'POST');
    return this.#waiting.splice(Math.max(first, 0), 1)[0];
  }

  #isReady(task: Task): boolean {
    return this.#listReferents(task).every(({ outcome }) => outcome !== undefined);
  }

  #listReferents({ request }: Task): Task[] {
    if (request instanceof ScimError) return [];
    return [...request.references].flatMap((bulkId) => this.#created.get(bulkId) ?? []);
  }

  async #store(task: Task): Promise<void> {
    const { repairs, request } = task;
    try {
      if (request instanceof ScimError) throw request;
      const { type, method, ifMatch, data, references } = request;
      const id = this.#findTarget(request);
      // What no operation creates is an unknown one, beside which access may have to be taken.
      const isKnown = id !== undefined;
      attempt(isKnown ? repairs : UNCOUNTED, undefined, () => this.#assertResolved(references));
      assertOpen(this.#deps, type);
      const resolve = (bulkId: string) => this.#created.get(bulkId)?.id;
      const accepted = await acceptWrite(this.#deps, {
        type,
        method,
        target: { id: id ?? '', preconditions: { ifMatch } },
        body: references.size === 0 ? data : resolveReferences(data, resolve),
        repairs,
        understood(content) {
          task.content = content;
        },
      });
      task.outcome = accepted;
      task.id = accepted.row.id;
      this.#deliverLater(task, accepted);
    } catch (error) {
      this.#fail(task, error);
    }
  }

  /** @throws ScimError 400 where nothing has the bulkId, 409 where what had it failed */
  #assertResolved(references: ReadonlySet<string>): void {
    for (const bulkId of references) {
      const created = this.#created.get(bulkId);
      if (!created) throw invalidValue('A bulkId is named that no POST of the request has.');
      if (created.id !== undefined) continue;
      throw new ScimError(409, 'An operation of the request that this one refers to failed.');
    }
  }

  /** The resource that an operation changes; undefined: it creates one, it cannot be understood, or that one is not there. */
  #findTarget(request: Task['request']): string | undefined {
    if (request instanceof ScimError || request.method === 'POST') return undefined;
    const { type, id } = request;
    const bulkId = findReference(id);
    if (bulkId !== undefined) return this.#created.get(bulkId)?.id;
    return this.#deps.toOwnId(type, id);
  }

  #fail(task: Task, cause: unknown): void {
    task.outcome = reportFault(this.#deps.events, this.#request.requestId, cause);
    this.#failures += 1;
    task.id = this.#findTarget(task.request);
  }

  #deliverLater(task: Task, accepted: Accepted): void {
    const { row, undo } = accepted;
    const lock = undo && this.#deps.reconciler.lock(toResourceKey(row));
    let waiting: Promise<void> | undefined;
    this.#stored.set(task, () => {
      waiting ??= deliverWrite(this.#deps, accepted, this.#request.arrivedAt, lock)
        .catch((error: unknown) => this.#fail(task, error))
        .finally(() => this.#stored.delete(task));
      return waiting;
    });
    // Without the lock another run may be sending the write already: a refusal has to find us waiting.
    if (lock === undefined) void this.#stored.get(task)?.();
    if (this.#stored.size >= STORED_MAX) void this.#deliver();
  }

  /** Waits until the writes of these tasks are delivered, while all others are but those that may still grow; of all where left out. */
  async #deliver(tasks?: Iterable<Task>): Promise<void> {
    const awaited = [...(tasks ?? this.#stored.keys())].flatMap(
      (one) => this.#stored.get(one) ?? [],
    );
    if (awaited.length === 0) return;
    for (const [task, wait] of this.#stored) if (!tasks || !mayGrow(task)) void wait();
    await Promise.all(awaited.map((wait) => wait()));
  }
}
