import type { ResourceKey } from '../domain/ids.ts';
import type { Problem, Settlement } from '../reconcile/outcome.ts';
import type { StoredWrite } from '../reconcile/reconciler.ts';
import type { ScimDeps } from './deps.ts';
import { ScimError, unavailable } from './errors.ts';
import type { GroupWriteResult } from './groups/store-change.ts';
import type { UserWriteResult } from './users/store-change.ts';

/** How long a provider is asked to wait while the service is down, in seconds. */
const DOWN_RETRY_SECONDS = 60;

/** Stops a write before anything is stored where the settings say so. @throws ScimError 503 */
export function assertUpstreamUp({ policy, isUpstreamDown }: ScimDeps): void {
  if (policy.whenUpstreamIsDown !== 'refuse' || !isUpstreamDown()) return;
  throw unavailable('The service does not answer now, so nothing was changed.', DOWN_RETRY_SECONDS);
}

/**
 * Waits until the service holds the write, or until the wait is over: from then on the stored change
 * is the bridge's to finish.
 * @param arrivedAt when the request came (epoch milliseconds); the wait runs from there
 * @throws ScimError when the service refused it and it was undone
 */
export async function settleUser(
  deps: ScimDeps,
  { id, row, lease, undo }: UserWriteResult,
  arrivedAt: number,
): Promise<void> {
  const resource = { type: 'user', id } as const;
  if (undo === undefined) return tellUnchanged(deps, resource);
  const write = toStoredWrite(deps, { row, lease }, arrivedAt);
  answer(deps, resource, await deps.reconciler.settleUser(id, write, undo));
}

/** As `settleUser`, for a group. */
export async function settleGroup(
  deps: ScimDeps,
  { id, row, lease, undo }: GroupWriteResult,
  arrivedAt: number,
): Promise<void> {
  const resource = { type: 'group', id } as const;
  if (undo === undefined) return tellUnchanged(deps, resource);
  const write = toStoredWrite(deps, { row, lease }, arrivedAt);
  answer(deps, resource, await deps.reconciler.settleGroup(id, write, undo));
}

/** Tells telemetry of a write that asked for nothing that the service does not hold already. */
export function tellUnchanged({ telemetry }: ScimDeps, resource: ResourceKey): void {
  telemetry.answered({ ...resource, answer: 'unchanged' });
}

/** @throws ScimError when the service refused the write and it was undone */
function answer({ telemetry }: ScimDeps, resource: ResourceKey, settlement: Settlement): void {
  if (settlement.kind === 'refused') {
    const { problem } = settlement;
    telemetry.answered({ ...resource, answer: 'refused', code: problem.code });
    throw toRefusal(problem);
  }
  const isApplied = settlement.kind === 'applied';
  telemetry.answered({ ...resource, answer: isApplied ? 'applied' : 'accepted' });
}

/** The wait runs from the arrival of the request. */
function toStoredWrite(
  { clock, policy }: ScimDeps,
  { row, lease }: Pick<UserWriteResult | GroupWriteResult, 'row' | 'lease'>,
  arrivedAt: number,
): StoredWrite {
  return {
    version: row.version,
    lease,
    waitMs: arrivedAt + policy.writeWaitMs - clock.now(),
    class: row.due_class === 0 ? 'remove' : 'change',
  };
}

/** What the service said, in the form that a provider shows its administrator. */
function toRefusal({ code, words }: Problem): ScimError {
  const detail = `The service refused the change: ${words}`;
  switch (code) {
    case 'conflict':
      return new ScimError(409, detail, { scimType: 'uniqueness' });
    case 'not-permitted':
      return new ScimError(403, detail);
    default:
      return new ScimError(400, detail, { scimType: 'invalidValue' });
  }
}
