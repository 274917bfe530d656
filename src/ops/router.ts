import { type RequestHandler, Router } from 'express';
import type { Registry } from 'prom-client';
import type { Attempts } from '../access/attempts.ts';
import type { FindCredential } from '../access/credential.ts';
import type { Clock } from '../domain/clock.ts';
import { type AccessSource, listAccessRouters } from './access/router.ts';
import { answerErrors, type TellFailed } from './answer-errors.ts';
import { type ApiSource, createApiRouter } from './api/router.ts';
import { createDriftDecisionRouter, type DriftDecisionSource } from './drift-decisions.ts';
import { createErasureRouter, type ErasureSource } from './erasure/router.ts';
import { createExplainRouter, type ExplainSource } from './explain/router.ts';
import { createFirstRunRouter, type FirstRunSource } from './first-run/router.ts';
import { type HealthSources, readReadiness } from './health.ts';
import { InvalidRequest } from './invalid-request.ts';
import { limitOperators } from './limit-requests.ts';
import { requireOperator } from './operator.ts';
import { type OperatorAct, tellActs } from './operator-acts.ts';
import { createPlanRouter, type PlanSource } from './plans-router.ts';
import { createRecoveryRouter, type RecoverySource } from './recovery-router.ts';
import { createRequestsRouter, type ListRequests } from './requests/router.ts';
import { createResourceRouter } from './resources/router.ts';
import type { ResourceSources } from './resources/source.ts';
import { createRetryRouter, type RetrySource } from './retry-router.ts';
import { readStatus, type StatusSources } from './status.ts';
import { createDriftRouter, createSweepRouter, type SweepSource } from './sweeps-router.ts';
import { createTimelineRouter } from './timeline/router.ts';
import type { TimelineSourceOf } from './timeline/source.ts';
import { createWritesRouter, type WritesSource } from './writes-router.ts';

/** What operators and their monitoring are shown. */
export interface OperatorRouterOptions {
  readonly registry: Pick<Registry, 'contentType' | 'metrics'>;
  readonly status: StatusSources;
  readonly explain: ExplainSource;
  readonly timeline: TimelineSourceOf;
  readonly erasure: ErasureSource;
  readonly resources: ResourceSources;
  readonly recovery: RecoverySource;
  readonly firstRun: FirstRunSource;
  readonly sweeps: SweepSource;
  readonly plans: PlanSource;
  readonly decideDrifts: DriftDecisionSource;
  readonly writes: WritesSource;
  readonly retry: RetrySource;
  readonly listRequests: ListRequests;
  readonly api: ApiSource;
  readonly clock: Pick<Clock, 'now'>;
  /** Told of each request that does more than read, once it is answered. */
  readonly acted: (act: OperatorAct) => void;
  readonly failed: TellFailed;
  readonly access: AccessSource;
  /** Whose a presented token is. */
  readonly findCredential: FindCredential;
  readonly attempts: Pick<Attempts, 'failed'>;
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
  const before = [requireOperator(options), limitOperators(options.clock)];
  router.get('/metrics', ...before, async (_req, res) => {
    const text = await registry.metrics();
    res.set('Content-Type', registry.contentType).send(text);
  });
  router.use('/ops', before, refuseNul, tellActs(options.acted));
  for (const [path, served] of listOperatorRouters(options)) router.use(`/ops${path}`, served);
  router.use(answerErrors(options.failed));
  return router;
}

/** Ids and names with a NUL character are nobody's: no store can look them up. @throws InvalidRequest for a parameter */
const refuseNul: RequestHandler = (req, res, next) => {
  if (!req.url.includes('%00')) return next();
  if (!req.path.includes('%00')) throw new InvalidRequest('A parameter holds a NUL character.');
  res.status(404).json({ code: 'not-found', message: 'Nothing has this id or name.' });
};

/** What is served below `/ops`, and where: the longer of two paths goes before. */
export function listOperatorRouters(
  options: Omit<
    OperatorRouterOptions,
    'registry' | 'findCredential' | 'attempts' | 'clock' | 'acted' | 'failed'
  >,
): readonly (readonly [path: string, router: Router])[] {
  const { status, explain, resources, recovery, firstRun, sweeps, plans, writes, api } = options;
  return [
    ['/status', createStatusRouter(status)],
    ['/openapi.json', createOpenApiRouter()],
    ['/recovery', createRecoveryRouter(recovery)],
    ['/plans/first-run', createFirstRunRouter(firstRun)],
    ['/users', createResourceRouter(resources.users)],
    ['/groups', createResourceRouter(resources.groups)],
    ['/sweeps', createSweepRouter(sweeps)],
    ['/drifts', createDriftRouter(sweeps)],
    ['/drifts', createDriftDecisionRouter(options.decideDrifts)],
    ['/plans', createPlanRouter(plans)],
    ['/requests', createRequestsRouter(options.listRequests)],
    ...listAccessRouters(options.access),
    ['/api', createApiRouter(api)],
    ['', createWritesRouter(writes)],
    ['', createRetryRouter(options.retry)],
    ['', createExplainRouter(explain)],
    ['', createTimelineRouter(options.timeline)],
    ['', createErasureRouter(options.erasure)],
  ];
}

function createStatusRouter(sources: StatusSources): Router {
  return Router().get('/', async (_req, res) => {
    res.set('Cache-Control', 'no-store').json(await readStatus(sources));
  });
}

/** The description is the same for everybody, and made once; its schemas are of no use to a start. */
function createOpenApiRouter(): Router {
  let text: string | undefined;
  return Router().get('/', async (_req, res) => {
    const { toOpsDocument } = await import('./openapi/to-document.ts');
    text ??= JSON.stringify(toOpsDocument());
    res.type('application/json').send(text);
  });
}
