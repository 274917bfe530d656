import type { RequestHandler, Response } from 'express';
import type { GroupId } from '../../domain/ids.ts';
import { findGroupView, type ResourceView } from '../../store/views.ts';
import { getRequestContext } from '../../telemetry/request-context.ts';
import type { ScimDeps } from '../deps.ts';
import { notFound } from '../errors.ts';
import { isNotModified, toETag } from '../http/etag.ts';
import { sendNotModified, sendResource } from '../http/respond.ts';
import { type Projection, parseProjection } from '../render/projection.ts';
import { toRef } from '../render/resource-text.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { renderGroups } from '../search/render-groups.ts';
import { type ResourceHandler, toTarget } from '../users/handlers.ts';
import { settleWrite } from '../writes/settle.ts';
import {
  acceptGroupDeletion,
  acceptGroupPatch,
  acceptGroupReplacement,
  acceptNewGroup,
} from './accept.ts';

/** POST /Groups. @throws ScimError 400, 409. @see RFC 7644 §3.3 */
export function createGroup(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    // Before anything is stored: a request that is refused has changed nothing.
    const projection = parseProjection(req.query, groupSchema);
    const created = await acceptNewGroup(deps, req.body);
    await settleWrite(deps, created, getRequestContext(res).arrivedAt);
    res.setHeader('Location', toRef(deps.baseUrl, 'Group', created.id));
    await sendGroup(deps, { res, projection, view: created.row, status: 201 });
  };
}

/** GET /Groups/{id}: answered from the store alone. @throws ScimError 404. @see RFC 7644 §3.4.1 */
export function readGroup(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    const projection = parseProjection(req.query, groupSchema);
    const view = await findGroupView(deps.store.read, req.params.id);
    if (view === undefined) throw notFound('Group');
    if (isNotModified(req, view.version)) return sendNotModified(res, view.version);
    await sendGroup(deps, { res, projection, view, status: 200 });
  };
}

/** PUT /Groups/{id}; leaving members out leaves them. @throws ScimError 400, 403, 404, 409, 412. @see RFC 7644 §3.5.1 */
export function replaceGroup(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    // As in `createGroup`.
    const projection = parseProjection(req.query, groupSchema);
    const changed = await acceptGroupReplacement(deps, toTarget(req), req.body);
    await settleWrite(deps, changed, getRequestContext(res).arrivedAt);
    await sendGroup(deps, { res, projection, view: changed.row, status: 200 });
  };
}

/**
 * PATCH /Groups/{id}: all operations or none. Answers 204, because a group may have 50,000 members,
 * unless the request asks for attributes.
 * @throws ScimError 400, 403, 404, 409, 412. @see RFC 7644 §3.5.2
 */
export function patchGroup(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    // As in `createGroup`.
    const projection = parseProjection(req.query, groupSchema);
    const changed = await acceptGroupPatch(deps, toTarget(req), req.body);
    await settleWrite(deps, changed, getRequestContext(res).arrivedAt);
    if (req.query.attributes !== undefined) {
      await sendGroup(deps, { res, projection, view: changed.row, status: 200 });
      return;
    }
    res.setHeader('ETag', toETag(changed.row.version));
    res.status(204).end();
  };
}

/** DELETE /Groups/{id}. @throws ScimError 403, 404, 412. @see RFC 7644 §3.6 */
export function deleteGroup(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    const deleted = await acceptGroupDeletion(deps, toTarget(req));
    await settleWrite(deps, deleted, getRequestContext(res).arrivedAt);
    res.status(204).end();
  };
}

interface GroupAnswer {
  readonly res: Response;
  readonly projection: Projection;
  readonly view: ResourceView<GroupId>;
  readonly status: number;
}

async function sendGroup(
  deps: ScimDeps,
  { res, projection, view, status }: GroupAnswer,
): Promise<void> {
  const [text = ''] = await renderGroups(deps, [view], projection);
  sendResource(res, { status, version: view.version, text });
}
