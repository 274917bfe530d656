import { randomUUID } from 'node:crypto';
import express, { type Express } from 'express';
import {
  toFixedForms,
  toReconcilePolicy,
  toScimPolicy,
  toSweepPolicy,
  toTransportOptions,
} from './bridge-settings.ts';
import {
  toReconcileEvents,
  toScimTelemetry,
  toSweepEvents,
  toTransportHooks,
} from './bridge-telemetry.ts';
import type { Clock } from './domain/clock.ts';
import { createMatcher } from './domain/matcher.ts';
import { createRuleBook } from './domain/rule-book.ts';
import type { ApiSource } from './ops/api/router.ts';
import { createExplainSource } from './ops/explain/source.ts';
import { followRequests } from './ops/follow-requests.ts';
import { type HealthSources, readReadiness } from './ops/health.ts';
import type { WaitingWork } from './ops/readiness.ts';
import { readRecoveryView } from './ops/recovery-view.ts';
import { createHealthRouter, createOperatorRouter } from './ops/router.ts';
import { createSweepSource } from './ops/sweeps-router.ts';
import type { ReconcileDeps } from './reconcile/deps.ts';
import { createFirstRead, type FirstRead } from './reconcile/first-read/first-read.ts';
import type { FirstReadDeps } from './reconcile/first-read/step.ts';
import { openForms } from './reconcile/forms.ts';
import { createPruning } from './reconcile/ledger/pruning.ts';
import { createOperatorCalls } from './reconcile/operator-calls.ts';
import { createReconciler, type Reconciler } from './reconcile/reconciler.ts';
import { createRecovery, type Recovery } from './reconcile/recovery/recovery.ts';
import { findRecovery } from './reconcile/recovery/state.ts';
import type { Rules } from './reconcile/rules/rules.ts';
import { readSections, type SectionStates } from './reconcile/sections.ts';
import { createSweeps, type SweepDeps, type Sweeps } from './reconcile/sweep/sweeps.ts';
import { findTail } from './reconcile/tail/state.ts';
import { createTail } from './reconcile/tail/tail.ts';
import type { ScimDeps } from './scim/deps.ts';
import { answerUnknown } from './scim/http/respond.ts';
import { createMoments } from './scim/render/resource-text.ts';
import { createScimRouter } from './scim/router.ts';
import { createUserProtection } from './scim/users/protect-user.ts';
import type { Settings } from './settings/schema.ts';
import { toStoreUrl } from './settings/store-url.ts';
import { openStore, type Store } from './store/database.ts';
import { countDisputes } from './store/disputes.ts';
import { countDrifts } from './store/drifts.ts';
import { readBacklog } from './store/lanes.ts';
import { migrate } from './store/migrate.ts';
import { openStoreClock } from './store/store-clock.ts';
import { listDisputes, listFailing, listStuck } from './store/trouble.ts';
import { type WatchedStore, watchWrites } from './store/watch-writes.ts';
import { events } from './telemetry/events.ts';
import type { Logger } from './telemetry/logger.ts';
import type { Metrics } from './telemetry/metrics.ts';
import { getRequestId } from './telemetry/request-context.ts';
import { addStateMetrics } from './telemetry/state-metrics.ts';
import { createTransport, type Transport } from './upstream/transport.ts';

/** Where SCIM is served below the public address. */
export const SCIM_PATH = '/scim/v2';
/** How often what another process learned of the sections is read again, in milliseconds. */
const SECTIONS_REFRESH_MS = 30_000;
/** Providers ask again within hours, so a name that did not come up for a day is settled. */
const DISPUTES_SHOWN_MS = 24 * 3_600_000;
/** How long a stop waits for calls on their way, in milliseconds. */
const STOP_GRACE_MS = 15_000;

/** The service that a bridge works with. */
export interface Target {
  readonly baseUrl: string;
  readonly token: string;
  /** What the store remembers as its service: the base URL, or a constant for the sandbox. */
  readonly identity: string;
  readonly requestsPerSecond: number;
}

/** What a bridge is made of. */
export interface BridgeOptions {
  readonly settings: Settings;
  readonly store: Store;
  readonly target: Target;
  /** Tokens of identity providers; at least one. */
  readonly scimTokens: readonly string[];
  /** How providers reach the bridge, without a slash at its end. */
  readonly publicUrl: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly logger: Logger;
  readonly metrics: Metrics;
}

/** A composed bridge: what listens is its caller's. */
export interface Bridge {
  /** SCIM, health and, without a port of their own, metrics. */
  readonly app: Express;
  /** Metrics for a listener of their own. */
  readonly opsApp: Express;
  readonly firstRead: FirstRead;
  /** Resolves once rules that are others than the last time hold everywhere; after `start`. */
  rulesApplied(): Promise<void>;
  /** @throws BridgeError `other-service` when the store belongs to another address. */
  start(): Promise<void>;
  /** `/readyz` says so from now on; requests are still answered. */
  drain(): void;
  /** Finishes or gives back what runs and closes the connections to the service. The store stays the caller's. */
  stop(): Promise<void>;
}

