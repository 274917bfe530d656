import { type RequestHandler, Router } from 'express';
import { performBulk } from './bulk/handler.ts';
import type { ScimDeps } from './deps.ts';
import { discoveryRoutes } from './discovery-routes.ts';
import { ScimError } from './errors.ts';
import {
  createGroup,
  deleteGroup,
  patchGroup,
  readGroup,
  replaceGroup,
} from './groups/handlers.ts';
import { allowOnly } from './http/allow-only.ts';
import { requireOpen } from './http/assert-open.ts';
import { authenticate } from './http/authenticate.ts';
import { readJsonBody } from './http/body.ts';
import { answerErrors, sendJson } from './http/respond.ts';
import { listGroups, listUsers, searchAll } from './search/handlers.ts';
import { createUser, deleteUser, patchUser, readUser, replaceUser } from './users/handlers.ts';

/**
 * The SCIM 2.0 server of identity providers, to be mounted at its base path. Every answer, also of an
 * unknown route, has the SCIM form. @see RFC 7644 §3
 */
export function createScimRouter(deps: ScimDeps): Router {
  const router = Router();
  const body = readJsonBody(deps.policy.bodyBytesMax);
  router.use(authenticate(deps.policy.tokens, deps.telemetry));
  // What providers ask most comes first: every route before it is looked at by every request.
  addUserRoutes(router, deps);
  addGroupRoutes(router, deps);
  router.route('/').get(greet(deps)).all(allowOnly('GET'));
  router.route('/.search').post(body, searchAll(deps)).all(allowOnly('POST'));
  router.route('/Bulk').post(body, performBulk(deps)).all(allowOnly('POST'));
  router.use(discoveryRoutes(deps));
  router.all('/Me', refuseMe);
  router.use(refuseUnknown);
  router.use(answerErrors(deps.telemetry));
  return router;
}

function addUserRoutes(router: Router, deps: ScimDeps): void {
  const before = [requireOpen(deps, 'user'), ...readJsonBody(deps.policy.bodyBytesMax)];
  const list = listUsers(deps);
  const search = router.route('/Users/.search').post(before, list);
  const collection = router.route('/Users').get(before, list).post(before, createUser(deps));
  const item = router.route('/Users/:id').get(requireOpen(deps, 'user'), readUser(deps));
  item.put(before, replaceUser(deps)).patch(before, patchUser(deps));
  item.delete(before, deleteUser(deps)).all(allowOnly('GET', 'PUT', 'PATCH', 'DELETE'));
  search.all(allowOnly('POST'));
  collection.all(allowOnly('GET', 'POST'));
}

function addGroupRoutes(router: Router, deps: ScimDeps): void {
  const before = [requireOpen(deps, 'group'), ...readJsonBody(deps.policy.bodyBytesMax)];
  const list = listGroups(deps);
  const search = router.route('/Groups/.search').post(before, list);
  const collection = router.route('/Groups').get(before, list).post(before, createGroup(deps));
  const item = router.route('/Groups/:id').get(requireOpen(deps, 'group'), readGroup(deps));
  item.put(before, replaceGroup(deps)).patch(before, patchGroup(deps));
  item.delete(before, deleteGroup(deps)).all(allowOnly('GET', 'PUT', 'PATCH', 'DELETE'));
  search.all(allowOnly('POST'));
  collection.all(allowOnly('GET', 'POST'));
}

/** The base address answers too: administrators open it in a browser, and some providers probe it. */
function greet({ baseUrl }: ScimDeps): RequestHandler {
  return (_req, res) => {
    sendJson(res, 200, {
      schemas: [],
      service: 'scim-bridge',
      resourceTypes: `${baseUrl}/ResourceTypes`,
      serviceProviderConfig: `${baseUrl}/ServiceProviderConfig`,
    });
  };
}

/** @see RFC 7644 §3.11 */
const refuseMe: RequestHandler = () => {
  throw new ScimError(501, 'A token of a provider is no person, so there is no /Me.');
};

const refuseUnknown: RequestHandler = () => {
  throw new ScimError(404, 'Nothing is served at this address.');
};
