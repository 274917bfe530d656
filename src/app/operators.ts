import type { Router } from 'express';
import { createOperatorRouter } from '../ops/router.ts';
import type { Reconciler } from '../reconcile/loop/reconciler.ts';
import { createDriftDecisions } from '../reconcile/repair/decisions.ts';
import type { ScimDeps } from '../scim/deps.ts';
import { findRepairWords } from '../scim/repairs.ts';
import type { Leadership } from './leader.ts';
import { toNotificationSource } from './notifications.ts';
import type { TenureParts } from './parts.ts';

/** Everything that one process is made of: its listeners take from it what they need. */
export interface BridgeParts extends TenureParts {
  readonly leadership: Leadership;
  readonly reconciler: Reconciler;
  readonly scim: ScimDeps;
}

/** Creates the router of the operators' interface. */
export function createOperators(parts: BridgeParts): Router {
  const { acts, process, requests } = parts;
  return createOperatorRouter({
    ...parts,
    rules: process.rules,
    drifts: createDriftDecisions(process),
    findRepairWords,
    notifications: toNotificationSource(parts),
    recordsStored: () => Promise.all([acts.stored(), requests.stored()]),
  });
}
