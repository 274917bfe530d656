import type { Express } from 'express';
import { createAccess } from '../access/access.ts';
import { createAttempts } from '../access/attempts.ts';
import type { GivenTokens } from '../access/sessions.ts';
import { createMatcher } from '../domain/matcher.ts';
import { createRuleBook } from '../domain/rule-book.ts';
import type { OperatorAct } from '../ops/http/operator-acts.ts';
import { createRequestLog } from '../ops/records/request-log.ts';
import type { HealthSources } from '../ops/state/readiness-facts.ts';
import { type ActLog, createActLog } from '../ops/timeline/act-log.ts';
import type { ProcessDeps } from '../reconcile/deps.ts';
import { createHarmWatch } from '../reconcile/limits.ts';
import { createReconciler } from '../reconcile/loop/reconciler.ts';
import type { DecisionDeps } from '../reconcile/repair/deps.ts';
import { BLIND, readSections, SECTIONS } from '../reconcile/sections.ts';
import { Waiters } from '../reconcile/waiters.ts';
import { openWriteGuard } from '../reconcile/write-guard.ts';
import { findGroupPrivilege } from '../rules/rules.ts';
import { adopt } from '../scim/adopt.ts';
import type { ScimDeps } from '../scim/deps.ts';
import { createFormerIds } from '../scim/former-ids.ts';
import type { Settings } from '../settings/schema.ts';
import { openStoreClock } from '../store/engine/store-clock.ts';
import { OUTAGE_CODES, watchWrites } from '../store/engine/store-health.ts';
import { followFact } from '../store/facts.ts';
import { createRecorder } from '../store/recorder.ts';
import { createProtection } from '../store/resources/protection.ts';
import { createOutageAwareEvents } from '../telemetry/outages.ts';
import { createApps, SCIM_PATH } from './http.ts';
import { createLeadership, type Leadership } from './leader.ts';
import type { BridgeParts } from './operators.ts';
import type { BridgeOptions, OwnParts, WatchedOptions } from './parts.ts';
import { toReconcilePolicy, toRepairPolicy, toScimPolicy } from './settings.ts';
import { logRarely, toLoggedName } from './telemetry.ts';
import type { LeaderNews } from './tenure.ts';

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

/** Composes a bridge; nothing runs before `start`. */
export async function createBridge(given: BridgeOptions): Promise<Bridge> {
  const { outages, options } = await watch(given);
  const { store, clock } = options;
  const sections = await followFact(store, SECTIONS);
  let isDraining = false;
  const own: OwnParts = {
    ...options,
    ...openProviderParts(options),
    acts: openActLog(options),
    sections,
    guard: await openGuard(options),
    waiters: new Waiters(clock),
    isDraining: () => isDraining,
  };
  const { waiters, guard } = own;
  const process = toProcessDeps(own, () => leadership.news().ownAccount ?? undefined);
  const leadership: Leadership = createLeadership(own, {
    findParts: () => parts,
  });
  const reconciler = createReconciler({ ...process, leader: leadership.access, waiters });
  const scim = toScimDeps(own, { process, leadership, reconciler });
  const parts: BridgeParts = {
    ...own,
    process,
    leadership,
    reconciler,
    scim,
    decisions: toDecisionDeps(own, { process, scim }),
    health: toHealthSources(own, leadership),
  };
  return {
    ...createApps(parts),
    leadership,
    rulesApplied: async () => leadership.tenure()?.convergence.rulesApplied(),
    async start() {
      await guard.start(() => store.bell.ring('due'));
      await own.formerIds.start();
      await leadership.start();
      reconciler.start();
      sections.start();
    },
    renew: (secrets) => renew(parts, secrets),
    drain() {
      isDraining = true;
      void leadership.resign();
    },
    async stop() {
      for (const each of [outages, sections, guard]) each.stop();
      await own.formerIds.stop();
      await own.requests.stored();
      await own.access.stop();
      await leadership.stop();
      await reconciler.stop();
      await own.acts.stored();
    },
  };
}

function renew({ access, leadership }: BridgeParts, { settings, scimTokens }: Secrets): void {
  access.renew(toGivenTokens(settings, scimTokens));
  const { token } = settings.upstream;
  if (token !== undefined) leadership.tenure()?.renewToken(token);
}

