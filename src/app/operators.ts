import type { Router } from 'express';
import { isOfPerson } from '../access/sessions.ts';
import { ACTIVE_STATUSES } from '../domain/drift.ts';
import type { ApiSource } from '../ops/api/routes.ts';
import { createCensusSource } from '../ops/census/source.ts';
import { createPlanSource } from '../ops/drift/plans.ts';
import { createSweepSource, type SweepSource, toSweepView } from '../ops/drift/sweeps.ts';
import { createErasureSource } from '../ops/erasure/routes.ts';
import { createNews, type News } from '../ops/events/news.ts';
import { createMemberSource } from '../ops/explain/members.ts';
import { createExplainSource } from '../ops/explain/routes.ts';
import { createImportSource } from '../ops/handover/import-ids.ts';
import { createSwitchFinder } from '../ops/handover/source.ts';
import { NEWEST } from '../ops/http/list-query.ts';
import { getOperator } from '../ops/http/operator.ts';
import type { OperatorAct } from '../ops/http/operator-acts.ts';
import { createLeaverSource } from '../ops/leavers/routes.ts';
import { type FirstRunDeps, readFirstRun } from '../ops/recovery/first-run.ts';
import { readRecoveryView } from '../ops/recovery/view.ts';
import { createResourceSources, type ResourceSources } from '../ops/resources/source.ts';
import { createOperatorRouter } from '../ops/router.ts';
import type { OpsSources } from '../ops/routes.ts';
import type { HealthSources } from '../ops/state/health.ts';
import { createRetrySource } from '../ops/state/retry.ts';
import type { StatusSources } from '../ops/state/status.ts';
import { createWritesSource } from '../ops/state/writes.ts';
import { createTimelineSource } from '../ops/timeline/routes.ts';
import { findSubject } from '../reconcile/loop/operator-calls.ts';
import { findReleaseProgress } from '../reconcile/repair/release-progress.ts';
import { adoptGroupByHand } from '../scim/groups/adopt-by-hand.ts';
import { findGroupPrivilege } from '../scim/groups/protect-group.ts';
import { adoptUserByHand } from '../scim/users/adopt-by-hand.ts';
import { listRequests } from '../store/audit/requests.ts';
import { listNames } from '../store/audit/timeline.ts';
import { findLateLeavers } from '../store/changes.ts';
import { isProvider } from '../store/credentials/providers.ts';
import { countDrifts } from '../store/drift-views.ts';
import { findDrift } from '../store/drifts.ts';
import { readMarks } from '../store/marks.ts';
import { listFailing, listStuck } from '../store/resources/backlog.ts';
import { listDisputes } from '../store/resources/disputes.ts';
import { isUnfinished } from '../store/resources/explained.ts';
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
    plans: createPlanSource(store.read, options.clock, {
      ...parts.drifts,
      readSeats: state.readSeats,
    }),
    decideDrifts: {
      ...parts.drifts,
      findStatus: async (id) => (await findDrift(store.read, id))?.status,
      now: options.clock.now,
    },
    looks: {
      look: leadership.look,
      isUnfinished: (key) => isUnfinished(store.read, key),
      listNames: (ids) => listNames(store.read, ids),
    },
    leavers: createLeaverSource(store.read),
    ...toExports(options, parts),
    listRequests: (query) => listRequests(store.read, query),
    explain: createExplainSource(store.read, parts.rules),
    members: createMemberSource(store.read),
    timeline: createTimelineSource(store.read),
    erasure: createErasureSource({ store, clock: options.clock, policy: options.settings.users }),
    recovery: {
      read: () =>
        readRecoveryView(store.read, {
          detection: leadership.news().detection ?? undefined,
          now: options.clock.now(),
        }),
    },
    firstRun: {
      readPage: (page) =>
        readFirstRun({ ...toFirstRunDeps(options, parts), readSeats: state.readSeats }, page),
    },
    samples: { list: (since) => listSamples(store.read, since), now: options.clock.now },
    retry: createRetrySource(store, { now: options.clock.now, notify: parts.reconciler.notify }),
    writes: createWritesSource({ pause: guard.pause, resume: () => resume(parts) }, state),
    api: {
      call: leadership.callForOperator,
      findSubject: (operation, args) => findSubject(store.read, operation, args),
      told: tellCalls(logger),
    },
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
    // A call of the service has a line of its own.
    if (!act.route.startsWith('/ops/api/'))
      logger.log(events.operatorActed({ ...fields, operator: toName(act) }));
    acts.acted(act);
  };
}

/** Leavers who are not out that the status names. */
const LEAVERS_SHOWN = 10;

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
    findLeavers: () => findLateLeavers(store.read, { before: clock.now(), limit: LEAVERS_SHOWN }),
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
    const { name, id: credential } = getOperator(res);
    const operator = toName({ credential, operator: name });
    const requestId = getRequestId(res);
    logger.log(events.operatorCalled({ requestId, ...call, operator, credential }));
  };
}

/** The name of a credential; no line names a person: who it was stands in the store. */
function toName({ credential, operator }: Pick<OperatorAct, 'credential' | 'operator'>) {
  return isOfPerson(credential) ? undefined : operator;
}

/** Takeovers by hand go the way of those by a request. */
function toResourceSources(options: WatchedOptions, parts: BridgeParts): ResourceSources {
  const scim = toScimDeps(options, parts);
  return createResourceSources(options.store.read, options.settings.users.deactivation, {
    adoptUser: (request) => adoptUserByHand(scim, request),
    adoptGroup: (request) => adoptGroupByHand(scim, request),
    letGo: parts.drifts.letGo,
  });
}

/** Parts for requests that bring a file. One at a time: each keeps a whole export in memory. */
function toExports(
  { store, clock, settings }: WatchedOptions,
  { leadership, drifts, formerIds }: BridgeParts,
): Pick<OpsSources, 'census' | 'handover'> {
  const { deactivation } = settings.users;
  let running: object | undefined;
  const common = {
    isProvider: (name: string) => isProvider(store.read, name),
    reserve() {
      if (running !== undefined) return undefined;
      const own = {};
      running = own;
      return () => {
        if (running === own) running = undefined;
      };
    },
  };
  return {
    census: {
      ...common,
      compare: createCensusSource(store.read, deactivation),
      isRead: () => leadership.news().firstRead.kind === 'finished',
    },
    handover: {
      ...common,
      find: createSwitchFinder(store.read, deactivation),
      plan: drifts.handOver,
      importIds: createImportSource({ store, clock, refresh: formerIds.refresh }, deactivation),
    },
  };
}

/** Ends a pause, and has what waited go on. */
async function resume({ guard, reconciler }: BridgeParts): Promise<void> {
  await guard.resume();
  reconciler.notify();
}

/** Checks existing accounts and groups by the rules for a provider's request. */
function toFirstRunDeps(
  options: WatchedOptions,
  parts: BridgeParts,
): Omit<FirstRunDeps, 'readSeats'> {
  const scim = toScimDeps(options, parts);
  return {
    db: options.store.read,
    mode: parts.guard.mode,
    now: options.clock.now,
    listPrivileged: parts.rules.protection.listPrivileged,
    findGroupPrivilege: (db, row) => findGroupPrivilege(db, scim, row),
  };
}
