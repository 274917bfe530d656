import { toWrittenName } from '../../domain/extensions.ts';
import { findView, type UserView } from '../../store/resources/views.ts';
import type { ProviderDeps } from '../deps.ts';
import { parsePatch } from '../dialect/parse-patch.ts';
import { findSentPlace, parseUser } from '../dialect/parse-resource.ts';
import { applyUserPatch } from '../patch/apply-user-patch.ts';
import { isPlain, project } from '../render/projection.ts';
import { renderUser } from '../render/resource-text.ts';
import type { ScimKind } from '../resource-handlers.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { type Sent, storeKnowing, understand, understandWhole } from '../writes/read-privilege.ts';
import type { UserWriteResult, WriteTarget } from '../writes/write-result.ts';
import { findAddressPlace, toReplacement } from './attributes.ts';
import { storeUser, storeUserDeletion, type UserChange } from './change-user.ts';
import { storeNewUser } from './create-user.ts';

/** Users, as one type of resource. */
export const userKind: ScimKind<UserWriteResult, UserView> = {
  type: 'user',
  schema: userSchema,
  patchStatus: 200,
  create: acceptNewUser,
  replace: acceptUserReplacement,
  patch: acceptUserPatch,
  remove: acceptUserDeletion,
  findView: (db, id) => findView(db, 'users', id),
  toView: async (db, { row }) => ({ groups: '', ...(await findView(db, 'users', row.id)), ...row }),
  async render(deps, view, projection) {
    const text = renderUser(view, deps);
    return isPlain(projection) ? text : JSON.stringify(project(JSON.parse(text), projection));
  },
};

/** A POST as far as the store: parsed and stored, not yet settled. @throws ScimError 400, 409, 503 */
export async function acceptNewUser(deps: ProviderDeps, sent: Sent): Promise<UserWriteResult> {
  const input = understandWhole(sent, parseUser(sent.body, sent.repairs));
  return storeKnowing(deps, { look: 'change' }, (tx) =>
    storeNewUser(tx, deps, { input, repairs: sent.repairs }),
  );
}

/** A PUT as far as the store. @throws ScimError 400, 403, 404, 409, 412, 503 */
export async function acceptUserReplacement(
  deps: ProviderDeps,
  target: WriteTarget,
  sent: Sent,
): Promise<UserWriteResult> {
  const input = understand(sent, parseUser(sent.body, sent.repairs));
  return storeChange(deps, target, sent, (before) => ({
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
  const { body, repairs } = sent;
  const steps = understand(sent, parsePatch(body, { schema: userSchema, repairs }));
  const names = new Set(
    steps.flatMap((step) => {
      if (!('target' in step)) return [];
      const { extension, attribute } = step.target.path;
      return [toWrittenName(extension, attribute.name)];
    }),
  );
  return storeChange(deps, target, sent, (before) => ({
    attributes: applyUserPatch(before, steps, repairs),
    names,
    placeOf: (address) => findAddressPlace(steps, address),
  }));
}

/** A DELETE as far as the store. @throws ScimError 403, 404, 412, 503 */
export async function acceptUserDeletion(
  deps: ProviderDeps,
  target: WriteTarget,
): Promise<UserWriteResult> {
  return storeKnowing(deps, { look: 'remove' }, (tx) => storeUserDeletion(tx, deps, target));
}

async function storeChange(
  deps: ProviderDeps,
  target: WriteTarget,
  { repairs }: Sent,
  change: UserChange['change'],
): Promise<UserWriteResult> {
  return storeKnowing(deps, { look: 'remove', repairs }, (tx) =>
    storeUser(tx, deps, { ...target, change, repairs }),
  );
}
