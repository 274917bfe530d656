import type { Express } from 'express';
import type { Clock } from '../domain/clock.ts';
import { createMatcher } from '../domain/matcher.ts';
import { createRuleBook } from '../domain/rule-book.ts';
import type { OperatorAct } from '../ops/http/operator-acts.ts';
import { type ActLog, createActLog } from '../ops/timeline/act-log.ts';
import type { ProcessDeps } from '../reconcile/deps.ts';
import { createReconciler } from '../reconcile/loop/reconciler.ts';
import { requestSweep } from '../reconcile/loop/sweeps.ts';
import type { DecisionDeps } from '../reconcile/repair/deps.ts';
import { createDriftDecisions, type DriftDecisions } from '../reconcile/repair/keeper.ts';
import { openSectionView, readSections, type SectionView } from '../reconcile/sections.ts';
import { createWaiters } from '../reconcile/waiters.ts';
import { openWriteGuard } from '../reconcile/write-guard.ts';
import type { Rules } from '../rules/rules.ts';
import type { Settings } from '../settings/schema.ts';
import { toStoreUrl } from '../settings/store-url.ts';
import { openStore } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';
import { openStoreClock } from '../store/engine/store-clock.ts';
import { StoreError } from '../store/engine/store-error.ts';
import { OUTAGE_CODES, type WatchedStore } from '../store/engine/store-health.ts';
import { createRecorder } from '../store/recorder.ts';
import { createProtection } from '../store/resources/protection.ts';
import type { Store, StoreOptions } from '../store/store.ts';
import { events } from '../telemetry/events.ts';
import { createOutageLog, type Logger, type OutageLog } from '../telemetry/logger.ts';
import { createTrafficCounter } from '../telemetry/metrics.ts';
import { createApps, toHealthSources } from './http.ts';
import { createLeadership, type Leadership } from './leader.ts';
import { observeBridge } from './notifications.ts';
import type { BridgeOptions, WatchedOptions } from './options.ts';
import type { BridgeParts } from './parts.ts';
import {
  openAccess,
  openAttempts,
  openFormerIds,
  openProviderWatch,
  openRequestLog,
  toDriftRules,
  toGivenTokens,
  toScimDeps,
} from './scim.ts';
import { toReconcilePolicy, toRepairPolicy, toSweepPolicy } from './settings.ts';
import {
  countStoreWork,
  toDriftEvents,
  toGuardOptions,
  toLoggedName,
  toReconcileEvents,
} from './telemetry.ts';

/** A composed bridge: what listens is its caller's. */
export interface Bridge {
  /** SCIM, health and, without a port of their own, metrics. */
  readonly app: Express;
  /** Metrics for a listener of their own. */
  readonly opsApp: Express;
  readonly leadership: Leadership;
  /** Resolves once rules that are others than the last time hold everywhere; after `start`. */
  rulesApplied(): Promise<void>;
  /**
   * @throws BridgeError `other-service` when the store belongs to another address; `work-due` when it would only
   * observe and acknowledged changes wait
   */
  start(): Promise<void>;
  /** Accepts and presents these secrets from now on; no request is refused meanwhile. */
  renew(secrets: Secrets): void;
  /** `/readyz` says so from now on; requests are still answered. */
  drain(): void;
  /** Finishes or gives back what runs and closes the connections to the service. The store stays the caller's. */
  stop(): Promise<void>;
}

/** Secrets that may change while a bridge runs. */
export interface Secrets {
  /** Only secrets in them differ from those at the start. */
  readonly settings: Settings;
  /** Tokens of identity providers beside those that the store keeps. */
  readonly scimTokens: readonly string[];
}