/** Opens the store of the settings and brings its schema up to date. @throws StoreError */
export async function openMigratedStore(settings: Settings): Promise<Store> {
  const store = await openStore({ url: toStoreUrl(settings) });
  try {
    await migrate(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Composes a bridge; nothing runs before `start`. */
export async function createBridge(given: BridgeOptions): Promise<Bridge> {
  const clock = await openStoreClock(given.store, given.clock);
  const store = watchWrites(given.store, clock);
  const options: WatchedOptions = { ...given, store, clock };
  const sections = await openSectionView(store);
  const deps = await createDeps(options, sections, () => firstRead.ownAccount());
  const { ledger, audit } = options.settings;
  const pruning = createPruning(deps, { ledgerMs: ledger.retention, auditMs: audit.retention });
  const reconciler = createReconciler(deps);
  const { wake } = reconciler;
  const readDeps = { ...deps, identity: options.target.identity };
  const firstRead = createFirstRead(readDeps);
  const recovery = createRecovery({ ...readDeps, firstRead, wake });
  const following = { intervalMs: audit.pollInterval, trusted: recovery.hold.trusted, wake };
  const tail = createTail(deps, following);
  const sweeps = createSweeps(toSweepDeps(options, readDeps, { firstRead, recovery }));
  const state = { draining: false };
  const { app, opsApp } = createApps(options, {
    upstream: deps.upstream,
    callForOperator: createOperatorCalls(deps, wake),
    rules: deps.rules,
    reconciler,
    firstRead,
    recovery,
    sweeps,
    sections,
    isDraining: () => state.draining,
  });
  return {
    app,
    opsApp,
    firstRead,
    rulesApplied: reconciler.rulesApplied,
    async start() {
      // Before the first read, so that what changes behind it is read of.
      await tail.start();
      await firstRead.start();
      await reconciler.start(recovery.hold);
      recovery.start();
      sections.start();
      pruning.start();
      sweeps.start();
    },
    drain() {
      state.draining = true;
    },
    async stop() {
      sections.stop();
      pruning.stop();
      await tail.stop();
      await sweeps.stop();
      await recovery.stop();
      await firstRead.stop();
      await reconciler.stop(STOP_GRACE_MS);
      await deps.upstream.close();
    },
  };
}

/** What sweeps are given: they begin once it is known that the store is current. */
function toSweepDeps(
  { settings, logger, metrics }: WatchedOptions,
  deps: FirstReadDeps,
  { firstRead, recovery }: Pick<Parts, 'firstRead' | 'recovery'>,
): SweepDeps {
  let isChecked = false;
  const checked = recovery.hold.over.then(() => {
    isChecked = true;
  });
  return {
    ...deps,
    sweepPolicy: toSweepPolicy(settings),
    sweepEvents: toSweepEvents(logger, metrics),
    checked,
    isReady: () => isChecked && firstRead.finished && !recovery.isReading(),
  };
}

/** What convergence is given. */
async function createDeps(
  { settings, store, target, clock, random, logger, metrics }: WatchedOptions,
  sections: SectionView,
  findOwnAccount: () => number | undefined,
): Promise<ReconcileDeps> {
  const events = toReconcileEvents(logger, metrics, sections.refresh);
  const upstream = createTransport({
    ...toTransportOptions(settings, target),
    clock,
    random,
    hooks: toTransportHooks(logger, metrics),
  });
  return {
    store,
    upstream,
    clock,
    random,
    forms: await openForms({ store, clock, fixed: toFixedForms(settings) }),
    policy: toReconcilePolicy(settings),
    rules: toRules(settings, findOwnAccount),
    events,
    owner: randomUUID(),
  };
}

interface WatchedOptions extends BridgeOptions {
  readonly store: WatchedStore;
}

function toRules(
  { rules, users, protect }: Settings,
  findOwnAccount: () => number | undefined,
): Rules {
  return {
    book: createRuleBook(rules),
    deactivation: users.deactivation,
    protection: createUserProtection({
      policy: { isProtectedUser: createMatcher(protect.users) },
      findOwnAccount,
    }),
  };
}

interface Parts {
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

function createApps(options: WatchedOptions, parts: Parts): { app: Express; opsApp: Express } {
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

function toScimDeps(options: BridgeOptions, parts: Parts): ScimDeps {
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

/** What is known of the sections, kept in memory because every request asks. */
interface SectionView {
  current(): SectionStates;
  refresh(): void;
  start(): void;
  stop(): void;
}

async function openSectionView(store: Store): Promise<SectionView> {
  let states = await readSections({ store });
  let timer: NodeJS.Timeout | undefined;
  const refresh = () => {
    // A store that cannot be read now is told by /readyz; what was known stays.
    readSections({ store }).then(
      (read) => {
        states = read;
      },
      () => undefined,
    );
  };
  return {
    current: () => states,
    refresh,
    start() {
      timer = setInterval(refresh, SECTIONS_REFRESH_MS);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
