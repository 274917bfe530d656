import type { Express } from 'express';
import { createAccess } from '../access/access.ts';
import { createAttempts } from '../access/attempts.ts';
import type { GivenTokens } from '../access/lookup.ts';
import { createMatcher } from '../domain/matcher.ts';
import { createRuleBook } from '../domain/rule-book.ts';
import type { OperatorAct } from '../ops/http/operator-acts.ts';
import { createRequestLog } from '../ops/records/request-log.ts';
import { type ActLog, createActLog } from '../ops/timeline/act-log.ts';
import type { ProcessDeps } from '../reconcile/deps.ts';
import { createHarmWatch } from '../reconcile/limits.ts';
import { createReconciler } from '../reconcile/loop/reconciler.ts';
import { requestSweep } from '../reconcile/loop/sweeps.ts';
import { createDriftDecisions } from '../reconcile/repair/keeper.ts';
import { readSections, SECTIONS, type SectionStates } from '../reconcile/sections.ts';
import { Waiters } from '../reconcile/waiters.ts';
import { openWriteGuard } from '../reconcile/write-guard.ts';
import { createFormerIds } from '../scim/former-ids.ts';
import type { Settings } from '../settings/schema.ts';
import { toStoreUrl } from '../settings/store-url.ts';
import { openStore } from '../store/engine/database.ts';
import { migrate } from '../store/engine/migrate.ts';
import { openStoreClock } from '../store/engine/store-clock.ts';
import { StoreError } from '../store/engine/store-error.ts';
import { OUTAGE_CODES, watchWrites } from '../store/engine/store-health.ts';
import { type FollowedFact, followFact } from '../store/facts.ts';
import { createRecorder } from '../store/recorder.ts';
import { createProtection } from '../store/resources/protection.ts';
import type { Store, StoreOptions } from '../store/store.ts';
import { createOutageAwareEvents } from '../telemetry/outages.ts';
import { createApps, toHealthSources } from './http.ts';
import { createLeadership, type Leadership } from './leader.ts';
import { observeBridge } from './notifications.ts';
import type { BridgeOptions, WatchedOptions } from './options.ts';
import type { BridgeParts } from './parts.ts';
import { toDriftRules, toScimDeps } from './scim.ts';
import { toReconcilePolicy, toRepairPolicy, toSweepPolicy } from './settings.ts';
import { logRarely, toLoggedName } from './telemetry.ts';

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
  /** Finishes or cancels what runs and closes the connections to the service. The store stays open. */
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
  const options = await watch(given);
  const { settings, store, clock, events } = options;
  const sections = await followFact(store, SECTIONS);
  const guard = await openWriteGuard({
    ...{ store, clock, mode: settings.mode },
    onChange: ({ paused }) => (paused ? events.writesPaused() : events.writesResumed()),
  });
  const deps = createDeps(options, sections, () => leadership.news().ownAccount ?? undefined);
  const waiters = new Waiters(clock);
  const drifts = toDriftRules(() => toScimDeps(options, parts));
  const observe = () => observeBridge(options, toHealthSources(options, parts));
  const acts = openActLog(options);
  const leadership: Leadership = createLeadership({
    options,
    findParts: () => ({ options, deps, sections, guard, acts, waiters, drifts, observe }),
    handOver: (tx) => reconciler.handOverWaits(tx),
  });
  const reconciler = createReconciler({ ...deps, leader: leadership.access, waiters });
  const { notify } = reconciler;
  const state = { isDraining: false };
  const parts: BridgeParts = {
    ...openProviderParts(options),
    ...{ leadership, rules: deps.rules, reconciler, guard, acts },
    drifts: createDriftDecisions({ ...deps, ...drifts, notify, repair: toRepairPolicy(settings) }),
    requestSweep: (isDry) =>
      requestSweep({ store, clock, sweepPolicy: toSweepPolicy(settings) }, isDry),
    isDraining: () => state.isDraining,
  };
  return {
    ...createApps(options, parts),
    ...createLifecycle(options, parts, sections),
    leadership,
    rulesApplied: async () => leadership.tenure()?.convergence.rulesApplied(),
    renew: (secrets) => renew(parts, secrets),
    drain() {
      state.isDraining = true;
      void leadership.resign();
    },
  };
}

