import { Router } from 'express';
import { answerKeyed, type Keyed } from '../keyed.ts';
import type { Explanation } from './explanation.ts';

/** Explains resources by their id or name. */
export interface ExplainSource {
  readonly user: (key: string) => Promise<Keyed<Explanation>>;
  readonly group: (key: string) => Promise<Keyed<Explanation>>;
  /** Whichever of the two it is. */
  readonly any: (key: string) => Promise<Keyed<Explanation>>;
}

/**
 * `GET /users/{key}/explain`, `GET /groups/{key}/explain` and, for either, `GET /explain/{key}`: why each field is as
 * it is. The key is a SCIM id, a userName, an address or a displayName. 404 when nothing fits, 409 when several do.
 */
export function createExplainRouter({ user, group, any }: ExplainSource): Router {
  const router = Router();
  router.get('/users/:key/explain', async (req, res) => {
    answerKeyed(res, await user(req.params.key));
  });
  router.get('/groups/:key/explain', async (req, res) => {
    answerKeyed(res, await group(req.params.key));
  });
  router.get('/explain/:key', async (req, res) => {
    answerKeyed(res, await any(req.params.key));
  });
  return router;
}
