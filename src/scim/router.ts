import { type RequestHandler, Router } from 'express';
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
  router.use(authenticate(deps.policy.tokens, deps.telemetry));
  router.use(readJsonBody(deps.policy.bodyBytesMax));
  router.route('/').get(greet(deps)).all(allowOnly('GET'));
  router.route('/.search').post(searchAll(deps)).all(allowOnly('POST'));
  router.use(discoveryRoutes(deps));
  router.all('/Me', refuseMe);
  addUserRoutes(router, deps);
  addGroupRoutes(router, deps);
  router.use(refuseUnknown);
  router.use(answerErrors(deps.telemetry));
  return router;
}

function addUserRoutes(router: Router, deps: ScimDeps): void {
  router.use('/Users', requireOpen(deps, 'user'));
  const collection = router.route('/Users');
  collection.get(listUsers(deps)).post(createUser(deps)).all(allowOnly('GET', 'POST'));
  router.route('/Users/.search').post(listUsers(deps)).all(allowOnly('POST'));
  router
    .route('/Users/:id')
    .get(readUser(deps))
    .put(replaceUser(deps))
    .patch(patchUser(deps))
    .delete(deleteUser(deps))
    .all(allowOnly('GET', 'PUT', 'PATCH', 'DELETE'));
}

function addGroupRoutes(router: Router, deps: ScimDeps): void {
  router.use('/Groups', requireOpen(deps, 'group'));
  const collection = router.route('/Groups');
  collection.get(listGroups(deps)).post(createGroup(deps)).all(allowOnly('GET', 'POST'));
  router.route('/Groups/.search').post(listGroups(deps)).all(allowOnly('POST'));
  router
    .route('/Groups/:id')
    .get(readGroup(deps))
    .put(replaceGroup(deps))
    .patch(patchGroup(deps))
    .delete(deleteGroup(deps))
    .all(allowOnly('GET', 'PUT', 'PATCH', 'DELETE'));
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
