import type { Request, RequestHandler } from 'express';
import type { UserId } from '../../domain/ids.ts';
import { findUserView, listGroupsOfUsers, type ResourceView } from '../../store/views.ts';
import type { ScimDeps } from '../deps.ts';
import { parsePatch } from '../dialect/parse-patch.ts';
import { parseUser } from '../dialect/parse-user.ts';
import { toRepairs } from '../dialect/to-repairs.ts';
import { notFound, ScimError } from '../errors.ts';
import { isNotModified, sendResource } from '../http/respond.ts';
import { applyUserPatch } from '../patch/apply-user-patch.ts';
import { parseProjection, project } from '../render/projection.ts';
import { renderUser } from '../render/resource-text.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { isPlain } from '../search/projection-use.ts';
import { assertUpstreamUp, settleUser } from '../settle.ts';
import { storeUser, toReplacement, type UserChange } from './change-user.ts';
import { storeNewUser } from './create-user.ts';
import { storeUserDeletion } from './delete-user.ts';

/** Handlers of one resource carry its id in the path. */
export type ResourceHandler = RequestHandler<{ id: string }>;

/** POST /Users. @throws ScimError 400, 409. @see RFC 7644 §3.3 */
export function createUser(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    const input = parseUser(req.body, toRepairs(deps.telemetry));
    assertUpstreamUp(deps);
    const created = await deps.store.write((tx) =>
      storeNewUser(tx, deps, { input, claim: deps.reconciler.claim() }),
    );
    if ('kind' in created) throw toDispute();
    await settleUser(deps, res, created);
    res.setHeader('Location', `${deps.baseUrl}/Users/${created.id}`);
    const text = await renderFor(deps, req, created.row);
    sendResource(res, { status: 201, version: created.row.version, text });
  };
}

/** GET /Users/{id}: answered from the store alone. @throws ScimError 404. @see RFC 7644 §3.4.1 */
export function readUser(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    const view = await findUserView(deps.store.read, req.params.id);
    if (view === undefined) throw notFound('User');
    if (isNotModified(req, view.version)) {
      res.status(304).end();
      return;
    }
    const text = await renderFor(deps, req, view);
    sendResource(res, { status: 200, version: view.version, text });
  };
}

/** PUT /Users/{id}. @throws ScimError 400, 403, 404, 409, 412. @see RFC 7644 §3.5.1 */
export function replaceUser(deps: ScimDeps): ResourceHandler {
  return change(deps, (req) => {
    const input = parseUser(req.body, toRepairs(deps.telemetry));
    return (before) => toReplacement(before, input);
  });
}

/** PATCH /Users/{id}: all operations or none. @throws ScimError 400, 403, 404, 409, 412. @see RFC 7644 §3.5.2 */
export function patchUser(deps: ScimDeps): ResourceHandler {
  return change(deps, (req) => {
    const steps = parsePatch(req.body, userSchema, toRepairs(deps.telemetry));
    const names = new Set(
      steps.flatMap((step) =>
        'target' in step ? [step.target.path.extension ?? step.target.path.attribute.name] : [],
      ),
    );
    return (before) => ({ attributes: applyUserPatch(before, steps), names });
  });
}

/** DELETE /Users/{id}. @throws ScimError 403, 404, 412. @see RFC 7644 §3.6 */
export function deleteUser(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    assertUpstreamUp(deps);
    const { id } = req.params;
    const ifMatch = req.headers['if-match'];
    const deleted = await deps.store.write((tx) =>
      storeUserDeletion(tx, deps, { id, ifMatch, claim: deps.reconciler.claim() }),
    );
    await settleUser(deps, res, deleted);
    res.status(204).end();
  };
}

function change(
  deps: ScimDeps,
  parse: (req: Request<{ id: string }>) => UserChange['change'],
): ResourceHandler {
  return async (req, res) => {
    const apply = parse(req);
    assertUpstreamUp(deps);
    const { id } = req.params;
    const ifMatch = req.headers['if-match'];
    const changed = await deps.store.write((tx) =>
      storeUser(tx, deps, { id, ifMatch, claim: deps.reconciler.claim(), change: apply }),
    );
    await settleUser(deps, res, changed);
    const text = await renderFor(deps, req, changed.row);
    sendResource(res, { status: 200, version: changed.row.version, text });
  };
}

/** The answer for one user with the attributes that the request asks for. */
async function renderFor(
  deps: ScimDeps,
  req: Pick<Request, 'query'>,
  view: ResourceView<UserId>,
): Promise<string> {
  const projection = parseProjection(req.query, userSchema);
  const groups = await listGroupsOfUsers(deps.store.read, [view.id]);
  const text = renderUser(view, groups, deps);
  return isPlain(projection) ? text : JSON.stringify(project(JSON.parse(text), projection));
}

function toDispute(): ScimError {
  const detail =
    'The userName and the e-mail address point at different accounts of the service. An operator has to say which.';
  return new ScimError(409, detail, { scimType: 'uniqueness' });
}
