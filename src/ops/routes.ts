import type { ShownSetting } from '../settings/shown.ts';
import { type AccessSource, accessRoutes } from './access/router.ts';
import { type ApiSource, apiRoutes } from './api/routes.ts';
import { type CensusNeeds, censusRoutes } from './census/routes.ts';
import { type DriftDecisionSource, driftRoutes } from './drift/drifts.ts';
import { type LookSource, lookRoutes } from './drift/look.ts';
import { type PlanSource, planRoutes } from './drift/plans.ts';
import { type SweepSource, sweepRoutes } from './drift/sweeps.ts';
import { type ErasureSource, erasureRoutes } from './erasure/routes.ts';
import { type MemberSource, memberRoutes } from './explain/members.ts';
import { type ExplainSource, explainRoutes } from './explain/routes.ts';
import { type HandoverNeeds, handoverRoutes } from './handover/routes.ts';
import { type OpsRoute, route } from './http/route.ts';
import { type LeaverSource, leaverRoutes } from './leavers/routes.ts';
import { type NotificationSource, notificationRoutes } from './notifications/routes.ts';
import { type FirstRunSource, type RecoverySource, recoveryRoutes } from './recovery/routes.ts';
import { type ListRequests, requestRoutes } from './requests/routes.ts';
import { resourceRoutes } from './resources/routes.ts';
import type { ResourceSources } from './resources/source.ts';
import type { OpsJson } from './schemas/schemas.ts';
import { type RetrySource, retryRoutes } from './state/retry.ts';
import { type SampleSource, sampleRoutes } from './state/samples.ts';
import { type SandboxAddress, sandboxRoute } from './state/sandbox.ts';
import { settingsRoute } from './state/settings.ts';
import { type StatusSources, statusRoute } from './state/status.ts';
import { type WritesSource, writesRoutes } from './state/writes.ts';
import type { ActLog } from './timeline/act-log.ts';
import { actRoutes } from './timeline/acts.ts';
import { type TimelineSource, timelineRoutes } from './timeline/routes.ts';

/** Sources of everything below `/ops`. */
export interface OpsSources {
  readonly status: StatusSources;
  readonly settings: readonly ShownSetting[];
  readonly sandbox: SandboxAddress | undefined;
  readonly writes: WritesSource;
  readonly retry: RetrySource;
  readonly samples: SampleSource;
  readonly resources: ResourceSources;
  readonly explain: ExplainSource;
  readonly members: MemberSource;
  readonly timeline: TimelineSource;
  readonly erasure: ErasureSource;
  readonly sweeps: SweepSource;
  readonly decideDrifts: DriftDecisionSource;
  readonly looks: LookSource;
  readonly plans: PlanSource;
  readonly firstRun: FirstRunSource;
  readonly recovery: RecoverySource;
  readonly leavers: LeaverSource;
  readonly census: CensusNeeds['census'];
  readonly handover: HandoverNeeds['handover'];
  readonly listRequests: ListRequests;
  readonly acts: Pick<ActLog, 'list'>;
  readonly notifications: NotificationSource;
  readonly access: AccessSource;
  readonly api: ApiSource;
  /** Describes this table as OpenAPI. */
  readonly describe: () => { readonly json: OpsJson<'OpenApi'>; readonly text: string };
}

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
  ...memberRoutes,
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
  ...accessRoutes,
  ...handoverRoutes,
  ...apiRoutes,
  route({
    method: 'get',
    path: '/openapi.json',
    tag: 'This description',
    summary: 'Everything on this page as OpenAPI 3.1.',
    answers: { 200: 'OpenApi' },
    handle: async ({ describe }: Pick<OpsSources, 'describe'>) => ({ status: 200, ...describe() }),
  }),
];
