import type { Router } from 'express';
import { getOperator } from '../ops/http/operator.ts';
import { createOperatorRouter } from '../ops/router.ts';
import type { StatusSources } from '../ops/sources.ts';
import type { Reconciler } from '../reconcile/loop/reconciler.ts';
import { findSubject } from '../reconcile/loop/reconciler.ts';
import { requestSweep } from '../reconcile/loop/sweeps.ts';
import { createDriftDecisions } from '../reconcile/repair/decisions.ts';
import type { ScimDeps } from '../scim/deps.ts';
import { findRepairWords } from '../scim/repairs.ts';
import { getRequestContext } from '../telemetry/request-context.ts';
import type { Leadership } from './leader.ts';
import { toNotificationSource } from './notifications.ts';
import type { TenureParts } from './parts.ts';
import { toLoggedName } from './telemetry.ts';

/** Everything that one process is made of: its listeners take from it what they need. */
export interface BridgeParts extends TenureParts {
  readonly leadership: Leadership;
  readonly reconciler: Reconciler;
  readonly scim: ScimDeps;
}

/** Creates the router of the operators' interface. */
export function createOperators(parts: BridgeParts, status: StatusSources): Router {
  const { store, events, metrics, about, target } = parts;
  const { access, acts, attempts, leadership, requests, scim, process, guard } = parts;
  const { rules } = scim;
  return createOperatorRouter({
    ...status,
    access,
    sessions: access.sessions,
    attempts,
    rules,
    drifts: createDriftDecisions(process),
    registry: metrics.registry,
    settings: about.settings,
    sandbox: target.sandbox,
    adopt: process.adopt,
    findRepairWords,
    requestSweep: (isDry) => requestSweep(process, isDry),
    look: leadership.look,
    refreshFormerIds: parts.formerIds.refresh,
    pause: guard.pause,
    resume: guard.resume,
    api: {
      call: leadership.callForOperator,
      findSubject: (operation, args) => findSubject(store.read, operation, args),
      report(call, res) {
        const { name, id: credential } = getOperator(res);
        const operator = toLoggedName({ credential, operator: name });
        const { requestId, remoteAddress } = getRequestContext(res);
        events.operatorCalled({ ...call, requestId, remoteAddress, operator, credential });
      },
    },
    notifications: toNotificationSource(parts),
    openAct: acts.open,
    recordsStored: () => Promise.all([acts.stored(), requests.stored()]),
    findCredential: access.find,
  });
}
