import { getHeapStatistics } from 'node:v8';
import type { OidcOptions } from '../console/sign-in.ts';
import { createSeatRefusals } from '../domain/seats.ts';
import type { Quirks, ReconcilePolicy } from '../reconcile/deps.ts';
import type { ScimPolicy } from '../scim/deps.ts';
import { GROUP_BODY_BYTES_MAX } from '../scim/http/body.ts';
import type { Settings } from '../settings/schema.ts';
import type { TransportOptions } from '../upstream/transport-options.ts';
import type { Target } from './target.ts';

/** Members that one PATCH of a group adds or removes; the bridge learns if the service takes fewer. */
const MEMBERS_PER_CALL = 100;

/** Settings of reconciliation. */
export function toReconcilePolicy(settings: Settings): ReconcilePolicy {
  const { users, groups, upstream, limits, seats, drift, sweep, retention } = settings;
  return {
    deactivation: users.deactivation,
    deletion: groups.deletion,
    membersPerCall: MEMBERS_PER_CALL,
    attemptsMax: upstream.attemptsBeforeStuck,
    pageSize: upstream.pageSize,
    isSeatRefusal: createSeatRefusals(seats.refusals),
    callMs: toCallMs(settings),
    adoptUsers: users.adopt,
    adoptGroups: groups.adopt,
    providerHarm: { count: limits.provider, percent: limits.providerPercent },
    repairHarm: { count: limits.repair, percent: limits.repairPercent },
    drift: drift.policy,
    settleMs: drift.settle,
    sweepIntervalMs: sweep.interval,
    adminsEvery: sweep.adminsEvery,
    ledgerMs: retention.ledger,
    tombstonesMs: retention.tombstones,
  };
}

/** Settings of signing in with an identity provider; undefined where none is set. */
export function findOidcOptions({ console: { url }, oidc }: Settings): OidcOptions | undefined {
  const { issuer, clientId, clientSecret } = oidc;
  // Settings with an issuer alone are refused at the start.
  if (!issuer || !clientId || !clientSecret || !url) return undefined;
  return { ...oidc, issuer, clientId, clientSecret, url };
}

/** Settings of the SCIM interface. */
export function toScimPolicy(settings: Settings): ScimPolicy {
  const { scim, users, groups } = settings;
  return {
    writeWaitMs: scim.writeWait,
    whenUpstreamIsDown: scim.whenUpstreamIsDown,
    // Whatever memory there is, two of the largest size have room, of one credential too.
    bodiesBytesMax: Math.max(
      getHeapStatistics().heap_size_limit * BODIES_SHARE,
      3 * GROUP_BODY_BYTES_MAX,
    ),
    requests: { perSecond: scim.requestsPerSecond, concurrentMax: CONCURRENT_MAX },
    adopt: { user: users.adopt, group: groups.adopt },
    adoptOnDelete: { user: users.adoptOnDelete, group: groups.adoptOnDelete },
    permissionsMax: groups.permissionsMax,
  };
}

/** Quirks that an operator has decided, so that nothing has to be found out. */
export function toFixedQuirks({ upstream }: Settings): Quirks {
  const { apiVersion: _, userNameUpdates, filter, ...quirks } = upstream.quirks;
  return {
    ...quirks,
    ...(userNameUpdates === false && { addressMayChange: false }),
    ...(filter === false && { userFilter: 'refused' }),
  };
}

/** Time that one call may take, with its repeats and the pauses between them, in milliseconds. */
const toCallMs = ({ upstream }: Settings) => upstream.timeout * 3;

/** Margin for clocks that run unevenly, as a part of the time of a call. */
const MARGIN = 0.1;

/** Longest time in which one attempt of a call may have an effect after it left, in milliseconds. */
export const toAttemptMs = ({ upstream }: Settings) => Math.ceil(upstream.timeout * (1 + MARGIN));

/** Derives the options of the transport to the service from the settings. */
export function toTransportOptions(
  settings: Settings,
  { baseUrl, findToken, requestsPerSecond }: Target,
): Omit<TransportOptions, 'clock' | 'random'> {
  const { quirks, proxy, timeout } = settings.upstream;
  return {
    baseUrl,
    token: findToken(),
    requestsPerSecond,
    apiVersion: quirks.apiVersion,
    proxy,
    timeouts: { headersMs: timeout, bodyMs: timeout, callMs: toCallMs(settings) },
  };
}

/** Requests of one credential that may be under way at the same time, in one process. */
const CONCURRENT_MAX = 1_000;

/** Share of the heap that bodies may take as text; as objects they take a multiple of it. */
const BODIES_SHARE = 1 / 20;
