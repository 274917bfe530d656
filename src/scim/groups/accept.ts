import { BridgeError } from '../../domain/errors.ts';
import type { GroupId } from '../../domain/ids.ts';
import { workInTurns } from '../../domain/turns.ts';
import { findGroupView, type ResourceView } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { ScimDeps } from '../deps.ts';
import { type MemberRef, readGroup } from '../dialect/parse-group.ts';
import { readPatch } from '../dialect/parse-patch.ts';
import type { PatchStep } from '../dialect/patch-step.ts';
import { ScimError, unavailable } from '../errors.ts';
import type { ResourceKind, Sent } from '../resource-handlers.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { renderFew } from '../search/render-groups.ts';
import { assertUpstreamUp } from '../writes/settle.ts';
import { type Begin, storeWrite } from '../writes/store-write.ts';
import type { GroupWriteResult, WriteTarget } from '../writes/write-result.ts';
import { applyGroupSteps } from './apply-group-steps.ts';
import { type GroupChangeCall, storeGroup } from './change-group.ts';
import { type CreatedGroup, keepExtension, storeNewGroup } from './create-group.ts';
import { storeGroupDeletion } from './delete-group.ts';
import type { LinkEdit } from './edit-links.ts';
import { toUserIds } from './store-change.ts';

/** Groups, as one type of resource. A group may have 50,000 members, so a PATCH answers without them. */
export const groupKind: ResourceKind<ResourceView<GroupId>> = {
  type: 'group',
  schema: groupSchema,
  patchAnswer: 'on-demand',
  create: acceptNewGroup,
  replace: acceptGroupReplacement,
  patch: acceptGroupPatch,
  remove: acceptGroupDeletion,
  findView: findGroupView,
  async render(deps, view, projection) {
    const [text] = await renderFew(deps, [view], projection);
    return text ?? '';
  },
};

/** Shortest wait for a look, which takes a call, in milliseconds; also where writes wait for less. */
const LOOK_WAIT_MIN_MS = 2_000;
/** A look that a removal waits for is as urgent as the removal. */
type LookClass = 'remove' | 'change';

/** Time that a provider is asked to wait when the service could not be looked at, in seconds. */
const LOOK_RETRY_SECONDS = 30;

/** A POST as far as the store: parsed and stored, not yet settled. @throws ScimError 400, 403, 409, 503 */
export async function acceptNewGroup(
  deps: ScimDeps,
  { body, repairs }: Sent,
): Promise<GroupWriteResult> {
  const input = await workInTurns(readGroup(body, repairs), deps.turns);
  assertUpstreamUp(deps);
  return storeLooking(deps, { look: 'change' }, (tx) => storeNewGroup(tx, deps, { input }));
}

/** A PUT as far as the store; leaving members out leaves them. @throws ScimError 400, 403, 404, 409, 412, 503 */
export async function acceptGroupReplacement(
  deps: ScimDeps,
  target: WriteTarget,
  { body, repairs }: Sent,
): Promise<GroupWriteResult> {
  const input = await workInTurns(readGroup(body, repairs), deps.turns);
  return storeChange(deps, { ...target, class: 'change' }, async (_tx, _row, before) => ({
    attributes: keepExtension(before, input),
    names: input.mentioned,
    members: toReplacement(input.members),
    admins: toReplacement(input.admins),
  }));
}

/** A PATCH as far as the store: all its operations or none. @throws ScimError 400, 403, 404, 409, 412, 503 */
export async function acceptGroupPatch(
  deps: ScimDeps,
  target: WriteTarget,
  { body, repairs }: Sent,
): Promise<GroupWriteResult> {
  const { policy, turns } = deps;
  const context = {
    schema: groupSchema,
    repairs,
    operationsMax: policy.patchOperationsMax,
  };
  const steps = await workInTurns(readPatch(body, context), turns);
  return storeChange(
    deps,
    { ...target, class: steps.some(mayRemove) ? 'remove' : 'change' },
    (tx, row, before) => applyGroupSteps(tx, deps, { row, before, steps }),
  );
}

function mayRemove(step: PatchStep): boolean {
  return step.kind === 'users-where' || (step.kind === 'users' && step.op !== 'add');
}

/** A DELETE as far as the store. @throws ScimError 403, 404, 412, 503 */
export async function acceptGroupDeletion(
  deps: ScimDeps,
  target: WriteTarget,
): Promise<GroupWriteResult> {
  assertUpstreamUp(deps);
  return storeLooking(deps, { look: 'remove', id: target.id }, (tx) =>
    storeGroupDeletion(tx, deps, target),
  );
}

async function storeChange(
  deps: ScimDeps,
  { class: lookClass, ...target }: WriteTarget & { readonly class: LookClass },
  change: GroupChangeCall['change'],
): Promise<GroupWriteResult> {
  assertUpstreamUp(deps);
  return storeLooking(deps, { look: lookClass, id: target.id }, (tx, begin) =>
    storeGroup(tx, deps, { ...target, change, begin }),
  );
}

/**
 * Stores a write. Where the admins of the group have to be known first, reads them and stores again.
 * @throws ScimError 503 when they could not be read, because the group may then be privileged
 */
async function storeLooking(
  deps: ScimDeps,
  { look, id }: { readonly look: LookClass; readonly id?: string },
  store: (tx: Db, begin: Begin) => Promise<CreatedGroup>,
): Promise<GroupWriteResult> {
  const stored = await storeWrite(deps, id, store);
  if (!('kind' in stored)) return withNotice(deps, stored);
  if (stored.kind === 'disputed') throw toDispute(stored.detail);
  await readAdmins(deps, stored.row.id, look);
  const again = await storeWrite(deps, id, store);
  if (!('kind' in again)) return withNotice(deps, again);
  // Read just now and still unread: the group was made anew meanwhile.
  throw again.kind === 'disputed' ? toDispute(again.detail) : cannotTell();
}

/**
 * Notifies the workers of changes that the rules derived from a write, because no request waits for them: at once after
 * a removal, else once the write itself was tried, because a refused write derives nothing.
 */
function withNotice({ reconciler }: ScimDeps, stored: GroupWriteResult): GroupWriteResult {
  const { notifies, undo, row } = stored;
  if (notifies && (undo === undefined || row.due_class === 0)) reconciler.wake();
  return stored;
}

async function readAdmins(
  { reconciler, policy }: ScimDeps,
  id: GroupId,
  lookClass: LookClass,
): Promise<void> {
  try {
    await reconciler.readAdmins(id, {
      class: lookClass,
      waitMs: Math.max(policy.writeWaitMs, LOOK_WAIT_MIN_MS),
    });
  } catch (error) {
    if (error instanceof BridgeError && error.code === 'could-not-look') throw cannotTell();
    throw error;
  }
}

function cannotTell(): ScimError {
  return unavailable('The service could not tell who administers the group.', LOOK_RETRY_SECONDS);
}

/** A PUT with a list replaces it, `[]` empties it, and without the list its users stay. */
function toReplacement(users: readonly MemberRef[] | undefined): LinkEdit[] {
  if (users === undefined) return [];
  return [{ op: 'replace', ids: toUserIds(users.map(({ value }) => value)) }];
}

function toDispute(detail: string): ScimError {
  return new ScimError(409, detail, { scimType: 'uniqueness' });
}
