import type { Request, RequestHandler } from 'express';
import { BridgeError } from '../../domain/errors.ts';
import type { GroupId, UserId } from '../../domain/ids.ts';
import type { Db } from '../../store/database.ts';
import { findGroupView, type ResourceView } from '../../store/views.ts';
import type { ScimDeps } from '../deps.ts';
import { parseGroup } from '../dialect/parse-group.ts';
import type { MemberRef } from '../dialect/parse-members.ts';
import { parsePatch } from '../dialect/parse-patch.ts';
import { toRepairs } from '../dialect/to-repairs.ts';
import { notFound, ScimError, unavailable } from '../errors.ts';
import { isNotModified, sendResource } from '../http/respond.ts';
import { parseProjection } from '../render/projection.ts';
import { toETag } from '../render/resource-text.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { renderGroups } from '../search/render-groups.ts';
import { assertUpstreamUp, settleGroup } from '../settle.ts';
import type { ResourceHandler } from '../users/handlers.ts';
import { applyGroupSteps } from './apply-group-steps.ts';
import { type GroupChangeCall, storeGroup } from './change-group.ts';
import { storeNewGroup } from './create-group.ts';
import { storeGroupDeletion } from './delete-group.ts';
import type { LinkEdit } from './edit-links.ts';
import { type GroupWriteResult, toUserIds } from './store-change.ts';

/** How long a provider is asked to wait when the service could not be looked at, in seconds. */
const LOOK_RETRY_SECONDS = 30;

/** POST /Groups. @throws ScimError 400, 409. @see RFC 7644 §3.3 */
export function createGroup(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    const input = parseGroup(req.body, toRepairs(deps.telemetry));
    assertUpstreamUp(deps);
    const created = await storeLooking(deps, (tx) =>
      storeNewGroup(tx, deps, { input, claim: deps.reconciler.claim() }),
    );
    await settleGroup(deps, res, created);
    res.setHeader('Location', `${deps.baseUrl}/Groups/${created.id}`);
    await sendGroup(deps, { req, res, view: created.row, status: 201 });
  };
}

/** GET /Groups/{id}: answered from the store alone. @throws ScimError 404. @see RFC 7644 §3.4.1 */
export function readGroup(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    const view = await findGroupView(deps.store.read, req.params.id);
    if (view === undefined) throw notFound('Group');
    if (isNotModified(req, view.version)) {
      res.status(304).end();
      return;
    }
    await sendGroup(deps, { req, res, view, status: 200 });
  };
}

/** PUT /Groups/{id}; leaving members out leaves them. @throws ScimError 400, 403, 404, 409, 412. @see RFC 7644 §3.5.1 */
export function replaceGroup(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    const input = parseGroup(req.body, toRepairs(deps.telemetry));
    const { attributes, mentioned: names } = input;
    const target = {
      attributes,
      names,
      members: toReplacement(input.members),
      admins: toReplacement(input.admins),
    };
    const changed = await change(deps, req, async () => target);
    await settleGroup(deps, res, changed);
    await sendGroup(deps, { req, res, view: changed.row, status: 200 });
  };
}

/**
 * PATCH /Groups/{id}: all operations or none. Answers 204, because a group may have 50,000 members,
 * unless the request asks for attributes.
 * @throws ScimError 400, 403, 404, 409, 412. @see RFC 7644 §3.5.2
 */
export function patchGroup(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    const steps = parsePatch(req.body, groupSchema, toRepairs(deps.telemetry));
    const changed = await change(deps, req, (tx, row, before) =>
      applyGroupSteps(tx, { row, before, steps }),
    );
    await settleGroup(deps, res, changed);
    if (req.query.attributes !== undefined) {
      await sendGroup(deps, { req, res, view: changed.row, status: 200 });
      return;
    }
    res.setHeader('ETag', toETag(changed.row.version));
    res.status(204).end();
  };
}

/** DELETE /Groups/{id}. @throws ScimError 403, 404, 412. @see RFC 7644 §3.6 */
export function deleteGroup(deps: ScimDeps): ResourceHandler {
  return async (req, res) => {
    assertUpstreamUp(deps);
    const { id } = req.params;
    const ifMatch = req.headers['if-match'];
    const deleted = await storeLooking(deps, (tx) =>
      storeGroupDeletion(tx, deps, { id, ifMatch, claim: deps.reconciler.claim() }),
    );
    await settleGroup(deps, res, deleted);
    res.status(204).end();
  };
}

async function change(
  deps: ScimDeps,
  req: Request<{ id: string }>,
  apply: GroupChangeCall['change'],
): Promise<GroupWriteResult> {
  assertUpstreamUp(deps);
  const { id } = req.params;
  const ifMatch = req.headers['if-match'];
  return storeLooking(deps, (tx) =>
    storeGroup(tx, deps, { id, ifMatch, claim: deps.reconciler.claim(), change: apply }),
  );
}

/**
 * Stores a write; when that needs to know the admins of a group first, reads them and stores again.
 * @throws ScimError 503 when they could not be read: then nobody knows whether the group is privileged
 */
async function storeLooking(
  deps: ScimDeps,
  store: (
    tx: Db,
  ) => Promise<
    GroupWriteResult | { kind: 'disputed' } | { kind: 'must-read-admins'; row: { id: GroupId } }
  >,
): Promise<GroupWriteResult> {
  const stored = await deps.store.write(store);
  if (!('kind' in stored)) return stored;
  if (stored.kind === 'disputed') throw toDispute();
  try {
    await deps.reconciler.readAdmins(stored.row.id);
  } catch (error) {
    if (!(error instanceof BridgeError) || error.code !== 'could-not-look') throw error;
    throw unavailable('The service could not tell who administers the group.', LOOK_RETRY_SECONDS);
  }
  const again = await deps.store.write(store);
  if ('kind' in again) throw toDispute();
  return again;
}

/** PUT with a list replaces it, `[]` empties it, without it whoever is there stays. */
function toReplacement(people: readonly MemberRef[] | undefined): LinkEdit[] {
  if (people === undefined) return [];
  const ids: UserId[] = toUserIds(people.map(({ value }) => value));
  return [{ op: 'replace', ids }];
}

async function sendGroup(
  deps: ScimDeps,
  {
    req,
    res,
    view,
    status,
  }: {
    req: Pick<Request, 'query'>;
    res: Parameters<RequestHandler>[1];
    view: ResourceView<GroupId>;
    status: number;
  },
): Promise<void> {
  const projection = parseProjection(req.query, groupSchema);
  const [text = ''] = await renderGroups(deps, [view], projection);
  sendResource(res, { status, version: view.version, text });
}

function toDispute(): ScimError {
  const detail = 'Several groups of the service have this name. An operator has to say which.';
  return new ScimError(409, detail, { scimType: 'uniqueness' });
}
