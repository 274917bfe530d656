import type { GroupId } from '../../domain/ids.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { GroupRow } from '../../store/groups/groups.ts';
import { findView, type ResourceView } from '../../store/resources/views.ts';
import type { Db } from '../../store/store.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { parseGroup } from '../dialect/parse-group.ts';
import { parsePatch } from '../dialect/parse-patch.ts';
import type { PatchStep } from '../dialect/patch-step.ts';
import { findSentPlace } from '../dialect/sent-place.ts';
import type { ScimKind } from '../resource-handlers.ts';
import { groupSchema } from '../schema/resource-schemas.ts';
import { renderFew } from '../search/render-groups.ts';
import { storeKnowing } from '../writes/read-privilege.ts';
import { type Sent, understand, understandWhole } from '../writes/sent.ts';
import type { GroupWriteResult, WriteTarget } from '../writes/write-result.ts';
import { applyGroupSteps } from './apply-group-steps.ts';
import { type GroupTarget, storeGroup } from './change-group.ts';
import { keepExtension, storeNewGroup } from './create-group.ts';
import { storeGroupDeletion } from './delete-group.ts';
import { type LinkEdit, toEdit } from './edit-links.ts';

/** Groups, as one type of resource. A group may have 50,000 members, so a PATCH answers without them. */
export const groupKind: ScimKind<GroupWriteResult, ResourceView<GroupId>> = {
  type: 'group',
  schema: groupSchema,
  patchStatus: 204,
  create: acceptNewGroup,
  replace: acceptGroupReplacement,
  patch: acceptGroupPatch,
  remove: acceptGroupDeletion,
  findView: (db, id) => findView(db, 'groups', id),
  toView: async (_db, { row }) => row,
  async render(deps, view, projection) {
    const [text] = await renderFew(deps, [view], projection);
    return text ?? '';
  },
};

/** A POST as far as the store: parsed and stored, not yet settled. @throws ScimError 400, 403, 409, 503 */
export async function acceptNewGroup(deps: ProviderDeps, sent: Sent): Promise<GroupWriteResult> {
  const input = understandWhole(sent, parseGroup(sent.body, sent.repairs));
  return storeKnowing(deps, { look: 'change' }, (tx) => storeNewGroup(tx, deps, { input }));
}

/** A PUT as far as the store; leaving members out leaves them. @throws ScimError 400, 403, 404, 409, 412, 503 */
export async function acceptGroupReplacement(
  deps: ProviderDeps,
  target: WriteTarget,
  sent: Sent,
): Promise<GroupWriteResult> {
  const { repairs } = sent;
  const input = understand(sent, parseGroup(sent.body, repairs));
  const change = async (_tx: Db, _row: GroupRow, before: JsonObject): Promise<GroupTarget> => ({
    attributes: keepExtension(before, input),
    names: input.mentioned,
    members: toReplacement(deps, input.members),
    admins: toReplacement(deps, input.admins),
    placeOf: (list, id) => findSentPlace(list, input.sent.get(list), id),
  });
  return storeKnowing(deps, { look: 'change', repairs }, (tx) =>
    storeGroup(tx, deps, { ...target, change, repairs }),
  );
}

/** A PATCH as far as the store: all its operations or none. @throws ScimError 400, 403, 404, 409, 412, 503 */
export async function acceptGroupPatch(
  deps: ProviderDeps,
  target: WriteTarget,
  sent: Sent,
): Promise<GroupWriteResult> {
  const { body, repairs } = sent;
  const steps = understand(sent, parsePatch(body, { schema: groupSchema, repairs }));
  const change = (tx: Db, row: GroupRow, before: JsonObject) =>
    applyGroupSteps(tx, deps, { row, before, steps });
  const look = steps.some(mayRemove) ? 'remove' : 'change';
  return storeKnowing(deps, { look, repairs }, (tx) =>
    storeGroup(tx, deps, { ...target, change, repairs }),
  );
}

function mayRemove(step: PatchStep): boolean {
  return step.kind === 'users-where' || (step.kind === 'users' && step.op !== 'add');
}

/** A DELETE as far as the store. @throws ScimError 403, 404, 412, 503 */
export async function acceptGroupDeletion(
  deps: ProviderDeps,
  target: WriteTarget,
): Promise<GroupWriteResult> {
  return storeKnowing(deps, { look: 'remove' }, (tx) => storeGroupDeletion(tx, deps, target));
}

/** A PUT with a list replaces it, `[]` empties it, and without the list its users stay. */
function toReplacement(deps: ScimDeps, users: readonly string[] | undefined): LinkEdit[] {
  return users === undefined ? [] : [toEdit(deps, 'replace', users)];
}
