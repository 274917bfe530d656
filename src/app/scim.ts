import { type Access, createAccess } from '../access/access.ts';
import { type Attempts, createAttempts } from '../access/attempts.ts';
import type { GivenTokens } from '../access/lookup.ts';
import { createRequestLog, type RequestLog } from '../ops/requests/request-log.ts';
import type { ProcessDeps } from '../reconcile/deps.ts';
import type { DecisionDeps } from '../reconcile/repair/deps.ts';
import { createProviderWatch, type ProviderWatch } from '../reconcile/repair/watch.ts';
import { BLIND } from '../reconcile/sections.ts';
import { findGroupPrivilege } from '../rules/rules.ts';
import type { ScimDeps } from '../scim/deps.ts';
import { createFormerIds, type FollowedIds } from '../scim/former-ids.ts';
import { adoptGroupByHand } from '../scim/groups/create-group.ts';
import { createMoments } from '../scim/render/resource-text.ts';
import { adoptUserByHand } from '../scim/users/store-change.ts';
import type { Settings } from '../settings/schema.ts';
import type { Leadership } from './leader.ts';
import type { BridgeOptions, WatchedOptions } from './options.ts';
import type { BridgeParts } from './parts.ts';
import { toKeyHosts, toRepairPolicy, toScimPolicy } from './settings.ts';
import { toAttemptTelemetry, toKeysFailed, toScimTelemetry } from './telemetry.ts';

/** Path of SCIM below the public address. */
export const SCIM_PATH = '/scim/v2';

/** Dependencies of the SCIM handlers. */
export function toScimDeps(options: BridgeOptions, parts: BridgeParts): ScimDeps {
  const { settings, store, clock, logger, metrics } = options;
  const { leadership, rules, reconciler, requests, formerIds } = parts;
  return {
    store,
    formerIds,
    openRequest: requests.open,
    rules,
    reconciler,
    clock,
    findCredential: parts.access.find,
    attempts: parts.attempts,
    policy: toScimPolicy(settings),
    baseUrl: `${options.publicUrl}${SCIM_PATH}`,
    toMoment: createMoments(),
    findClosed: createClosedFinder(leadership),
    looksFirst: () => leadership.news().isReading,
    isUpstreamDown() {
      const { credentials, service } = leadership.news().health;
      return credentials.kind === 'shut' || service.kind === 'shut';
    },
    tracing: options.tracing,
    telemetry: { ...toScimTelemetry(logger, metrics), heard: parts.watch.heard },
  };
}

/**
 * Applies the rules for requests to automatic reactions as well. Looked up late, because the SCIM handlers need the
 * detectors as well.
 */
export function toDriftRules(
  findDeps: () => ScimDeps,
): Pick<DecisionDeps, 'adopt' | 'findGroupPrivilege'> {
  return {
    adopt({ type, id }, how) {
      const adopt = type === 'user' ? adoptUserByHand : adoptGroupByHand;
      return adopt(findDeps(), { id, privileged: 'refuse', ...how });
    },
    findGroupPrivilege: (tx, row) => findGroupPrivilege(tx, findDeps(), row),
  };
}

/** Watches the requests of identity providers. */
export function openProviderWatch(
  { settings, store, clock }: BridgeOptions,
  { events }: Pick<ProcessDeps, 'events'>,
): ProviderWatch {
  const { silenceAfter: silenceAfterMs } = settings.provider;
  const { limit } = toRepairPolicy(settings);
  const onFailure = (error: unknown) => events.failed({ type: 'provider', id: 'heard', error });
  return createProviderWatch({ store, clock, limit, silenceAfterMs, onFailure });
}

/** Opens the ids by which an earlier SCIM server knew users and groups. */
export function openFormerIds(
  { store }: BridgeOptions,
  { events }: Pick<ProcessDeps, 'events'>,
): FollowedIds {
  return createFormerIds(store, (error) =>
    events.failed({ type: 'former-ids', id: 'read', error }),
  );
}

/** Opens the credentials of providers and operators. */
export function openAccess(
  { settings, store, clock, scimTokens, logger }: BridgeOptions,
  { events }: Pick<ProcessDeps, 'events'>,
): Access {
  const onFailure = (error: unknown) => events.failed({ type: 'access', id: 'used', error });
  return createAccess({
    ...{ store, clock, onFailure },
    given: toGivenTokens(settings, scimTokens),
    keyHosts: toKeyHosts(settings),
    keysFailed: toKeysFailed(logger, clock),
  });
}

/** The tokens of the settings, with those for SCIM that hold. */
export function toGivenTokens(
  { ops }: Pick<Settings, 'ops'>,
  scim: readonly string[],
): GivenTokens {
  return { scim, operator: ops.token, reader: ops.readerToken };
}

/** Opens the limiter of requests without a valid credential. */
export function openAttempts({ settings, clock, logger, metrics }: BridgeOptions): Attempts {
  const { failedDelayMax: delayMaxMs } = settings.access;
  return createAttempts({ clock, delayMaxMs, told: toAttemptTelemetry(logger, metrics) });
}

/** The log of what providers ask for. */
export function openRequestLog(
  { settings, store, openRecord, clock }: WatchedOptions,
  { events }: Pick<ProcessDeps, 'events'>,
): RequestLog {
  const { ledger: retentionMs } = settings.retention;
  const onFailure = (error: unknown) => events.failed({ type: 'requests', id: 'store', error });
  return createRequestLog({ store, openRecord, clock, retentionMs, onFailure });
}

/** "Not found" may be said only once everything was read, and never of a section we may not read. */
function createClosedFinder({ news }: Pick<Leadership, 'news'>): ScimDeps['findClosed'] {
  return function findClosed(type) {
    const { firstRead, sections } = news();
    if (firstRead.kind !== 'finished') {
      const detail =
        'The bridge is still reading the service for the first time. Try again shortly.';
      return { detail, retryAfterSeconds: 10 };
    }
    const section = type === 'user' ? 'users' : 'groups';
    const problem = sections[section]?.problem;
    // What the service does not show for now is known, and a write of it waits.
    if (!problem || problem.code === BLIND.code) return undefined;
    const detail = `The service does not let the bridge use its ${section} (${problem.code}). scim-bridge check tells the remedy.`;
    return { detail, retryAfterSeconds: 300 };
  };
}