/** Has the work of the store counted, and its outages logged once. */
async function watch(given: BridgeOptions): Promise<WatchedOptions> {
  const { metrics } = given;
  const clock = await openStoreClock(given.store, given.clock);
  const { store: recorded, openRecord } = createRecorder(given.store);
  recorded.onStatement(({ verb, durationMs, hasFailed }) =>
    metrics.statements.observe({ verb, result: hasFailed ? 'failed' : 'done' }, durationMs / 1_000),
  );
  const store = watchWrites(recorded, clock, (result, durationMs) =>
    metrics.transactions.observe({ result }, durationMs / 1_000),
  );
  const outages = createOutageAwareEvents({
    ...{ logger: given.logger, metrics, clock, codes: OUTAGE_CODES },
    async isUsable() {
      await readSections({ store });
      return (await store.findWriteTrouble()) === undefined;
    },
  });
  return { ...given, store, openRecord, clock, outages, events: outages.events };
}

function renew({ access, leadership }: BridgeParts, { settings, scimTokens }: Secrets): void {
  access.renew(toGivenTokens(settings, scimTokens));
  const { token } = settings.upstream;
  if (token !== undefined) leadership.tenure()?.renewToken(token);
}

function openActLog({ store, openRecord, clock, events }: WatchedOptions): ActLog {
  const report = ({ change: _, ...act }: OperatorAct) => {
    // A call of the service has a line of its own.
    if (!act.route.startsWith('/ops/api/'))
      events.operatorActed({ ...act, operator: toLoggedName(act) });
  };
  const onFailure = (error: unknown) => events.failed({ type: 'acts', id: 'store', error });
  return createActLog({ store, openRecord, clock, report, onFailure });
}

/** Opens the parts that know the credentials, requests and ids of identity providers. */
function openProviderParts(options: WatchedOptions) {
  const { settings, store, openRecord, clock, events, metrics, scimTokens } = options;
  const fail = (type: string, id: string) => (error: unknown) => events.failed({ type, id, error });
  return {
    access: createAccess({
      ...{ store, clock, onFailure: fail('access', 'used') },
      given: toGivenTokens(settings, scimTokens),
      keyHosts: { ...settings.oauth, hosts: settings.oauth.keyHosts },
      keysFailed: logRarely(
        clock,
        ({ host }) => host,
        ({ host, error: reason }, attempts) => events.issuerUnreadable({ host, reason, attempts }),
      ),
    }),
    attempts: createAttempts({
      clock,
      delayMaxMs: settings.access.failedDelayMax,
      counted: (place, status) => metrics.failedAttempts.inc({ place, status }),
      noticed: events.credentialsWrong,
    }),
    requests: createRequestLog({ store, openRecord, onFailure: fail('requests', 'store') }),
    formerIds: createFormerIds(store, fail('former-ids', 'read')),
    readProviderHarm: createHarmWatch({ store, clock }, toRepairPolicy(settings).limit),
  };
}

/** The tokens of the settings, with those for SCIM that hold. */
function toGivenTokens({ ops }: Pick<Settings, 'ops'>, scim: readonly string[]): GivenTokens {
  return { scim, operator: ops.token, reader: ops.readerToken };
}

/** Makes the parts that every process has, leader or not. */
function createDeps(
  options: WatchedOptions,
  sections: FollowedFact<SectionStates>,
  findOwnAccount: () => number | undefined,
): ProcessDeps {
  const { settings, store, clock, events, random, tracing } = options;
  const { rules, users, protect } = settings;
  return {
    ...{ store, clock, events, random, tracing },
    policy: toReconcilePolicy(settings),
    rules: {
      book: createRuleBook(rules),
      deactivation: users.deactivation,
      protection: createProtection({
        isProtectedUser: createMatcher(protect.users),
        isProtectedGroup: createMatcher(protect.groups),
        findOwnAccount,
      }),
    },
    refreshSections: () => void sections.refresh(),
  };
}

/** In which order the parts begin, and in which they end. */
function createLifecycle(
  { outages }: WatchedOptions,
  { access, leadership, reconciler, guard, requests, acts, formerIds }: BridgeParts,
  sections: FollowedFact<SectionStates>,
) {
  return {
    async start() {
      await guard.start(reconciler.notify);
      await formerIds.start();
      await leadership.start();
      sections.start();
    },
    async stop() {
      for (const each of [outages, sections, guard]) each.stop();
      await formerIds.stop();
      await requests.stored();
      await access.stop();
      await leadership.stop();
      reconciler.stop();
      await acts.stored();
    },
  };
}
