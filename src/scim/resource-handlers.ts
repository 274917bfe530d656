import type { Request, RequestHandler, Response } from 'express';
import type { ResourceKey } from '../domain/values.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import { getRequestContext } from '../telemetry/request-context.ts';
import type { ProviderDeps, ScimDeps } from './deps.ts';
import { notFound } from './errors.ts';
import { toParameters } from './http/address.ts';
import { assertPreconditions, matchesETag, toETag } from './http/etag.ts';
import { getNotes, note, toProviderDeps } from './http/notes.ts';
import { sendPieces } from './http/respond.ts';
import type { Projection } from './render/projection.ts';
import { EVERYTHING, parseProjection } from './render/projection.ts';
import type { Shown } from './render/resources.ts';
import { findShown, renderAll, toRef, toShownVersion } from './render/resources.ts';
import type { WriteRequest } from './writes/accept.ts';
import { acceptWrite, deliverWrite } from './writes/accept.ts';

/** Handlers of one resource carry its id in the path. */
export type ResourceHandler = RequestHandler<{ id: string }>;

/** Handlers of one type of resource. Reads are answered from the store alone. @see RFC 7644 §3.3 to §3.6 */
export function createResourceHandlers(
  deps: ScimDeps,
  type: ResourceKey['type'],
): Record<'read' | 'replace' | 'patch' | 'remove', ResourceHandler> & { create: RequestHandler } {
  const schema = deps.schemas[type];
  const readProjection = ({ query }: Pick<Request, 'query'>, res: Response) =>
    parseProjection(toParameters(query, getNotes(res).repairs), schema);

  /** @param status of the answer; 204 shows nothing unless the request asks for attributes */
  function write(
    method: WriteRequest['method'],
    status: 200 | 201 | 204,
  ): RequestHandler<{ id?: string }> {
    return async (req, res) => {
      const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = req.headers;
      // Read before anything is stored: a request that is refused has changed nothing.
      const projection = method === 'DELETE' ? EVERYTHING : readProjection(req, res);
      const asked = toProviderDeps(deps, res);
      const written = await acceptWrite(asked, {
        type,
        method,
        target: { id: req.params.id ?? '', preconditions: { ifMatch, ifNoneMatch } },
        body: req.body,
        repairs: getNotes(res).repairs,
        understood: (content) => note(res, { content }),
      });
      await deliverWrite(deps, written, getRequestContext(res).arrivedAt);
      const { row } = written;
      note(res, { resourceId: row.id });
      const isShown = status !== 204 || projection.only !== undefined;
      const shown = isShown ? await findShown(asked, type, row.id) : undefined;
      if (status === 201) res.status(201);
      // One that was deleted since is not shown either.
      return shown ? send(res, asked, { shown, projection }) : sendNothing(res, asked, row);
    };
  }

  return {
    create: write('POST', 201),
    async read(req, res) {
      const projection = readProjection(req, res);
      const asked = toProviderDeps(deps, res);
      const shown = await findShown(asked, type, req.params.id);
      if (shown === undefined) throw notFound(schema.name);
      const { version } = shown;
      assertPreconditions({ ifMatch: req.headers['if-match'] }, version);
      res.setHeader('ETag', toETag(version));
      // With the ETag that a reader needs to go on asking (RFC 9110 §15.4.5).
      if (matchesETag(req.headers['if-none-match'], version)) res.status(304).end();
      else await send(res, asked, { shown, projection });
    },
    replace: write('PUT', 200),
    // A group may have 50,000 members, so a PATCH of one answers without it.
    patch: write('PATCH', type === 'user' ? 200 : 204),
    remove: write('DELETE', 204),
  };
}

function sendNothing(res: Response, asked: ProviderDeps, row: ResourceRow): void {
  if (row.deleted_at === null) res.setHeader('ETag', toETag(toShownVersion(row, asked)));
  res.status(204).end();
}

async function send(
  res: Response,
  asked: ProviderDeps,
  { shown, projection }: { readonly shown: Shown; readonly projection: Projection },
): Promise<void> {
  const location = toRef(asked.baseUrl, 'text' in shown ? 'User' : 'Group', shown.id);
  if (res.statusCode === 201) res.setHeader('Location', location);
  res.setHeader('Content-Location', location);
  res.setHeader('ETag', toETag(shown.version));
  await sendPieces(res, res.statusCode, renderAll(asked, [shown], projection));
}
