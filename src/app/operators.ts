import type { Router } from 'express';
import { isOfPerson } from '../access/sessions.ts';
import type { Credential } from '../domain/credential.ts';
import { ACTIVE_STATUSES } from '../domain/drift.ts';
import type { ApiSource } from '../ops/api/routes.ts';
import { createPlanSource } from '../ops/drift/plans.ts';
import { createSweepSource, type SweepSource, toSweepView } from '../ops/drift/sweeps.ts';
import { createErasureSource } from '../ops/erasure/routes.ts';
import { createNews, type News } from '../ops/events/news.ts';
import { createMemberSource } from '../ops/explain/members.ts';
import { createExplainSource } from '../ops/explain/routes.ts';
import { NEWEST } from '../ops/http/list-query.ts';
import { getOperator } from '../ops/http/operator.ts';
import type { OperatorAct } from '../ops/http/operator-acts.ts';
import { type FirstRunDeps, readFirstRun } from '../ops/recovery/first-run.ts';
import { readRecoveryView } from '../ops/recovery/view.ts';
import { createResourceSources, type ResourceSources } from '../ops/resources/source.ts';
import { createOperatorRouter } from '../ops/router.ts';
import type { HealthSources } from '../ops/state/health.ts';
import { createRetrySource } from '../ops/state/retry.ts';
import type { StatusSources } from '../ops/state/status.ts';
import { createWritesSource } from '../ops/state/writes.ts';
import { createTimelineSource } from '../ops/timeline/routes.ts';
import { findReleaseProgress } from '../reconcile/repair/release-progress.ts';
import { adoptGroupByHand } from '../scim/groups/adopt-by-hand.ts';
import { findGroupPrivilege } from '../scim/groups/protect-group.ts';
import { adoptUserByHand } from '../scim/users/adopt-by-hand.ts';
import { listRequests } from '../store/audit/requests.ts';
import { listNames } from '../store/audit/timeline.ts';
import { findLateLeavers } from '../store/changes.ts';
import { countDrifts, findDrift } from '../store/drifts.ts';
import { readMarks } from '../store/marks.ts';
import { listFailing, listStuck } from '../store/resources/backlog.ts';
import { listDisputes } from '../store/resources/disputes.ts';
import { listSamples } from '../store/samples.ts';
import { events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import { getRequestId } from '../telemetry/request-context.ts';
import { toNotificationSource } from './notification-source.ts';
import type { WatchedOptions } from './options.ts';
import type { BridgeParts } from './parts.ts';
import { toScimDeps } from './scim.ts';

/** State that operators are shown, beside what the store lists. */
type State = Omit<
  StatusSources,
  | 'listStuck'
  | 'listFailing'
  | 'listDisputes'
  | 'findLeavers'
  | 'findRelease'
  | 'findLastSweep'
  | 'countDrifts'
> &
  Pick<HealthSources, 'writes'>;

/** Creates the router of the operators' interface. */
export function createOperators(options: WatchedOptions, parts: BridgeParts, state: State): Router {
  const { store, logger, metrics } = options;
  const { guard, leadership, access, attempts } = parts;
  const sweeps = createSweepSource({ db: store.read, clock: options.clock }, parts.requestSweep);
  return createOperatorRouter({
    registry: metrics.registry,
    readersSeeNames: options.settings.ops.readersSeeNames === 'yes',
    status: toStatusSources(options, state, sweeps),
    sweeps,
    ...{ settings: options.about.settings, sandbox: options.target.sandbox },
    resources: toResourceSources(options, parts),
    plans: createPlanSource(store.read, options.clock, parts.drifts),
    decideDrifts: {
      ...parts.drifts,
      findStatus: async (id) => (await findDrift(store.read, id))?.status,
    },
    looks: { look: leadership.look, listNames: (ids) => listNames(store.read, ids) },
    listRequests: (query) => listRequests(store.read, query),
    explain: createExplainSource(store.read, parts.rules),
    members: createMemberSource(store.read),
    timeline: createTimelineSource(store.read),
    erasure: createErasureSource(
      { store, clock: options.clock, policy: options.settings.users },
      (res, erased) => logger.log(events.personErased({ requestId: getRequestId(res), ...erased })),
    ),
    recovery: {
      read: () =>
        readRecoveryView(store.read, {
          detection: leadership.news().detection ?? undefined,
          now: options.clock.now(),
        }),
    },
    firstRun: {
      readPage: (page) => readFirstRun(toFirstRunDeps(options, parts), page),
    },
    samples: { list: (since) => listSamples(store.read, since), now: options.clock.now },
    retry: createRetrySource(store, { now: options.clock.now, wake: parts.reconciler.wake }),
    writes: createWritesSource({ pause: guard.pause, resume: () => resume(parts) }, state),
    api: { call: leadership.callForOperator, told: tellCalls(logger) },
    notifications: toNotificationSource(options),
    clock: options.clock,
    acts: parts.acts,
    acted: createActKeeper(options, parts),
    failed: (fields) => logger.log(events.requestFailed(fields)),
    ...{ access, attempts, findCredential: access.find, sessions: access.sessions },
    news: openNews(options, parts),
  });
}

/** Creates a keeper that tells acts of operators in the log, and stores them. */
export function createActKeeper(
  { logger }: Pick<WatchedOptions, 'logger'>,
  { acts }: Pick<BridgeParts, 'acts'>,
): (act: OperatorAct) => void {
  return (act) => {
    const { change: _, ...fields } = act;
    // No line names a person; who it was stands in the store.
    const operator = isOfPerson(act.credential) ? undefined : act.operator;
    // A call of the service has a line of its own.
    if (!act.route.startsWith('/ops/api/'))
      logger.log(events.operatorActed({ ...fields, operator }));
    acts.acted(act);
  };
}

function openNews({ store, clock }: WatchedOptions, { isDraining }: BridgeParts): News {
  return createNews({ readMarks: () => readMarks(store.read), isDraining, clock });
}

function toStatusSources(
  { store, clock }: WatchedOptions,
  state: State,
  sweeps: SweepSource,
): StatusSources {
  return {
    ...state,
    listStuck: (limit) => listStuck(store.read, limit),
    listFailing: (limit) => listFailing(store.read, limit),
    listDisputes: (limit) => listDisputes(store.read, limit),
    findLeavers: () => findLateLeavers(store.read, { before: clock.now(), limit: 1 }),
    findRelease: () => findReleaseProgress(store.read, clock.now()),
    async findLastSweep() {
      const [last] = await sweeps.list({ beforeSeq: NEWEST, limit: 1 });
      return last === undefined ? null : toSweepView(last);
    },
    countDrifts: async () =>
      (await countDrifts(store.read)).filter(({ status }) =>
        ACTIVE_STATUSES.some((active) => active === status),
      ),
  };
}

/** Logs calls of operators, each with who made it. */
function tellCalls(logger: Logger): ApiSource['told'] {
  return (call, res) => {
    const caller = toCaller(getOperator(res));
    logger.log(events.operatorCalled({ requestId: getRequestId(res), ...call, ...caller }));
  };
}

function toCaller({ name: operator, id: credential }: Credential) {
  return { operator, credential };
}

/** Takeovers by hand go the way of those by a request. */
function toResourceSources(options: WatchedOptions, parts: BridgeParts): ResourceSources {
  const scim = toScimDeps(options, parts);
  return createResourceSources(options.store.read, options.settings.users.deactivation, {
    adoptUser: (request) => adoptUserByHand(scim, request),
    adoptGroup: (request) => adoptGroupByHand(scim, request),
  });
}

/** Ends a pause, and has what waited go on. */
async function resume({ guard, reconciler }: BridgeParts): Promise<void> {
  await guard.resume();
  reconciler.wake();
}

/** Checks existing accounts and groups by the rules for a provider's request. */
function toFirstRunDeps(options: WatchedOptions, parts: BridgeParts): FirstRunDeps {
  const scim = toScimDeps(options, parts);
  return {
    db: options.store.read,
    mode: parts.guard.mode,
    now: options.clock.now,
    listPrivileged: parts.rules.protection.listPrivileged,
    findGroupPrivilege: (db, row) => findGroupPrivilege(db, scim, row),
  };
}