/** Opens the store of the settings and brings its schema up to date. @throws StoreError */
export async function openMigratedStore(
  settings: Settings,
  options: Pick<StoreOptions, 'deadline' | 'onConnectionLost' | 'findUrl'> = {},
): Promise<Store> {
  const store = await openStore({ url: toStoreUrl(settings), ...options }).catch(refuseSecond);
  try {
    await migrate(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Says to the second bridge on a file what several need. @throws the error */
function refuseSecond(error: unknown): never {
  if (!(error instanceof StoreError) || error.code !== 'store-in-use') throw error;
  const message = `${error.message}; several bridges on one store need PostgreSQL`;
  throw new StoreError(error.code, message, { cause: error });
}

/** Composes a bridge; nothing runs before `start`. */
export async function createBridge(given: BridgeOptions): Promise<Bridge> {
  const clock = await openStoreClock(given.store, given.clock);
  const { store: recorded, openRecord } = createRecorder(given.store);
  const store = countStoreWork(recorded, clock, given.metrics);
  const logger = openOutageLog(given.logger, store, clock);
  const traffic = createTrafficCounter();
  const options: WatchedOptions = { ...given, store, openRecord, clock, logger, traffic };
  const sections = await openSectionView(store);
  const guard = await openWriteGuard(toGuardOptions(options));
  const acts = openActLog(options);
  const deps = createDeps(options, sections, () => leadership.news().ownAccount ?? undefined);
  const waiters = createWaiters(clock);
  const drifts = toDriftRules(() => toScimDeps(options, parts));
  const observe = () => observeBridge(options, toHealthSources(options, parts));
  const leadership: Leadership = createLeadership({
    options,
    findParts: () => ({ options, deps, sections, guard, acts, waiters, drifts, observe }),
    handOver: (tx) => reconciler.handOverWaits(tx),
  });
  const reconciler = createReconciler({ ...deps, leader: leadership.access, waiters });
  const state = { draining: false };
  const parts: BridgeParts = {
    access: openAccess(options, deps),
    attempts: openAttempts(options),
    leadership,
    rules: deps.rules,
    reconciler,
    drifts: openDecisions(options, { ...deps, ...drifts, notify: reconciler.notify }),
    requestSweep: (asked) =>
      requestSweep({ store, clock, sweepPolicy: toSweepPolicy(options.settings) }, asked),
    guard,
    acts,
    requests: openRequestLog(options, deps),
    formerIds: openFormerIds(options, deps),
    watch: openProviderWatch(options, deps),
    isDraining: () => state.draining,
  };
  const { start, stop } = createLifecycle(parts, sections);
  return {
    ...createApps(options, parts),
    leadership,
    rulesApplied: async () => leadership.tenure()?.convergence.rulesApplied(),
    start,
    renew: (secrets) => renew(parts, secrets),
    async stop() {
      logger.stop();
      await stop();
    },
    drain() {
      state.draining = true;
      void leadership.resign();
    },
  };
}

function renew({ access, leadership }: BridgeParts, { settings, scimTokens }: Secrets): void {
  access.renew(toGivenTokens(settings, scimTokens));
  const { token } = settings.upstream;
  if (token !== undefined) leadership.tenure()?.renewToken(token);
}

function openDecisions(
  { settings, logger, metrics }: WatchedOptions,
  deps: Omit<DecisionDeps, 'repair' | 'driftEvents'>,
): DriftDecisions {
  return createDriftDecisions({
    ...deps,
    repair: toRepairPolicy(settings),
    driftEvents: toDriftEvents(logger, metrics),
  });
}

function openActLog({ store, openRecord, clock, logger }: WatchedOptions): ActLog {
  const told = ({ change: _, ...act }: OperatorAct) => {
    // A call of the service has a line of its own.
    if (!act.route.startsWith('/ops/api/'))
      logger.log(events.operatorActed({ ...act, operator: toLoggedName(act) }));
  };
  const onFailure = (error: unknown) =>
    logger.log(events.jobFailed({ job: 'acts', at: 'store', error }));
  return createActLog({ store, openRecord, clock, told, onFailure });
}

function openOutageLog(logger: Logger, store: WatchedStore, clock: Clock): OutageLog {
  return createOutageLog({
    logger,
    clock,
    codes: OUTAGE_CODES,
    async isUsable() {
      await readSections({ store });
      return (await store.findWriteTrouble()) === undefined;
    },
  });
}

/** Makes the parts that every process has, leader or not. */
function createDeps(
  options: WatchedOptions,
  sections: SectionView,
  findOwnAccount: () => number | undefined,
): ProcessDeps {
  const { settings, store, clock, random, tracing } = options;
  return {
    store,
    clock,
    random,
    policy: toReconcilePolicy(settings),
    rules: toRules(settings, findOwnAccount),
    events: toReconcileEvents(options, sections.refresh),
    tracing,
  };
}

function toRules(
  { rules, users, protect }: Settings,
  findOwnAccount: () => number | undefined,
): Rules {
  return {
    book: createRuleBook(rules),
    deactivation: users.deactivation,
    protection: createProtection({
      isProtectedUser: createMatcher(protect.users),
      isProtectedGroup: createMatcher(protect.groups),
      findOwnAccount,
    }),
  };
}

/** In which order the parts begin, and in which they end. */
function createLifecycle(parts: BridgeParts, sections: SectionView) {
  const { access, leadership, reconciler, guard, requests, acts, formerIds } = parts;
  return {
    async start() {
      await guard.start(reconciler.notify);
      await formerIds.start();
      await leadership.start();
      sections.start();
    },
    async stop() {
      for (const each of [sections, guard]) each.stop();
      await formerIds.stop();
      await requests.stored();
      await access.stop();
      await leadership.stop();
      reconciler.stop();
      await acts.stored();
    },
  };
}
