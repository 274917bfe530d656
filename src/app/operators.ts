import type { Router } from 'express';
import type { Reserve } from '../ops/exports/read-entries.ts';
import { getOperator } from '../ops/http/operator.ts';
import { createOperatorRouter } from '../ops/router.ts';
import type { ApiSource, StatusSources } from '../ops/sources.ts';
import { findSubject } from '../reconcile/loop/operator-calls.ts';
import { findGroupPrivilege } from '../rules/rules.ts';
import { adopt } from '../scim/adopt.ts';
import { findRepairWords } from '../scim/repairs.ts';
import type { Events } from '../telemetry/events.ts';
import { getRequestContext } from '../telemetry/request-context.ts';
import { toNotificationSource } from './notifications.ts';
import type { WatchedOptions } from './options.ts';
import type { BridgeParts } from './parts.ts';
import { toScimDeps } from './scim.ts';
import { toLoggedName } from './telemetry.ts';

/** Creates the router of the operators' interface. */
export function createOperators(
  options: WatchedOptions,
  parts: BridgeParts,
  status: StatusSources,
): Router {
  const { store, clock, events, metrics, settings } = options;
  const { access, acts, attempts, drifts, leadership, requests, rules } = parts;
  const scim = toScimDeps(options, parts);
  const findReading = () => leadership.news().reading;
  return createOperatorRouter({
    ...{ store, clock, attempts, drifts, rules, access, sessions: access.sessions },
    deactivation: settings.users.deactivation,
    registry: metrics.registry,
    status,
    ...{ settings: options.about.settings, sandbox: options.target.sandbox },
    // Takeovers by hand go the way of those by a request.
    adoptUser: (request) => adopt(scim, 'user', request),
    adoptGroup: (request) => adopt(scim, 'group', request),
    privileges: {
      listPrivileged: rules.protection.listPrivileged,
      findGroupPrivilege: (db, row) => findGroupPrivilege(db, scim, row),
    },
    findRepairWords,
    requestSweep: parts.requestSweep,
    look: leadership.look,
    findReading,
    findDetection: () => leadership.news().detection ?? undefined,
    reserve: createReserve(),
    refreshFormerIds: parts.formerIds.refresh,
    notify: parts.reconciler.notify,
    pause: parts.guard.pause,
    async resume() {
      await parts.guard.resume();
      parts.reconciler.notify();
    },
    api: {
      call: leadership.callForOperator,
      findSubject: (operation, args) => findSubject(store.read, operation, args),
      report: tellCalls(events),
    },
    notifications: toNotificationSource(options),
    openAct: acts.open,
    recordsStored: () => Promise.all([acts.stored(), requests.stored()]),
    findCredential: access.find,
  });
}

/** Logs calls of operators, each with who made it. */
function tellCalls(events: Events): ApiSource['report'] {
  return (call, res) => {
    const { name, id: credential } = getOperator(res);
    const operator = toLoggedName({ credential, operator: name });
    const { requestId, remoteAddress } = getRequestContext(res);
    const by = { requestId, remoteAddress, operator, credential };
    events.operatorCalled({ ...call, ...by });
  };
}

/** Reserves the place of requests that bring a file. One at a time: each keeps a whole export in memory. */
function createReserve(): Reserve {
  let isTaken = false;
  return () => {
    if (isTaken) return undefined;
    isTaken = true;
    let isOwn = true;
    return () => {
      if (isOwn) isTaken = false;
      isOwn = false;
    };
  };
}
