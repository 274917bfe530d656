import type { Access } from '../access/access.ts';
import type { Attempts } from '../access/attempts.ts';
import type { RequestLog } from '../ops/records/request-log.ts';
import type { ActLog } from '../ops/timeline/act-log.ts';
import type { createHarmWatch } from '../reconcile/limits.ts';
import type { Reconciler } from '../reconcile/loop/reconciler.ts';
import type { DriftDecisions } from '../reconcile/repair/keeper.ts';
import type { WriteGuard } from '../reconcile/write-guard.ts';
import type { Rules } from '../rules/rules.ts';
import type { FollowedIds } from '../scim/former-ids.ts';
import type { Leadership } from './leader.ts';

/** Parts of every process, from which its listeners are made. */
export interface BridgeParts {
  readonly access: Access;
  readonly attempts: Attempts;
  readonly leadership: Leadership;
  readonly rules: Rules;
  readonly reconciler: Reconciler;
  readonly drifts: DriftDecisions;
  /** Has the leader make a sweep; returns its id. */
  readonly requestSweep: (dryRun: boolean) => Promise<string>;
  readonly guard: WriteGuard;
  readonly requests: RequestLog;
  readonly formerIds: FollowedIds;
  readonly acts: ActLog;
  readonly readProviderHarm: ReturnType<typeof createHarmWatch>;
  readonly isDraining: () => boolean;
}
