import type { Request, RequestHandler, Response } from 'express';
import type { ResourceView } from '../store/resources/views.ts';
import type { Db } from '../store/store.ts';
import { getRequestContext } from '../telemetry/request-context.ts';
import type { ProviderDeps, ScimDeps } from './deps.ts';
import { notFound } from './errors.ts';
import { toParameters } from './http/address.ts';
import { ANY_VERSION, assertPreconditions, isNotModified, toETag } from './http/etag.ts';
import { getNotes, note, toProviderDeps } from './http/notes.ts';
import { sendNotModified, sendResource } from './http/respond.ts';
import { EVERYTHING, type Projection, parseProjection } from './render/projection.ts';
import { type Pieces, toRef, toShownVersion } from './render/resource-text.ts';
import type { ResourceSchema } from './schema/resource-schemas.ts';
import type { Sent } from './writes/read-privilege.ts';
import { type AcceptedWrite, settleWrite, type WriteTarget } from './writes/write-result.ts';

/** Handlers of one resource carry its id in the path. */
export type ResourceHandler = RequestHandler<{ id: string }>;

/** The handlers of one type of resource, without lists and searches. */
export interface ResourceHandlers
  extends Record<'read' | 'replace' | 'patch' | 'remove', ResourceHandler> {
  readonly create: RequestHandler;
}

/** One type of resource: the functions in which users and groups differ. Writes end in the store, not yet settled. */
export interface ScimKind<Write extends AcceptedWrite, View extends ResourceView> {
  readonly type: 'user' | 'group';
  readonly schema: ResourceSchema;
  /** Status of a PATCH; 204: without the resource, unless the request asks for attributes. */
  readonly patchStatus: 200 | 204;
  create(deps: ProviderDeps, sent: Sent): Promise<Write>;
  replace(deps: ProviderDeps, target: WriteTarget, sent: Sent): Promise<Write>;
  patch(deps: ProviderDeps, target: WriteTarget, sent: Sent): Promise<Write>;
  remove(deps: ProviderDeps, target: WriteTarget): Promise<AcceptedWrite>;
  findView(db: Db, id: string): Promise<View | undefined>;
  /** What a write has made of the resource, as it is shown. */
  toView(db: Db, write: Write): Promise<View>;
  render(deps: ProviderDeps, view: View, projection: Projection): Promise<Pieces>;
}

/**
 * Handlers of one type of resource. Reads are answered from the store alone; a PATCH takes all its operations or none.
 * @throws ScimError POST 400, 403, 409, 503; GET 400, 404, 412; PUT and PATCH 400, 403, 404, 409, 412, 503; DELETE 403, 404, 412, 503
 * @see RFC 7644 §3.3 to §3.6
 */
export function createResourceHandlers<Write extends AcceptedWrite, View extends ResourceView>(
  deps: ScimDeps,
  kind: ScimKind<Write, View>,
): ResourceHandlers {
  const { schema } = kind;

  async function send(
    res: Response,
    asked: ProviderDeps,
    { view, projection, status }: { view: View; projection: Projection; status: 200 | 201 },
  ): Promise<void> {
    const text = await kind.render(asked, view, projection);
    const location = toRef(deps.baseUrl, schema.name, view.id);
    if (status === 201) res.setHeader('Location', location);
    res.setHeader('Content-Location', location);
    await sendResource(res, { status, version: toShownVersion(view, asked), text });
  }

  /** Performs a write, waits for it, and answers with the resource; with 204 unless the request asks for attributes. */
  async function write(
    req: Pick<Request, 'query' | 'body'>,
    res: Response,
    { perform, status }: { perform: ScimKind<Write, View>['create']; status: 200 | 201 | 204 },
  ): Promise<void> {
    const { asked, projection, sent } = open(deps, schema, req, res);
    const written = await perform(asked, sent);
    await settleWrite(deps, written, getRequestContext(res).arrivedAt);
    if (status === 204 && projection.only === undefined) {
      res.setHeader('ETag', toETag(toShownVersion(written.row, asked)));
      res.status(204).end();
      return;
    }
    const view = await kind.toView(deps.store.read, written);
    await send(res, asked, { view, projection, status: status === 204 ? 200 : status });
  }

  return {
    create: (req, res) => write(req, res, { perform: kind.create, status: 201 }),
    async read(req, res) {
      const { asked, projection } = open(deps, schema, req, res);
      const view = await kind.findView(deps.store.read, req.params.id);
      if (view === undefined) throw notFound(schema.name);
      const version = toShownVersion(view, asked);
      assertPreconditions({ ...ANY_VERSION, ifMatch: req.headers['if-match'] }, version);
      if (isNotModified(req, version)) return sendNotModified(res, version);
      await send(res, asked, { view, projection, status: 200 });
    },
    replace: (req, res) =>
      write(req, res, {
        perform: (asked, sent) => kind.replace(asked, toTarget(req), sent),
        status: 200,
      }),
    patch: (req, res) =>
      write(req, res, {
        perform: (asked, sent) => kind.patch(asked, toTarget(req), sent),
        status: kind.patchStatus,
      }),
    async remove(req, res) {
      const removed = await kind.remove(toProviderDeps(deps, res), toTarget(req));
      await settleWrite(deps, removed, getRequestContext(res).arrivedAt);
      res.status(204).end();
    },
  };
}

/** Reads a request before anything is stored: one that is refused has changed nothing. */
function open(
  deps: ScimDeps,
  schema: ResourceSchema,
  { query, body }: Pick<Request, 'query' | 'body'>,
  res: Response,
) {
  const { repairs } = getNotes(res);
  const hasQuery = Object.keys(query).length > 0;
  const projection = hasQuery ? parseProjection(toParameters(query, repairs), schema) : EVERYTHING;
  const sent: Sent = { body, repairs, understood: (content) => note(res, { content }) };
  return { asked: toProviderDeps(deps, res), projection, sent };
}

function toTarget({ params, headers }: Parameters<ResourceHandler>[0]): WriteTarget {
  const preconditions = {
    ifMatch: headers['if-match'],
    ifNoneMatch: headers['if-none-match'],
  };
  return { id: params.id, preconditions };
}
