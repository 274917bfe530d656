import { type RequestHandler, Router } from 'express';
import type { JsonObject } from '../domain/json.ts';
import type { ScimDeps } from './deps.ts';
import { findPart } from './dialect/parse-body.ts';
import { ScimError } from './errors.ts';
import { allowOnly } from './http/guards.ts';
import { getNotes } from './http/notes.ts';
import { sendJson } from './http/respond.ts';
import { isAbsent, toListResponse } from './render/paging.ts';
import { toResourceTypes, toSchemas, toServiceProviderConfig } from './schema/discovery.ts';

/** Routes that describe the server; the answers follow from the profile alone. @see RFC 7644 §4 */
export function discoveryRoutes(deps: ScimDeps): Router {
  const router = Router();
  const { baseUrl } = deps;
  const config = toServiceProviderConfig(baseUrl);
  const describe: RequestHandler<object> = (_req, res) => {
    const isStrict = getNotes(res).profile === 'strict';
    sendJson(res, 200, { ...config, ...(isStrict && { interopProfileConformant: true }) });
  };
  router.route('/ServiceProviderConfig').get(rejectFilter, describe).all(allowOnly('GET'));
  addList(router, '/ResourceTypes', () => toResourceTypes(baseUrl));
  addList(router, '/Schemas', () => toSchemas(baseUrl));
  return router;
}

/** Describes at the first request: a start need not wait for it, and many bridges are never asked. */
function addList(router: Router, path: string, describe: () => JsonObject[]): void {
  let described: JsonObject[] | undefined;
  const list = () => {
    described ??= describe();
    return described;
  };
  router
    .route(path)
    .get(rejectFilter, (_req, res) => {
      const resources = list();
      const { length: totalResults } = resources;
      sendJson(res, 200, toListResponse({ totalResults, startIndex: 1, resources }));
    })
    .all(allowOnly('GET'));
  router
    .route(`${path}/:id`)
    .get(rejectFilter, (req, res) => {
      // The ids of descriptions are not case exact (RFC 7643 §8.7.2).
      const wanted = req.params.id.toLowerCase();
      const resource = list().find(({ id }) => String(id).toLowerCase() === wanted);
      if (!resource) throw new ScimError(404, 'Nothing is described under this id.');
      sendJson(res, 200, resource);
    })
    .all(allowOnly('GET'));
}

/** A filter on a description is forbidden. @see RFC 7644 §4 */
const rejectFilter: RequestHandler<object> = (req, _res, next) => {
  if (!isAbsent(findPart(req.query, 'filter')))
    throw new ScimError(403, 'Descriptions cannot be filtered.');
  next();
};
