import { Router } from 'express';
import { InvalidRequest } from '../invalid-request.ts';
import { answerKeyed } from '../keyed.ts';
import { parseListQuery } from '../list-query.ts';
import type { TimelineSourceOf } from './source.ts';

/**
 * `GET /users/{key}/timeline`, `GET /groups/{key}/timeline` and, for either, `GET /timeline/{key}`: what the provider
 * asked, what the bridge did, what the audit log says and what was seen, in one line of time, the newest `?limit=` (100)
 * of it, the oldest first. The key is a SCIM id, a userName, an address or a displayName.
 */
export function createTimelineRouter({ user, group, any }: TimelineSourceOf): Router {
  const router = Router();
  router.get('/users/:key/timeline', async (req, res) => {
    answerKeyed(res, await user(req.params.key, parseLimit(req.query)));
  });
  router.get('/groups/:key/timeline', async (req, res) => {
    answerKeyed(res, await group(req.params.key, parseLimit(req.query)));
  });
  router.get('/timeline/:key', async (req, res) => {
    answerKeyed(res, await any(req.params.key, parseLimit(req.query)));
  });
  return router;
}

/** @throws InvalidRequest */
function parseLimit(query: Readonly<Record<string, unknown>>): number {
  const { limit, cursor } = parseListQuery(query, {});
  if (cursor === undefined) return limit;
  throw new InvalidRequest('There is no cursor here: ask for more with limit.');
}
