import type { Request, RequestHandler } from 'express';
import { findUserView, type UserView } from '../../store/views.ts';
import { getRequestContext } from '../../telemetry/request-context.ts';
import type { ScimDeps } from '../deps.ts';
import { notFound } from '../errors.ts';
import { isNotModified } from '../http/etag.ts';
import { sendNotModified, sendResource } from '../http/respond.ts';
import { isPlain, type Projection, parseProjection, project } from '../render/projection.ts';
import { renderUser, toRef } from '../render/resource-text.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { settleWrite } from '../writes/settle.ts';
import type { UserWriteResult, WriteTarget } from '../writes/write-result.ts';
import {
  acceptNewUser,
  acceptUserDeletion,
  acceptUserPatch,
  acceptUserReplacement,
} from './accept.ts';

/** Handlers of one resource carry its id in the path. */
export type ResourceHandler = RequestHandler<{ id: string }>;

/** POST /Users. @throws ScimError 400, 409. @see RFC 7644 §3.3 */
export function createUser(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    // Before anything is stored: a request that is refused has changed nothing.
    const projection = parseProjection(req.query, userSchema);
    const created = await acceptNewUser(deps, req.body);
    await settleWrite(deps, created, getRequestContext(res).arrivedAt);
    res.setHeader('Location', toRef(deps.baseUrl, 'User', created.id));
    const text = renderFor(deps, projection, created.row);
    sendResource(res, { status: 201, version: created.row.version, text });
  };
}

/** GET /Users/{id}: answered from the store alone. @throws ScimError 404. @see RFC 7644 §3.4.1 */
export function readUser(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    const projection = parseProjection(req.query, userSchema);
    const view = await findUserView(deps.store.read, req.params.id);
    if (view === undefined) throw notFound('User');
    if (isNotModified(req, view.version)) return sendNotModified(res, view.version);
    const text = renderFor(deps, projection, view);
    sendResource(res, { status: 200, version: view.version, text });
  };
}

/** PUT /Users/{id}. @throws ScimError 400, 403, 404, 409, 412. @see RFC 7644 §3.5.1 */
export function replaceUser(deps: ScimDeps): ResourceHandler {
  return change(deps, (target, body) => acceptUserReplacement(deps, target, body));
}

/** PATCH /Users/{id}: all operations or none. @throws ScimError 400, 403, 404, 409, 412. @see RFC 7644 §3.5.2 */
export function patchUser(deps: ScimDeps): ResourceHandler {
  return change(deps, (target, body) => acceptUserPatch(deps, target, body));
}

/** DELETE /Users/{id}. @throws ScimError 403, 404, 412. @see RFC 7644 §3.6 */
export function deleteUser(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    const deleted = await acceptUserDeletion(deps, toTarget(req));
    await settleWrite(deps, deleted, getRequestContext(res).arrivedAt);
    res.status(204).end();
  };
}

/** Which resource a request is for. */
export function toTarget(req: Request<{ id: string }>): WriteTarget {
  return { id: req.params.id, ifMatch: req.headers['if-match'] };
}

function change(
  deps: ScimDeps,
  accept: (target: WriteTarget, body: unknown) => Promise<UserWriteResult>,
): ResourceHandler {
  return async (req, res) => {
    // As in `createUser`.
    const projection = parseProjection(req.query, userSchema);
    const changed = await accept(toTarget(req), req.body);
    await settleWrite(deps, changed, getRequestContext(res).arrivedAt);
    const text = renderFor(deps, projection, changed.row);
    sendResource(res, { status: 200, version: changed.row.version, text });
  };
}

/** The answer for one user with the attributes that the request asks for. */
function renderFor(deps: ScimDeps, projection: Projection, view: UserView): string {
  const text = renderUser(view, deps);
  return isPlain(projection) ? text : JSON.stringify(project(JSON.parse(text), projection));
}
