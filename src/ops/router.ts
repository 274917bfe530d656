import type { RequestHandler } from 'express';
import { Router } from 'express';
import { accessRoutes } from './access/routes.ts';
import { apiRoutes } from './api/routes.ts';
import { driftRoutes } from './drift/drifts.ts';
import { planRoutes } from './drift/plans.ts';
import { exportRoutes } from './exports/routes.ts';
import { InvalidRequest, missing } from './http/body.ts';
import { TEXT_MAX } from './http/list-query.ts';
import { keepActs, limitRequests, requireOperator, requireRole } from './http/operator.ts';
import type { OpsRoute } from './http/route.ts';
import { createRouteRouter, ok, route } from './http/route.ts';
import { MEANINGS } from './lists/list.ts';
import { recordRoutes } from './records/routes.ts';
import { recoveryRoutes } from './recovery/routes.ts';
import { explainRoutes } from './resources/explain.ts';
import { resourceRoutes } from './resources/routes.ts';
import type { OpsJson, OpsSchemaName } from './schemas/schemas.ts';
import { describeSchemas, opsSchemas } from './schemas/schemas.ts';
import type { OpsSources } from './sources.ts';
import type { HealthSources } from './state/readiness-facts.ts';
import { readReadiness } from './state/reasons.ts';
import { stateRoutes } from './state/routes.ts';
import { reportRoutes } from './timeline/access-report.ts';
import { timelineRoutes } from './timeline/routes.ts';

/** `/healthz` (alive: 200) and `/readyz` (503 when requests cannot be served, with the reasons). Open to everybody. */
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
export function createOperatorRouter(options: OpsSources): Router {
  const { registry } = options.metrics;
  const router = Router();
  const letIn = requireOperator(options);
  const limit = limitRequests(options.clock);
  router.get('/metrics', letIn, requireRole('metrics'), limit, async (_req, res) => {
    const text = await registry.metrics();
    res.set('Content-Type', registry.contentType).send(text);
  });
  router.use('/ops', letIn, refuseNul, keepActs(options.acts.open));
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

/** Everything below `/ops` as an OpenAPI 3.1 document. @see https://spec.openapis.org/oas/v3.1.0 (read 2026-11-21) */
export function toOpsDocument(): OpsJson<'OpenApi'> {
  const paths = Map.groupBy(opsRoutes, ({ path }) => `/ops${path}`);
  const toMethods = (routes: readonly OpsRoute[]) =>
    Object.fromEntries(routes.map((route) => [route.method, toOperation(route)]));
  return {
    openapi: '3.1.0',
    info: {
      title: 'scim-bridge for operators',
      version: '1.0.0',
      description:
        'JSON below `/ops`, on `port` or `ops.port`, with `ops.token`, or a named token for `operator`; `ops.readerToken`, or a token for `reader`, may `GET`; one for `metrics` opens `/metrics` alone. Names in answers are personal.',
    },
    security: [{ operator: [] }],
    paths: Object.fromEntries([...paths].map(([path, routes]) => [path, toMethods(routes)])),
    components: { securitySchemes: { operator: BEARER }, schemas: describeSchemas() },
  };
}

const BEARER = {
  type: 'http',
  scheme: 'bearer',
  description: '`ops.token`, `ops.readerToken` or a named token',
};

function listParameters({ path, filters, parameters, meanings, newest }: OpsRoute) {
  const toParameter = (name: string, schema: object) => {
    const description = meanings?.[name] ?? MEANINGS[name];
    return { name, in: 'query', required: false, ...(description && { description }), schema };
  };
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => {
    return { name, in: 'path', required: true, schema: { type: 'string' } };
  });
  const limit = toParameter('limit', { type: 'integer', minimum: 1, maximum: 1_000 });
  if (newest) return [...inPath, limit];
  const inQuery = Object.entries(parameters ?? filters ?? {}).map(([name, words]) =>
    toParameter(
      name,
      typeof words === 'string'
        ? { type: 'string', maxLength: TEXT_MAX }
        : { type: 'string', enum: words },
    ),
  );
  const paging = [limit, toParameter('cursor', { type: 'string' })];
  return [...inPath, ...inQuery, ...(filters === undefined ? [] : paging)];
}

function toOperation(route: OpsRoute): object {
  const parameters = listParameters(route);
  const { method, path, summary, body, file, answers } = route;
  const done = Object.entries(answers).map(([status, name]) => [
    status,
    { description: 'Done.', content: toContent(name) },
  ]);
  return {
    operationId: `${method}${path.replace(/[^a-z]+([a-z])/gi, (_, letter) => letter.toUpperCase()).replace(/\W/g, '')}`,
    tags: [path.split(/[/.]/)[1]],
    summary,
    ...(parameters.length > 0 && { parameters }),
    ...(file && { requestBody: { required: file === 'required', content: EXPORT } }),
    // Optional where nothing has to be said.
    ...(body && {
      requestBody: { required: !opsSchemas[body].safeParse({}).success, content: toContent(body) },
    }),
    responses: {
      ...Object.fromEntries(done),
      default: { description: REFUSED, content: toContent('Problem') },
    },
  };
}

const REFUSED =
  'Refused. 400: the request cannot be understood. 401: no valid token. 403: the token may do less, or the account is privileged. 404: there is no such thing. 409: it is in another state by now. 429: too many requests. 503: the service or the store could not be asked.';

function toContent(name: OpsSchemaName): object {
  return { 'application/json': { schema: { $ref: `#/components/schemas/${name}` } } };
}

const TEXT = { schema: { type: 'string' } };
/** An export is CSV, or has one JSON object a line. */
const EXPORT = { 'text/csv': TEXT, 'application/x-ndjson': TEXT };

/** The table of every request below `/ops`: the router serves it, and OpenAPI describes it. */
export const opsRoutes: readonly OpsRoute[] = [
  ...stateRoutes,
  ...resourceRoutes,
  ...explainRoutes,
  ...timelineRoutes,
  ...reportRoutes,
  ...driftRoutes,
  ...planRoutes,
  ...recoveryRoutes,
  ...exportRoutes,
  ...recordRoutes,
  ...accessRoutes,
  ...apiRoutes,
  route(
    {
      path: '/openapi.json',
      summary: 'Everything on this page as OpenAPI 3.1.',
      answers: { 200: 'OpenApi' },
    },
    async (_sources) => ok(toOpsDocument()),
  ),
];
