import { type RequestHandler, Router } from 'express';
import type { JsonObject } from '../domain/json.ts';
import type { ScimDeps } from './deps.ts';
import { findPart } from './dialect/parse-body.ts';
import { ScimError } from './errors.ts';
import { BODY_BYTES_MAX } from './http/body.ts';
import { allowOnly } from './http/guards.ts';
import { sendJson } from './http/respond.ts';
import { isAbsent, toListResponse } from './render/paging.ts';
import { toResourceTypes, toSchemas, toServiceProviderConfig } from './schema/discovery.ts';

/** Routes that describe the server; the answers never change while it runs. @see RFC 7644 §4 */
export function discoveryRoutes({ baseUrl, policy }: ScimDeps): Router {
  const router = Router();
  const config = toServiceProviderConfig({
    baseUrl,
    filterMaxResults: policy.pageSizeMax,
    bulk: {
      supported: true,
      maxOperations: policy.bulkOperationsMax,
      maxPayloadBytes: BODY_BYTES_MAX,
    },
    pagination: {
      cursor: true,
      index: true,
      defaultPaginationMethod: 'index',
      defaultPageSize: policy.pageSize,
      maxPageSize: policy.pageSizeMax,
    },
  });
  router.route('/ServiceProviderConfig').get(rejectFilter, always(config)).all(allowOnly('GET'));
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

function always(body: JsonObject): RequestHandler {
  return (_req, res) => sendJson(res, 200, body);
}

/** A filter on a description is forbidden. @see RFC 7644 §4 */
const rejectFilter: RequestHandler<object> = (req, _res, next) => {
  if (!isAbsent(findPart(req.query, 'filter')))
    throw new ScimError(403, 'Descriptions cannot be filtered.');
  next();
};
