import { clientRoutes } from './access/clients.ts';
import { providerRoutes } from './access/providers.ts';
import { sessionRoutes } from './access/sessions.ts';
import { tokenRoutes } from './access/tokens.ts';
import { apiRoutes } from './api/routes.ts';
import { censusRoutes } from './census/routes.ts';
import { driftRoutes } from './drift/drifts.ts';
import { lookRoutes } from './drift/look.ts';
import { planRoutes } from './drift/plans.ts';
import { sweepRoutes } from './drift/sweeps.ts';
import { erasureRoutes } from './erasure/routes.ts';
import { explainRoutes } from './explain/routes.ts';
import { handoverRoutes } from './handover/routes.ts';
import { type OpsRoute, route } from './http/route.ts';
import { leaverRoutes } from './leavers/routes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { recoveryRoutes } from './recovery/routes.ts';
import { requestRoutes } from './requests/routes.ts';
import { resourceRoutes } from './resources/routes.ts';
import type { OpsSources } from './sources.ts';
import { retryRoutes } from './state/retry.ts';
import { sampleRoutes } from './state/samples.ts';
import { sandboxRoute, settingsRoute } from './state/settings.ts';
import { statusRoute } from './state/status.ts';
import { writesRoutes } from './state/writes.ts';
import { actRoutes } from './timeline/acts.ts';
import { timelineRoutes } from './timeline/routes.ts';

/** The table of every request below `/ops`: the router serves it, and OpenAPI describes it. */
export const opsRoutes: readonly OpsRoute<OpsSources>[] = [
  statusRoute,
  settingsRoute,
  sandboxRoute,
  ...writesRoutes,
  ...retryRoutes,
  ...sampleRoutes,
  ...resourceRoutes,
  ...explainRoutes,
  ...timelineRoutes,
  ...erasureRoutes,
  ...sweepRoutes,
  ...driftRoutes,
  ...lookRoutes,
  ...planRoutes,
  ...recoveryRoutes,
  ...leaverRoutes,
  ...censusRoutes,
  ...requestRoutes,
  ...actRoutes,
  ...notificationRoutes,
  ...providerRoutes,
  ...tokenRoutes,
  ...clientRoutes,
  ...sessionRoutes,
  ...handoverRoutes,
  ...apiRoutes,
  route({
    method: 'get',
    path: '/openapi.json',
    tag: 'This description',
    summary: 'Everything on this page as OpenAPI 3.1.',
    answers: { 200: 'OpenApi' },
    handle: async ({ describe }: OpsSources) => ({ status: 200, ...describe() }),
  }),
];
