import type { Router } from 'express';
import { ACTIVE_STATUSES } from '../domain/drift.ts';
import { createPlanSums } from '../ops/drift/plan-sums.ts';
import { findLastSweep } from '../ops/drift/sweeps.ts';
import { createNews, type News } from '../ops/events/news.ts';
import type { Reserve } from '../ops/exports/read-file.ts';
import { getOperator } from '../ops/http/operator.ts';
import { createOperatorRouter } from '../ops/router.ts';
import type { ApiSource, OpsSources, StatusSources } from '../ops/sources.ts';
import type { HealthSources } from '../ops/state/readiness-facts.ts';
import { findSubject } from '../reconcile/loop/operator-calls.ts';
import { findReleaseProgress } from '../reconcile/repair/release-progress.ts';
import { findGroupPrivilege } from '../rules/rules.ts';
import { adoptGroupByHand } from '../scim/groups/create-group.ts';
import { findRepairWords } from '../scim/repairs.ts';
import { adoptUserByHand } from '../scim/users/store-change.ts';
import { countDrifts, countUnmanaged } from '../store/drift-views.ts';
import { readMarks } from '../store/marks.ts';
import { listFailing, listStuck } from '../store/resources/backlog.ts';
import { listDisputes } from '../store/resources/disputes.ts';
import { findLateLeavers } from '../store/resources/leavers.ts';
import { events } from '../telemetry/events.ts';
import type { Logger } from '../telemetry/logger.ts';
import { getRequestContext } from '../telemetry/request-context.ts';
import { toNotificationSource } from './notifications.ts';
import type { WatchedOptions } from './options.ts';
import type { BridgeParts } from './parts.ts';
import { toScimDeps } from './scim.ts';
import { toLoggedName } from './telemetry.ts';

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
  | 'countUnmanaged'
> &
  Pick<HealthSources, 'writes'>;

/** Creates the router of the operators' interface. */
export function createOperators(options: WatchedOptions, parts: BridgeParts, state: State): Router {
  const { store, clock, logger, metrics, settings } = options;
  const { access, acts, attempts, drifts, leadership, requests, rules } = parts;
  const scim = toScimDeps(options, parts);
  const findReading = () => leadership.news().reading;
  return createOperatorRouter({
    ...{ store, clock, attempts, drifts, rules, access, sessions: access.sessions },
    deactivation: settings.users.deactivation,
    registry: metrics.registry,
    status: toStatusSources(options, { ...state, findReading }),
    ...{ settings: options.about.settings, sandbox: options.target.sandbox },
    // Takeovers by hand go the way of those by a request.
    adoptUser: (request) => adoptUserByHand(scim, request),
    adoptGroup: (request) => adoptGroupByHand(scim, request),
    privileges: {
      listPrivileged: rules.protection.listPrivileged,
      findGroupPrivilege: (db, row) => findGroupPrivilege(db, scim, row),
    },
    planSums: createPlanSums(store.read, clock),
    findRepairWords,
    requestSweep: parts.requestSweep,
    look: leadership.look,
    findReading,
    findDetection: () => leadership.news().detection ?? undefined,
    reserve: createReserve(),
    refreshFormerIds: parts.formerIds.refresh,
    notify: parts.reconciler.notify,
    pause: parts.guard.pause,
    resume: () => resume(parts),
    api: {
      call: leadership.callForOperator,
      findSubject: (operation, args) => findSubject(store.read, operation, args),
      told: tellCalls(logger),
    },
    notifications: toNotificationSource(options),
    openAct: acts.open,
    recordsStored: () => Promise.all([acts.stored(), requests.stored()]),
    findCredential: access.find,
    news: openNews(options, parts),
  });
}

/** Leavers who are not out that the status names. */
const LEAVERS_SHOWN = 10;

function openNews({ store, clock }: WatchedOptions, { isDraining }: BridgeParts): News {
  return createNews({ readMarks: () => readMarks(store.read), isDraining, clock });
}

function toStatusSources(
  { store, clock }: WatchedOptions,
  { findReading, ...state }: State & Pick<OpsSources, 'findReading'>,
): StatusSources {
  return {
    ...state,
    listStuck: (limit) => listStuck(store.read, limit),
    listFailing: (limit) => listFailing(store.read, limit),
    listDisputes: (limit) => listDisputes(store.read, limit),
    findLeavers: () => findLateLeavers(store.read, { before: clock.now(), limit: LEAVERS_SHOWN }),
    findRelease: () => findReleaseProgress(store.read, clock.now()),
    findLastSweep: () => findLastSweep(store.read, findReading()),
    countDrifts: async () =>
      (await countDrifts(store.read)).filter(({ status }) =>
        ACTIVE_STATUSES.some((active) => active === status),
      ),
    countUnmanaged: () => countUnmanaged(store.read),
  };
}

/** Logs calls of operators, each with who made it. */
function tellCalls(logger: Logger): ApiSource['told'] {
  return (call, res) => {
    const { name, id: credential } = getOperator(res);
    const operator = toLoggedName({ credential, operator: name });
    const { requestId, remoteAddress } = getRequestContext(res);
    const by = { requestId, remoteAddress, operator, credential };
    logger.log(events.operatorCalled({ ...call, ...by }));
  };
}

/** Reserves the place of requests that bring a file. One at a time: each keeps a whole export in memory. */
function createReserve(): Reserve {
  let running: object | undefined;
  return () => {
    if (running !== undefined) return undefined;
    const own = {};
    running = own;
    return () => {
      if (running === own) running = undefined;
    };
  };
}

/** Ends a pause, and has what waited go on. */
async function resume({ guard, reconciler }: BridgeParts): Promise<void> {
  await guard.resume();
  reconciler.notify();
}
