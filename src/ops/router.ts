import { type RequestHandler, Router } from 'express';
import type { Registry } from 'prom-client';
import { createTokenCheck } from '../domain/token-check.ts';
import { answerUnreadable } from './answer-unreadable.ts';
import { type ApiSource, createApiRouter } from './api/router.ts';
import { createDriftDecisionRouter, type DriftDecisionSource } from './drift-decisions.ts';
import { createExplainRouter, type ExplainSource } from './explain/router.ts';
import { createFirstRunRouter, type FirstRunSource } from './first-run/router.ts';
import { type HealthSources, readReadiness } from './health.ts';
import { createPlanRouter, type PlanSource } from './plans-router.ts';
import { createRecoveryRouter, type RecoverySource } from './recovery-router.ts';
import { createRequestsRouter, type ListRequests } from './requests/router.ts';
import { createResourceRouter } from './resources/router.ts';
import type { ResourceSources } from './resources/source.ts';
import { readStatus, type StatusSources } from './status.ts';
import { createDriftRouter, createSweepRouter, type SweepSource } from './sweeps-router.ts';
import { createWritesRouter, type WritesSource } from './writes-router.ts';

/** What operators and their monitoring are shown. */
export interface OperatorRouterOptions {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly status: StatusSources;
  readonly explain: ExplainSource;
  readonly resources: ResourceSources;
  readonly recovery: RecoverySource;
  readonly firstRun: FirstRunSource;
  readonly sweeps: SweepSource;
  readonly plans: PlanSource;
  readonly decideDrifts: DriftDecisionSource;
  readonly writes: WritesSource;
  readonly listRequests: ListRequests;
  readonly api: ApiSource;
  /** setting: ops.token; without one nothing is shown. */
  readonly token: string | undefined;
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

/** `/metrics` for Prometheus and everything below `/ops`. 404 without a token in the settings, 401 without it in the request. */
export function createOperatorRouter(options: OperatorRouterOptions): Router {
  const { registry, status, explain, recovery, firstRun, sweeps, plans, writes, api, token } =
    options;
  const router = Router();
  if (token === undefined) return router; // What follows it answers 404, as for every unknown path.
  const authenticate = requireBearer(token);
  router.get('/metrics', authenticate, async (_req, res) => {
    const text = await registry.metrics();
    res.set('Content-Type', registry.contentType).send(text);
  });
  router.get('/ops/status', authenticate, async (_req, res) => {
    res.set('Cache-Control', 'no-store').json(await readStatus(status));
  });
  router.use('/ops/recovery', authenticate, createRecoveryRouter(recovery));
  router.use('/ops/plans/first-run', authenticate, createFirstRunRouter(firstRun));
  router.use('/ops/users', authenticate, createResourceRouter(options.resources.users));
  router.use('/ops/groups', authenticate, createResourceRouter(options.resources.groups));
  router.use('/ops/sweeps', authenticate, createSweepRouter(sweeps));
  router.use('/ops/drifts', authenticate, createDriftRouter(sweeps));
  router.use('/ops/drifts', authenticate, createDriftDecisionRouter(options.decideDrifts));
  router.use('/ops/plans', authenticate, createPlanRouter(plans));
  router.use('/ops', authenticate, createWritesRouter(writes));
  router.use('/ops/requests', authenticate, createRequestsRouter(options.listRequests));
  router.use('/ops/api', authenticate, createApiRouter(api));
  router.use('/ops', authenticate, createExplainRouter(explain));
  router.use('/ops', answerUnreadable);
  return router;
}

/**
 * Lets requests through that present the token as `Bearer <token>`; the others get 401.
 * @see RFC 6750 §2.1, §3
 */
function requireBearer(token: string): RequestHandler {
  const isKnown = createTokenCheck([token]);
  return (req, res, next) => {
    const presented = /^bearer +(\S+) *$/i.exec(req.headers.authorization ?? '')?.[1];
    if (presented !== undefined && isKnown(presented)) return next();
    const problem = presented === undefined ? '' : ', error="invalid_token"';
    res.set('WWW-Authenticate', `Bearer realm="ops"${problem}`);
    res.status(401).json({ code: 'unauthorized', message: 'Present ops.token as Bearer token.' });
  };
}
