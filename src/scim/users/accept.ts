import { toWrittenName } from '../../domain/extensions.ts';
import { workInTurns } from '../../domain/turns.ts';
import { findUserView, type UserView } from '../../store/resources/views.ts';
import type { ProviderDeps } from '../deps.ts';
import { readPatch } from '../dialect/parse-patch.ts';
import { readUser } from '../dialect/parse-user.ts';
import { findSentPlace } from '../dialect/sent-place.ts';
import { applyUserPatch } from '../patch/apply-user-patch.ts';
import { isPlain, project } from '../render/projection.ts';
import { renderUser } from '../render/resource-text.ts';
import type { ScimKind } from '../resource-handlers.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { storeKnowing } from '../writes/read-privilege.ts';
import { type Sent, understand } from '../writes/sent.ts';
import type { UserWriteResult, WriteTarget } from '../writes/write-result.ts';
import { findAddressPlace, toReplacement } from './attributes.ts';
import { storeUser, type UserChange } from './change-user.ts';
import { storeNewUser } from './create-user.ts';
import { storeUserDeletion } from './delete-user.ts';

/** Users, as one type of resource. */
export const userKind: ScimKind<UserView> = {
  type: 'user',
  schema: userSchema,
  patchAnswer: 'resource',
  create: acceptNewUser,
  replace: acceptUserReplacement,
  patch: acceptUserPatch,
  remove: acceptUserDeletion,
  findView: findUserView,
  async render(deps, view, projection) {
    const text = renderUser(view, deps);
    return isPlain(projection) ? text : JSON.stringify(project(JSON.parse(text), projection));
  },
};

/** A POST as far as the store: parsed and stored, not yet settled. @throws ScimError 400, 409, 503 */
export async function acceptNewUser(deps: ProviderDeps, sent: Sent): Promise<UserWriteResult> {
  const input = await understand(deps, sent, readUser(sent.body, sent.repairs));
  return storeKnowing(deps, { look: 'change' }, (tx, begin) =>
    storeNewUser(tx, deps, { input, begin }),
  );
}

/** A PUT as far as the store. @throws ScimError 400, 403, 404, 409, 412, 503 */
export async function acceptUserReplacement(
  deps: ProviderDeps,
  target: WriteTarget,
  sent: Sent,
): Promise<UserWriteResult> {
  const input = await understand(deps, sent, readUser(sent.body, sent.repairs));
  return storeChange(deps, target, async (before) => ({
    ...toReplacement(before, input),
    placeOf: (address) => findSentPlace('emails', input.sent.get('emails'), address),
  }));
}

/** A PATCH as far as the store: all its operations or none. @throws ScimError 400, 403, 404, 409, 412, 503 */
export async function acceptUserPatch(
  deps: ProviderDeps,
  target: WriteTarget,
  sent: Sent,
): Promise<UserWriteResult> {
  const { policy, turns } = deps;
  const { body, repairs } = sent;
  const context = {
    schema: userSchema,
    repairs,
    operationsMax: policy.patchOperationsMax,
  };
  const steps = await understand(deps, sent, readPatch(body, context));
  const names = new Set(
    steps.flatMap((step) => {
      if (!('target' in step)) return [];
      const { extension, attribute } = step.target.path;
      return [toWrittenName(extension, attribute.name)];
    }),
  );
  return storeChange(deps, target, async (before) => ({
    attributes: await workInTurns(applyUserPatch(before, steps, repairs), turns),
    names,
    placeOf: (address) => findAddressPlace(steps, address),
  }));
}

/** A DELETE as far as the store. @throws ScimError 403, 404, 412, 503 */
export async function acceptUserDeletion(
  deps: ProviderDeps,
  target: WriteTarget,
): Promise<UserWriteResult> {
  return storeKnowing(deps, { id: target.id, look: 'remove' }, (tx) =>
    storeUserDeletion(tx, deps, target),
  );
}

async function storeChange(
  deps: ProviderDeps,
  target: WriteTarget,
  change: UserChange['change'],
): Promise<UserWriteResult> {
  return storeKnowing(deps, { id: target.id, look: 'remove' }, (tx, begin) =>
    storeUser(tx, deps, { ...target, change, begin }),
  );
}