/** Has the work of the store counted, and its outages logged once. */
async function watch(given: BridgeOptions) {
  const { metrics, logger } = given;
  const clock = await openStoreClock(given.store, given.clock);
  const { store: recorded, openRecord } = createRecorder(given.store);
  recorded.onStatement(({ verb, durationMs, hasFailed }) =>
    metrics.statements.observe({ verb, result: hasFailed ? 'failed' : 'done' }, durationMs / 1_000),
  );
  const store = watchWrites(recorded, clock, (result, durationMs) =>
    metrics.transactions.observe({ result }, durationMs / 1_000),
  );
  const outages = createOutageAwareEvents({
    logger,
    metrics,
    clock,
    codes: OUTAGE_CODES,
    async isUsable() {
      await readSections({ store });
      return (await store.findWriteTrouble()) === undefined;
    },
  });
  const options: WatchedOptions = { ...given, store, openRecord, clock, events: outages.events };
  return { outages, options };
}

function openGuard({ store, clock, settings: { mode }, events }: WatchedOptions) {
  const onChange = ({ paused }: { paused: boolean }) =>
    paused ? events.writesPaused() : events.writesResumed();
  return openWriteGuard({ store, clock, mode, onChange });
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
      store,
      clock,
      onFailure: fail('access', 'used'),
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

/** Dependencies that every process has, leader or not. */
function toProcessDeps(
  { settings, store, clock, events, random, tracing, sections }: OwnParts,
  findOwnAccount: () => number | undefined,
): ProcessDeps {
  const { rules, users, protect } = settings;
  return {
    store,
    clock,
    events,
    random,
    tracing,
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

type Parts<Name extends keyof BridgeParts> = Pick<BridgeParts, Name>;

/** Dependencies of the SCIM handlers. */
function toScimDeps(
  own: OwnParts,
  { process, leadership, reconciler }: Parts<'process' | 'leadership' | 'reconciler'>,
): ScimDeps {
  const { formerIds, attempts, publicUrl } = own;
  return {
    ...process,
    tracing: own.tracing,
    formerIds,
    reconciler,
    attempts,
    openRequest: own.requests.open,
    findCredential: own.access.find,
    policy: toScimPolicy(own.settings),
    baseUrl: `${publicUrl}${SCIM_PATH}`,
    findClosed: (type) => findClosed(type, leadership.news()),
    looksFirst: () => leadership.news().isReading,
    isUpstreamDown() {
      const { credentials, service } = leadership.news().health;
      return credentials.kind === 'shut' || service.kind === 'shut';
    },
  };
}

/** "Not found" may be said only once everything was read, and never of a section we may not read. */
function findClosed(
  type: 'user' | 'group',
  { firstRead, sections }: Pick<LeaderNews, 'firstRead' | 'sections'>,
): ReturnType<ScimDeps['findClosed']> {
  if (firstRead.kind !== 'finished') {
    const detail = 'The bridge is still reading the service for the first time. Try again shortly.';
    return { detail, retryAfterSeconds: 10 };
  }
  const section = type === 'user' ? 'users' : 'groups';
  const problem = sections[section]?.problem;
  // What the service does not show for now is known, and a write of it waits.
  if (!problem || problem.code === BLIND.code) return undefined;
  const detail = `The service does not let the bridge use its ${section} (${problem.code}). scim-bridge check tells the remedy.`;
  return { detail, retryAfterSeconds: 300 };
}

/** Dependencies of decisions about drifts. Automatic reactions follow the rules for requests as well. */
function toDecisionDeps(
  { settings }: OwnParts,
  { process, scim }: Parts<'process' | 'scim'>,
): DecisionDeps {
  return {
    ...process,
    repair: toRepairPolicy(settings),
    adopt: ({ type, id }, how) => adopt(scim, type, { id, privileged: 'refuse', ...how }),
    findGroupPrivilege: (tx, row) => findGroupPrivilege(tx, scim, row),
  };
}

/** Sources of health. */
function toHealthSources(own: OwnParts, leadership: Leadership): HealthSources {
  const { store, clock, isDraining, settings, guard } = own;
  return {
    store,
    clock,
    isDraining,
    news: leadership.news,
    isAuditFollowed: settings.audit.pollInterval !== 0,
    isTokenGiven: own.scimTokens.length > 0,
    readProviderHarm: own.readProviderHarm,
    viewAttempts: own.attempts.view,
    findLeader: leadership.known,
    writes: () => ({ mode: guard.mode, pause: guard.findPause() }),
  };
}
