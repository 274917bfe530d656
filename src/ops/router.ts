import { type RequestHandler, Router } from 'express';
import type { Registry } from 'prom-client';
import type { FindCredential } from '../access/access.ts';
import type { Attempts } from '../access/attempts.ts';
import type { Sessions } from '../access/sessions.ts';
import { opsRoutes } from './document.ts';
import { InvalidRequest, missing } from './http/body.ts';
import {
  keepActs,
  limitRequests,
  type OpenAct,
  requireOperator,
  requireRole,
} from './http/operator.ts';
import { createRouteRouter } from './http/route.ts';
import type { OpsSources } from './sources.ts';
import type { HealthSources } from './state/readiness-facts.ts';
import { readReadiness } from './state/reasons.ts';

/** Everything that operators and their monitoring are shown. */
export interface OperatorRouterOptions extends OpsSources {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly openAct: OpenAct;
  /** Finds the credential of a presented token. */
  readonly findCredential: FindCredential;
  readonly attempts: Pick<Attempts, 'failed'>;
  readonly sessions: Pick<Sessions, 'find'>;
}

/**
 * `/healthz` (the process is alive: 200, whatever else is wrong) and `/readyz` (503 when requests cannot be served, else
 * 200, with the reasons). Open to everybody, since load balancers present no token.
 */
export function createHealthRouter(sources: HealthSources): Router {
  const router = Router();
  router.get('/healthz', (_req, res) => {
    res.set('Cache-Control', 'no-store').json({ status: 'ok' });
  });
  router.get('/readyz', async (_req, res) => {
    const readiness = await readReadiness(sources);
    res.status(readiness.status === 'unavailable' ? 503 : 200);
    res.set('Cache-Control', 'no-store').json(readiness);
  });
  return router;
}

/** `/metrics` for Prometheus and everything below `/ops`, for operators, and to read for readers. */
export function createOperatorRouter(options: OperatorRouterOptions): Router {
  const { registry } = options;
  const router = Router();
  const letIn = requireOperator(options);
  const limit = limitRequests(options.clock);
  router.get('/metrics', letIn, requireRole('metrics'), limit, async (_req, res) => {
    const text = await registry.metrics();
    res.set('Content-Type', registry.contentType).send(text);
  });
  router.use('/ops', letIn, refuseNul, keepActs(options.openAct));
  router.use('/ops', createRouteRouter(opsRoutes, options, limit));
  router.use('/ops', requireRole('reader'), limit, answerUnknown);
  return router;
}

/** Last handler of the operators: an unknown address is 404, in the form of their answers. */
export const answerUnknown: RequestHandler = () => missing('Nothing is served at this address.');

/** Refuses ids and names with a NUL character: no store can look them up. @throws InvalidRequest for a parameter */
const refuseNul: RequestHandler = (req, _res, next) => {
  if (!req.url.includes('%00')) return next();
  if (!req.path.includes('%00')) throw new InvalidRequest('A parameter holds a NUL character.');
  missing('Nothing has this id or name.');
};
