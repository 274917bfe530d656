import express, { type Express } from 'express';
import type { BridgeOptions, WatchedOptions } from './bridge-options.ts';
import { toScimPolicy } from './bridge-settings.ts';
import { toScimTelemetry } from './bridge-telemetry.ts';
import type { ApiSource } from './ops/api/router.ts';
import { createExplainSource } from './ops/explain/source.ts';
import { followRequests } from './ops/follow-requests.ts';
import { type HealthSources, readReadiness } from './ops/health.ts';
import type { WaitingWork } from './ops/readiness.ts';
import { readRecoveryView } from './ops/recovery-view.ts';
import { createHealthRouter, createOperatorRouter } from './ops/router.ts';
import { createSweepSource } from './ops/sweeps-router.ts';
import type { FirstRead } from './reconcile/first-read/first-read.ts';
import type { Reconciler } from './reconcile/reconciler.ts';
import type { Recovery } from './reconcile/recovery/recovery.ts';
import { findRecovery } from './reconcile/recovery/state.ts';
import type { Rules } from './reconcile/rules/rules.ts';
import type { SectionView } from './reconcile/section-view.ts';
import { readSections, type SectionStates } from './reconcile/sections.ts';
import type { Sweeps } from './reconcile/sweep/sweeps.ts';
import { findTail } from './reconcile/tail/state.ts';
import type { ScimDeps } from './scim/deps.ts';
import { answerUnknown } from './scim/http/respond.ts';
import { createMoments } from './scim/render/resource-text.ts';
import { createScimRouter } from './scim/router.ts';
import { readBacklog } from './store/backlog.ts';
import { countDisputes } from './store/disputes.ts';
import { countDrifts } from './store/drifts.ts';
import { listDisputes, listFailing, listStuck } from './store/trouble.ts';
import { events } from './telemetry/events.ts';
import { getRequestId } from './telemetry/request-context.ts';
import { addStateMetrics } from './telemetry/state-metrics.ts';
import type { Transport } from './upstream/transport.ts';

/** Where SCIM is served below the public address. */
export const SCIM_PATH = '/scim/v2';
/** Providers ask again within hours, so a name that did not come up for a day is settled. */
const DISPUTES_SHOWN_MS = 24 * 3_600_000;

/** What serves is made from. */
export interface BridgeParts {
  readonly upstream: Transport;
  readonly callForOperator: ApiSource['call'];
  readonly rules: Rules;
  readonly reconciler: Reconciler;
  readonly firstRead: FirstRead;
  readonly recovery: Recovery;
  readonly sweeps: Sweeps;
  readonly sections: SectionView;
  readonly isDraining: () => boolean;
}

/** What listens: SCIM with health, and what operators ask. */
export function createApps(
  options: WatchedOptions,
  parts: BridgeParts,
): { app: Express; opsApp: Express } {
  const { settings, store, clock, logger, metrics } = options;
  const { upstream, reconciler, sections, firstRead, recovery } = parts;
  const scim = createScimRouter(toScimDeps(options, parts));
  const sources: HealthSources = {
    assertStoreUsable: async () => void (await readSections({ store })),
    findWriteTrouble: store.findWriteTrouble,
    findRecovery: () => findRecovery(store.read),
    findAuditFailure: async () => (await findFollowedTail(options))?.failure ?? undefined,
    readFirstRead: async () => firstRead.state(),
    readSections: async () => sections.current(),
    readBacklog: () => readWaitingWork(options),
    upstreamHealth: () => upstream.health(),
    isDraining: parts.isDraining,
    clock,
  };
  const health = createHealthRouter(sources);
  const state = {
    ...sources,
    upstreamHealth: () => upstream.health(),
    activity: () => reconciler.activity(),
    findAuditReadAt: async () => (await findFollowedTail(options))?.readAt,
    readReadiness: () => readReadiness(sources),
    countDrifts: () => countDrifts(store.read),
  };
  addStateMetrics(metrics, state);
  const operators = createOperatorRouter({
    registry: metrics.registry,
    status: {
      ...state,
      listStuck: (limit) => listStuck(store.read, limit),
      listFailing: (limit) => listFailing(store.read, limit),
      listDisputes: (limit) => listDisputes(store.read, limit),
    },
    sweeps: createSweepSource(store.read, parts.sweeps.request),
    explain: createExplainSource(store.read, parts.rules),
    recovery: {
      read: () => readRecoveryView(store.read, recovery.detection()),
      approve: recovery.approve,
      discard: recovery.discard,
    },
    api: {
      call: parts.callForOperator,
      told: (call, res) =>
        logger.log(events.operatorCalled({ requestId: getRequestId(res), ...call })),
    },
    token: settings.ops.token,
  });
  const app = createApp().use(followRequests({ clock, logger, metrics }));
  app.use(SCIM_PATH, scim);
  app.use(health);
  if (settings.ops.port === undefined) app.use(operators);
  // Also outside the base address: a provider with a wrong one is told so in its own protocol.
  app.use(answerUnknown);
  return { app, opsApp: createApp().use(health).use(operators).use(answerUnknown) };
}

/** How far the audit log was read, where it is followed. */
async function findFollowedTail({ settings, store }: WatchedOptions) {
  return settings.audit.pollInterval === 0 ? undefined : findTail(store.read);
}

async function readWaitingWork({ store, clock }: BridgeOptions): Promise<WaitingWork> {
  const [backlog, disputed] = await Promise.all([
    readBacklog(store.read),
    countDisputes(store.read, clock.now() - DISPUTES_SHOWN_MS),
  ]);
  return { ...backlog, disputed };
}

/** Every answer sets its own ETag, and nobody needs to know what serves. */
function createApp(): Express {
  return express().disable('x-powered-by').disable('etag').set('query parser', 'simple');
}

function toScimDeps(options: BridgeOptions, parts: BridgeParts): ScimDeps {
  const { settings, store, clock, logger, metrics } = options;
  const { upstream, rules, reconciler, firstRead, recovery, sections } = parts;
  return {
    store,
    rules,
    reconciler,
    clock,
    policy: toScimPolicy(settings, options.scimTokens),
    baseUrl: `${options.publicUrl}${SCIM_PATH}`,
    toMoment: createMoments(),
    findClosed: (type) => findClosed(type, { firstRead, sections: sections.current() }),
    findOwnAccount: () => firstRead.ownAccount(),
    looksFirst: recovery.isReading,
    isUpstreamDown() {
      const { credentials, service } = upstream.health();
      return credentials.kind === 'shut' || service.kind === 'shut';
    },
    telemetry: toScimTelemetry(logger, metrics),
  };
}

/** "Not found" may be said only once everything was read, and never of a section we may not read. */
function findClosed(
  type: 'user' | 'group',
  { firstRead, sections }: { firstRead: FirstRead; sections: SectionStates },
): ReturnType<ScimDeps['findClosed']> {
  if (!firstRead.finished) {
    const detail = 'The bridge is still reading the service for the first time. Try again shortly.';
    return { detail, retryAfterSeconds: 10 };
  }
  const section = type === 'user' ? 'users' : 'groups';
  const problem = sections[section]?.problem;
  if (!problem) return undefined;
  const detail = `The service does not let the bridge use its ${section} (${problem.code}). scim-bridge check tells the remedy.`;
  return { detail, retryAfterSeconds: 300 };
}
