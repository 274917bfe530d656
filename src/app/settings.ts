import type { ReconcilePolicy } from '../reconcile/deps.ts';
import { toLeaseTimes } from '../reconcile/lease-times.ts';
import type { Retention } from '../reconcile/loop/pruning.ts';
import type { SweepPolicy } from '../reconcile/loop/sweeps.ts';
import type { Quirks } from '../reconcile/quirks.ts';
import type { RepairPolicy } from '../reconcile/repair/deps.ts';
import type { ScimPolicy } from '../scim/deps.ts';
import type { Settings } from '../settings/schema.ts';
import type { TransportOptions } from '../upstream/transport-options.ts';
import { toBodyLimits } from './limits.ts';
import type { Target } from './options.ts';

/** What the settings say about convergence. */
export function toReconcilePolicy(settings: Settings): ReconcilePolicy {
  const { users, groups, upstream, workers, limits } = settings;
  return {
    deactivation: users.deactivation,
    groupDeletion: groups.deletion,
    membersPerCall: upstream.membersPerCall,
    attemptsMax: upstream.attemptsBeforeStuck,
    pageSize: upstream.pageSize,
    concurrency: workers.concurrency,
    lease: toLeaseTimes(toCallMs(settings)),
    adoptUsers: users.adopt,
    adoptGroups: groups.adopt,
    providerHarmMax: limits.provider,
  };
}

/** What the settings say about comparing the service with the store. */
export function toSweepPolicy({ sweep, audit, drift }: Settings): SweepPolicy {
  const { interval: intervalMs, adminsEvery } = sweep;
  const unresolvedMinMs = audit.sweepMinInterval;
  return { intervalMs, adminsEvery, unresolvedMinMs, settleMs: drift.settle };
}

/** What the settings say about differences. */
export function toRepairPolicy({ drift, limits }: Settings): RepairPolicy {
  const { populationMin, provider: _, ...kinds } = limits;
  return { actions: drift.policy, limits: { kinds, populationMin }, settleMs: drift.settle };
}

/** What the settings say about how long the past is remembered. */
export function toRetention({ retention }: Settings): Retention {
  return {
    ledgerMs: retention.ledger,
    ledgerRowsMax: retention.ledgerRowsMax,
    auditMs: retention.audit,
    auditRowsMax: retention.auditRowsMax,
    requestsMs: retention.requests,
    requestRowsMax: retention.requestRowsMax,
    driftsMs: retention.drifts,
    plansMs: retention.plans,
    tombstonesMs: retention.tombstones,
  };
}

/** What the settings say about requests of identity providers. */
export function toScimPolicy(settings: Settings): ScimPolicy {
  const { scim, users, groups } = settings;
  return {
    writeWaitMs: scim.writeWait,
    whenUpstreamIsDown: scim.whenUpstreamIsDown,
    bodies: toBodyLimits(settings),
    requests: { perSecond: scim.requestsPerSecond, concurrentMax: scim.concurrentMax },
    filterLengthMax: scim.filterLengthMax,
    pageSize: scim.pageSize,
    pageSizeMax: scim.pageSizeMax,
    bulkOperationsMax: scim.bulkOperationsMax,
    patchOperationsMax: scim.patchOperationsMax,
    resourceBytesMax: scim.resourceBytesMax,
    deactivation: users.deactivation,
    adoptUsers: users.adopt,
    adoptGroups: groups.adopt,
    adoptUsersOnDelete: users.adoptOnDelete,
    adoptGroupsOnDelete: groups.adoptOnDelete,
    permissionsMax: groups.permissionsMax,
  };
}

/** Quirks that an operator has decided, so that nothing has to be found out. */
export function toFixedQuirks({ upstream }: Settings): Quirks {
  const { emailForm, nameOnCreate, memberForm, groupScimId, userNameUpdates, filter } = upstream;
  return {
    ...(emailForm === 'auto' ? {} : { emailForm }),
    ...(nameOnCreate === 'auto' ? {} : { nameOnCreate: nameOnCreate === 'yes' }),
    ...(memberForm === 'auto' ? {} : { memberForm }),
    ...(groupScimId === 'auto' ? {} : { groupScimId }),
    ...(userNameUpdates === 'auto' ? {} : { addressMayChange: false }),
    ...(filter === 'auto' ? {} : { userFilter: 'refused' }),
  };
}

/** How long one call may take, with its repeats and the pauses between them, in milliseconds. */
function toCallMs({ upstream }: Settings): number {
  return upstream.timeout * 3;
}

/** What the settings say about calls to the service. */
export function toTransportOptions(
  settings: Settings,
  { baseUrl, token, requestsPerSecond }: Target,
): Omit<TransportOptions, 'clock' | 'random'> {
  const { apiVersion, proxy, timeout, responseBytesMax } = settings.upstream;
  return {
    baseUrl,
    token,
    requestsPerSecond,
    apiVersion,
    proxy,
    responseBytesMax,
    timeouts: { headersMs: timeout, bodyMs: timeout, callMs: toCallMs(settings) },
  };
}
