import { foldCase } from '../../domain/fold.ts';
import { type GroupId, toResourceKey, type UserId } from '../../domain/ids.ts';
import { EARLIER, NOT_THERE } from '../../domain/refusal.ts';
import type { Lock } from '../../reconcile/bounded-wait.ts';
import type { Problem } from '../../reconcile/outcome.ts';
import { saveDispute } from '../../store/resources/disputes.ts';
import type { GroupRow, UserRow } from '../../store/resources/rows.ts';
import type { Undo } from '../../store/resources/undo.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { notFound, ScimError, unavailable } from '../errors.ts';
import type { Preconditions } from '../http/etag.ts';

/** Resource of a write, and the versions that the provider means. */
export interface WriteTarget {
  readonly id: string;
  readonly preconditions: Preconditions;
}

interface WriteResult<Row> {
  readonly row: Row;
  /** Undefined: the service already holds the written values, so there is nothing to wait for. */
  readonly undo: Undo | undefined;
  /** Names the wait that was stored with the write, where another process brings it to the service. */
  readonly waitId?: string | undefined;
  /** True when it is known by the ids of a deleted one from now on. */
  readonly hasFormerIds?: boolean;
  /** True when other resources are due now that no request waits for. */
  readonly notifies?: boolean;
}

/** Stored write of a user, with the facts that the wait for it needs. */
export interface UserWriteResult extends WriteResult<UserRow> {
  readonly type: 'user';
  readonly id: UserId;
  /** True when it takes access or a licence. */
  readonly takesAccess?: boolean;
}

/** Stored write of a group, with the facts that the wait for it needs. */
export interface GroupWriteResult extends WriteResult<GroupRow> {
  readonly type: 'group';
  readonly id: GroupId;
  /** True when it takes a member, an admin or a permission. */
  readonly takesAccess?: boolean;
}

/** Stored write of a user or group. */
export type AcceptedWrite = UserWriteResult | GroupWriteResult;

/** A POST of what only an operator can identify. It is recorded, so it is a result and not an error. */
export interface Disputed {
  readonly kind: 'disputed';
  readonly detail: string;
}

/** Records a case that only an operator can decide; the provider gets the same words. */
export async function dispute(
  tx: Db,
  { clock, telemetry }: ScimDeps,
  { type, name }: { readonly type: 'user' | 'group'; readonly name: string },
  detail: string,
): Promise<Disputed> {
  const found = { type, nameFolded: foldCase(name), reason: detail, now: clock.now() };
  if (await saveDispute(tx, found)) telemetry.disputed({ type });
  return { kind: 'disputed', detail };
}

/** Time that a provider is asked to wait while the service is down, in seconds. */
const DOWN_RETRY_SECONDS = 60;

/** Stops a write before anything is stored where the settings ask for that. @throws ScimError 503 */
export function assertUpstreamUp({ policy, isUpstreamDown }: ScimDeps): void {
  if (policy.whenUpstreamIsDown !== 'refuse' || !isUpstreamDown()) return;
  throw unavailable('The service does not answer now, so nothing was changed.', DOWN_RETRY_SECONDS);
}

/**
 * Waits until the service holds the write, or until the wait is over: from then on the bridge has to finish
 * the stored change.
 * @param arrivedAt when the request came (epoch milliseconds); the wait runs from there
 * @param lock of the resource, where it was taken before
 * @throws ScimError when the service refused the write and it was undone
 */
export async function settleWrite(
  deps: ScimDeps,
  write: AcceptedWrite,
  arrivedAt: number,
  lock?: Lock,
): Promise<void> {
  if (write.undo === undefined) return tellUnchanged(deps, write);
  const { reconciler, telemetry, policy, clock } = deps;
  const { row, undo, waitId } = write;
  const resource = toResourceKey(write);
  const settlement = await reconciler.settle({
    key: resource,
    undo,
    version: row.version,
    lock: lock ?? reconciler.lock(resource, row),
    waitId,
    waitMs: arrivedAt + policy.writeWaitMs - clock.now(),
    class: row.due_class === 0 ? 'remove' : 'change',
  });
  if (settlement.kind !== 'refused') {
    const answer = settlement.kind === 'applied' ? 'applied' : 'accepted';
    return telemetry.answered({ ...resource, answer });
  }
  const { problem } = settlement;
  telemetry.answered({ ...resource, answer: 'refused', code: problem.code });
  throw toRefusal(problem, write.type);
}

/** Tells telemetry of a write that changes nothing in the service. */
export function tellUnchanged({ telemetry }: ScimDeps, write: AcceptedWrite): void {
  telemetry.answered({ ...toResourceKey(write), answer: 'unchanged' });
}

/** Beginning of our own words where the service has none: the operation and the code of the error (`UpstreamError`). */
const CALL = /\b[a-z]\w*\.[a-z]\w*: [a-z-]+(?: \(status \d+\))?: /gi;

/** Refusal with the words of the service or our own, in the form that a provider shows its administrator. */
function toRefusal(problem: Problem, type: AcceptedWrite['type']): ScimError {
  const { code, words, ours, status } = problem;
  const [own = ''] = words.split(EARLIER);
  const detail = ours
    ? toSentence(words)
    : `The service refused the change: ${words.replaceAll(CALL, '')}`;
  const answered = status === undefined ? '' : ` (status ${status})`;
  const kept = ours ? toSentence(own) : `The service refused the change${answered}.`;
  switch (code) {
    case 'conflict':
      return new ScimError(409, detail, { scimType: 'uniqueness', kept });
    case 'not-permitted':
      return new ScimError(403, detail, { kept });
    case NOT_THERE.code:
      return notFound(type === 'user' ? 'User' : 'Group');
    default:
      return new ScimError(400, detail, { scimType: 'invalidValue', kept });
  }
}

function toSentence(words: string): string {
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
