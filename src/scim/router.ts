import type { RequestHandler } from 'express';
import { Router } from 'express';
import type { JsonObject } from '../domain/values.ts';
import { isStorable } from '../domain/values.ts';
import { assignmentRoutes } from './assignment-routes.ts';
import { performBulk } from './bulk/handler.ts';
import type { ScimDeps } from './deps.ts';
import { findPart } from './dialect/parse-json.ts';
import { notFound, ScimError } from './errors.ts';
import { readAddress } from './http/address.ts';
import {
  BODY_BYTES_MAX,
  createBodyReaders,
  GROUP_BODY_BYTES_MAX,
  limitAnswers,
} from './http/body.ts';
import { allowOnly, authenticate, limitRequests, requireOpen } from './http/guards.ts';
import { getNotes, note } from './http/notes.ts';
import { answerErrors, answerUnknown, sendJson } from './http/respond.ts';
import { isAbsent } from './render/paging.ts';
import { keepRequests } from './requests.ts';
import type { ResourceHandler } from './resource-handlers.ts';
import { createResourceHandlers } from './resource-handlers.ts';
import { toResourceTypes, toSchemas, toServiceProviderConfig } from './schema/discovery.ts';
import { searchResources } from './search/search.ts';

/** The SCIM 2.0 server of identity providers. Every answer, also of an unknown route, has the SCIM form. @see RFC 7644 §3 */
export function createScimRouter(deps: ScimDeps): Router {
  const router = Router();
  const toBody = createBodyReaders(deps);
  const body = toBody(BODY_BYTES_MAX);
  router.use(readAddress);
  router.use(authenticate(deps));
  router.use(limitRequests(deps));
  router.use(keepRequests(deps));
  router.use(limitAnswers(deps));
  // Frequent routes come first, because every request is compared with all routes before its own.
  addResourceRoutes(router, deps, 'user', body);
  addResourceRoutes(router, deps, 'group', toBody(GROUP_BODY_BYTES_MAX));
  const search = searchResources(deps, 'user', 'group');
  router.route('/').get(search).all(allowOnly('GET'));
  router.route('/.search').post(body, search).all(allowOnly('POST'));
  router.route('/Bulk').post(body, performBulk(deps)).all(allowOnly('POST'));
  router.use(discoveryRoutes(deps));
  router.use(assignmentRoutes(deps, body));
  // RFC 7644 §3.11
  router.all('/Me', () => {
    throw new ScimError(501, 'A token of a provider is no person, so there is no /Me.');
  });
  router.use(answerUnknown);
  router.use(answerErrors(deps.events));
  return router;
}

function addResourceRoutes(
  router: Router,
  deps: ScimDeps,
  type: 'user' | 'group',
  body: RequestHandler[],
): void {
  const path = type === 'user' ? '/Users' : '/Groups';
  const { create, read, replace, patch, remove } = createResourceHandlers(deps, type);
  const list = searchResources(deps, type);
  const open = requireOpen(deps, type);
  router.route(`${path}/.search`).post(open, body, list).all(allowOnly('POST'));
  const collection = router.route(path).get(open, list).post(open, body, create);
  collection.all(allowOnly('GET', 'POST'));
  const item = router.route(`${path}/:id` as const);
  const named = [open, findOwnId(deps, type)];
  item.get(named, read).put(named, body, replace).patch(named, body, patch);
  // Without its body, if there is one: nothing that comes with it may keep access from being taken.
  item.delete(named, remove);
  item.all(allowOnly('GET', 'PUT', 'PATCH', 'DELETE'));
}

/** Puts the id of the bridge in the place of one of an earlier server. @throws ScimError 404 for an id that no store can look up */
function findOwnId({ toOwnId }: ScimDeps, type: 'user' | 'group'): ResourceHandler {
  return (req, res, next) => {
    if (!isStorable(req.params.id)) throw notFound(type === 'user' ? 'User' : 'Group');
    const resourceId = toOwnId(type, req.params.id);
    req.params.id = resourceId;
    note(res, { resourceId });
    next();
  };
}

/** Routes that describe the server; the answers follow from the profile alone. @see RFC 7644 §4 */
function discoveryRoutes(deps: ScimDeps): Router {
  const router = Router();
  const { baseUrl, schemas } = deps;
  const config = toServiceProviderConfig(baseUrl);
  const describe: RequestHandler<object> = (_req, res) => {
    const isStrict = getNotes(res).profile === 'strict';
    sendJson(res, 200, { ...config, ...(isStrict && { interopProfileConformant: true }) });
  };
  router.route('/ServiceProviderConfig').get(rejectFilter, describe).all(allowOnly('GET'));
  addList(router, '/ResourceTypes', toResourceTypes(baseUrl, schemas));
  addList(router, '/Schemas', toSchemas(baseUrl, schemas));
  return router;
}

function addList(router: Router, path: string, Resources: JsonObject[]): void {
  const { length } = Resources;
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:ListResponse'];
  const list = { schemas, totalResults: length, startIndex: 1, itemsPerPage: length, Resources };
  const sendAll: RequestHandler<object> = (_req, res) => sendJson(res, 200, list);
  const sendOne: RequestHandler<{ id: string }> = (req, res) => {
    // The ids of descriptions are not case exact (RFC 7643 §8.7.2).
    const wanted = req.params.id.toLowerCase();
    const resource = Resources.find(({ id }) => String(id).toLowerCase() === wanted);
    if (!resource) throw new ScimError(404, 'Nothing is described under this id.');
    sendJson(res, 200, resource);
  };
  router.route(path).get(rejectFilter, sendAll).all(allowOnly('GET'));
  router.route(`${path}/:id`).get(rejectFilter, sendOne).all(allowOnly('GET'));
}

/** A filter on a description is forbidden. @see RFC 7644 §4 */
const rejectFilter: RequestHandler<object> = (req, _res, next) => {
  if (!isAbsent(findPart(req.query, 'filter')))
    throw new ScimError(403, 'Descriptions cannot be filtered.');
  next();
};
