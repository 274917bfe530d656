import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import type { Clock } from '../domain/clock.ts';
import { createMatcher } from '../domain/matcher.ts';
import { createRuleBook } from '../domain/rule-book.ts';
import type { ReconcileDeps } from '../reconcile/deps.ts';
import { createOperatorCalls } from '../reconcile/loop/operator-calls.ts';
import { createPruning } from '../reconcile/loop/pruning.ts';
import { createReconciler } from '../reconcile/loop/reconciler.ts';
import { createReplicas } from '../reconcile/loop/replicas.ts';
import { createOutageWatch } from '../reconcile/outage.ts';
import { openQuirks } from '../reconcile/quirks.ts';
import { createFirstRead, type FirstRead } from '../reconcile/read/first-read.ts';
import { createRecovery } from '../reconcile/repair/recovery.ts';
import { openSectionView, readSections } from '../reconcile/sections.ts';
import { openWriteGuard } from '../reconcile/write-guard.ts';
import type { Rules } from '../rules/rules.ts';
import type { Settings } from '../settings/schema.ts';
import { toStoreUrl } from '../settings/store-url.ts';
import { openStore } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';
import { openStoreClock } from '../store/engine/store-clock.ts';
import { OUTAGE_CODES, type WatchedStore, watchWrites } from '../store/engine/store-health.ts';
import { createProtection } from '../store/resources/protection.ts';
import type { Store, StoreOptions } from '../store/store.ts';
import type { Logger } from '../telemetry/logger.ts';
import { createOutageLog, type OutageLog } from '../telemetry/outage-log.ts';
import { createTransport } from '../upstream/transport.ts';
import { toSharedRate } from './budget.ts';
import { createApps } from './http.ts';
import { createDetectors, type Detectors } from './jobs.ts';
import { createLifecycle } from './lifecycle.ts';
import type { BridgeOptions, BridgeParts, WatchedOptions } from './parts.ts';
import {
  openAccess,
  openAttempts,
  openProviderWatch,
  openRequestLog,
  toDriftRules,
  toScimDeps,
} from './scim.ts';
import { toFixedQuirks, toReconcilePolicy, toRetention, toTransportOptions } from './settings.ts';
import { toGuardOptions, toReconcileEvents, toTransportHooks } from './telemetry.ts';

/** A composed bridge: what listens is its caller's. */
export interface Bridge {
  /** SCIM, health and, without a port of their own, metrics. */
  readonly app: Express;
  /** Metrics for a listener of their own. */
  readonly opsApp: Express;
  readonly firstRead: FirstRead;
  /** Resolves once rules that are others than the last time hold everywhere; after `start`. */
  rulesApplied(): Promise<void>;
  /**
   * @throws BridgeError `other-service` when the store belongs to another address; `work-due` when it would only
   * observe and acknowledged changes wait
   */
  start(): Promise<void>;
  /** `/readyz` says so from now on; requests are still answered. */
  drain(): void;
  /** Finishes or gives back what runs and closes the connections to the service. The store stays the caller's. */
  stop(): Promise<void>;
}

/** Opens the store of the settings and brings its schema up to date. @throws StoreError */
export async function openMigratedStore(
  settings: Settings,
  options: Pick<StoreOptions, 'deadline' | 'onConnectionLost'> = {},
): Promise<Store> {
  const store = await openStore({ url: toStoreUrl(settings), ...options });
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
  const logger = openOutageLog(given.logger, store, clock);
  const options: WatchedOptions = { ...given, store, clock, logger };
  const sections = await openSectionView(store);
  const guard = await openWriteGuard(toGuardOptions(options));
  const deps = await createDeps(options, { sections, guard }, () => firstRead.ownAccount());
  const pruning = createPruning(deps, toRetention(options.settings));
  const requests = openRequestLog(options, deps);
  const reconciler = createReconciler(deps);
  const { wake } = reconciler;
  const readDeps = { ...deps, identity: options.target.identity };
  const firstRead = createFirstRead(readDeps);
  const recovery = createRecovery({ ...readDeps, firstRead, notify: wake, mode: guard.mode });
  const detectors = createDetectors(options, readDeps, {
    ...{ firstRead, recovery, notify: wake },
    ...toDriftRules(() => toScimDeps(options, parts)),
  });
  const state = { draining: false };
  const parts: BridgeParts = {
    access: openAccess(options, deps),
    attempts: openAttempts(options),
    upstream: deps.upstream,
    callForOperator: createOperatorCalls(deps, wake),
    rules: deps.rules,
    reconciler,
    firstRead,
    recovery,
    ...detectors,
    sections,
    guard,
    requests,
    watch: openProviderWatch(options, deps),
    isDraining: () => state.draining,
  };
  const { start, stop } = createLifecycle({
    ...parts,
    ...{ auditPoller: detectors.auditPoller, pruning, wake },
    replicas: createReplicas(deps, () => takeUp(detectors, wake)),
  });
  return {
    ...createApps(options, parts),
    firstRead,
    rulesApplied: reconciler.rulesApplied,
    start,
    async stop() {
      logger.stop();
      await stop();
    },
    drain() {
      state.draining = true;
    },
  };
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

/** Whatever another process has left is looked for at once. */
function takeUp({ sweeps, keeper }: Detectors, wake: () => void): void {
  wake();
  sweeps.consider();
  keeper.notify();
}

/** What convergence is given. */
async function createDeps(
  { settings, store, target, clock, calledBefore, random, logger, metrics }: WatchedOptions,
  { sections, guard }: Pick<BridgeParts, 'sections' | 'guard'>,
  findOwnAccount: () => number | undefined,
): Promise<ReconcileDeps> {
  const events = toReconcileEvents(logger, metrics, sections.refresh);
  const owner = randomUUID();
  const outage = createOutageWatch(clock);
  const upstream = createTransport({
    ...toTransportOptions(settings, target),
    shared: toSharedRate(store, owner),
    spentAt: calledBefore,
    clock,
    random,
    hooks: {
      ...toTransportHooks(logger, metrics, outage.ended),
      writesRefused: guard.refused,
    },
  });
  return {
    store,
    upstream,
    clock,
    random,
    quirks: await openQuirks({ store, clock, fixed: toFixedQuirks(settings) }),
    policy: toReconcilePolicy(settings),
    rules: toRules(settings, findOwnAccount),
    events,
    outage,
    owner,
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
