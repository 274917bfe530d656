import { createMatcher } from '../domain/name.ts';
import { createRuleBook } from '../domain/rule-book.ts';
import type { ProcessDeps } from '../reconcile/deps.ts';
import { createReconciler } from '../reconcile/loop/reconciler.ts';
import { BLIND } from '../reconcile/sections.ts';
import { createProtection } from '../rules/rules.ts';
import { adopt } from '../scim/adopt.ts';
import type { ScimDeps } from '../scim/deps.ts';
import { createUserCache } from '../scim/render/user-cache.ts';
import { createSchemas } from '../scim/schema/resource-schemas.ts';
import type { Settings } from '../settings/schema.ts';
import type { BridgeParts } from './http.ts';
import { createApps, SCIM_PATH } from './http.ts';
import type { Leadership } from './leader.ts';
import { createLeadership } from './leader.ts';
import type { BridgeOptions, OwnParts } from './parts.ts';
import { openOwnParts, toGivenTokens } from './parts.ts';
import { toReconcilePolicy, toScimPolicy } from './settings.ts';
import type { LeaderNews } from './tenure.ts';

/** A composed bridge: what listens is its caller's. */
export type Bridge = Awaited<ReturnType<typeof createBridge>>;

/** Secrets that may change while a bridge runs. */
export interface Secrets {
  /** Only secrets in them differ from those at the start. */
  readonly settings: Settings;
  /** Tokens of identity providers beside those that the store keeps. */
  readonly scimTokens: readonly string[];
}

/** Composes a bridge; nothing runs before `start`. */
export async function createBridge(given: BridgeOptions) {
  const own = await openOwnParts(given);
  const { access, acts, formerIds, guard, outages, requests, waiters } = own;
  let isDraining = false;
  const process: ProcessDeps = {
    ...toProcessDeps(own, () => leadership.news().ownAccount ?? undefined),
    adopt: (type, request) => adopt(scim, type, request),
  };
  const leadership: Leadership = createLeadership(own, () => parts);
  const reconciler = createReconciler({ ...process, leader: leadership.access, waiters });
  const scim: ScimDeps = toScimDeps(own, { process, leadership, reconciler });
  const parts: BridgeParts = {
    ...own,
    process,
    leadership,
    reconciler,
    scim,
    writes: () => ({ mode: guard.mode, pause: guard.findPause() }),
    isDraining: () => isDraining,
  };
  return {
    ...createApps(parts),
    access,
    leadership,
    /** Resolves once rules that are others than the last time hold everywhere; after `start`. */
    rulesApplied: async () => leadership.tenure()?.convergence.rulesApplied,
    /** @throws BridgeError `other-service`; `work-due` when it would only observe and acknowledged changes wait */
    async start() {
      await guard.start();
      await formerIds.start();
      await leadership.start();
      reconciler.start();
    },
    /** Accepts and presents these secrets from now on; no request is refused meanwhile. */
    renew({ settings, scimTokens }: Secrets) {
      access.renew(toGivenTokens(settings, scimTokens));
      const { token } = settings.upstream;
      if (token !== undefined) leadership.tenure()?.renewToken(token);
    },
    /** `/readyz` says so from now on; requests are still answered. */
    drain() {
      isDraining = true;
      void leadership.resign();
    },
    /** Finishes or cancels what runs and closes the connections to the service. The store stays open. */
    async stop() {
      for (const each of [outages, guard]) each.stop();
      await formerIds.stop();
      await requests.stored();
      await access.stop();
      await leadership.stop();
      await reconciler.stop();
      await acts.stored();
    },
  };
}

/** Dependencies that every process has, leader or not. */
function toProcessDeps(
  { settings, store, clock, events, random, tracing, target }: OwnParts,
  findOwnAccount: () => number | undefined,
): Omit<ProcessDeps, 'adopt'> {
  const { rules, users, protect } = settings;
  return {
    store,
    clock,
    events,
    random,
    tracing,
    policy: toReconcilePolicy(settings),
    identity: target.identity,
    rules: {
      book: createRuleBook(rules),
      deactivation: users.deactivation,
      protection: createProtection({
        isProtectedUser: createMatcher(protect.users),
        isProtectedGroup: createMatcher(protect.groups),
        findOwnAccount,
      }),
    },
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
    toOwnId: formerIds.toOwn,
    userCache: own.store.watchUsers && createUserCache(own.store.watchUsers),
    reconciler,
    attempts,
    openRequest: own.requests.open,
    findCredential: own.access.find,
    findHandling: own.access.providers.findHandling,
    policy: toScimPolicy(own.settings),
    schemas: createSchemas(own.settings.scim.extensions),
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
  if (firstRead !== null) {
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
