import type { Problem } from '../reconcile/outcome.ts';
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
  { id, row, lease, creates, undo }: UserWriteResult,
  arrivedAt: number,
): Promise<void> {
  if (undo === undefined) return;
  const write = toStoredWrite(deps, { row, lease, creates }, arrivedAt);
  const settlement = await deps.reconciler.settleUser(id, write, undo);
  if (settlement.kind === 'refused') throw toRefusal(settlement.problem);
}

/** As `settleUser`, for a group. */
export async function settleGroup(
  deps: ScimDeps,
  { id, row, lease, creates, undo }: GroupWriteResult,
  arrivedAt: number,
): Promise<void> {
  if (undo === undefined) return;
  const write = toStoredWrite(deps, { row, lease, creates }, arrivedAt);
  const settlement = await deps.reconciler.settleGroup(id, write, undo);
  if (settlement.kind === 'refused') throw toRefusal(settlement.problem);
}

/** The wait runs from the arrival of the request. */
function toStoredWrite(
  { clock, policy }: ScimDeps,
  { row, lease, creates }: Pick<UserWriteResult | GroupWriteResult, 'row' | 'lease' | 'creates'>,
  arrivedAt: number,
): StoredWrite {
  return {
    version: row.version,
    lease,
    creates,
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
