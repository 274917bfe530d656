import { Router } from 'express';
import { parseListQuery } from '../list-query.ts';
import { addDecisions, type DecisionSource } from '../recovery-router.ts';
import type { FirstRunView } from './view.ts';

/** What the first day would bring, and the decision about it. */
export interface FirstRunSource extends DecisionSource {
  readonly readPage: (page: {
    readonly limit: number;
    readonly cursor: string | undefined;
  }) => Promise<FirstRunView>;
}

/**
 * `GET /` lists what each person and group of the providers is to the service, and who there is never taken over; the
 * first page counts them all. `POST /approve` and `POST /discard` decide as recovery does: it is the same plan.
 */
export function createFirstRunRouter(source: FirstRunSource): Router {
  const router = Router();
  router.get('/', async (req, res) => {
    const page = parseListQuery(req.query, {});
    res.set('Cache-Control', 'no-store').json(await source.readPage(page));
  });
  return addDecisions(router, source);
}
