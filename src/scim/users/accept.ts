import type { JsonObject } from '../../domain/json.ts';
import { findView, type UserView } from '../../store/resources/views.ts';
import { parsePatch } from '../dialect/parse-patch.ts';
import { listStepNames } from '../dialect/parse-path.ts';
import { findStepPlace, parseResource } from '../dialect/parse-resource.ts';
import { applyPatch } from '../patch/apply-patch.ts';
import { isPlain, project } from '../render/projection.ts';
import { renderUser } from '../render/resource-text.ts';
import type { ScimKind } from '../resource-handlers.ts';
import { userSchema } from '../schema/resource-schemas.ts';
import { storeKnowing, understand, understandWhole } from '../writes/read-privilege.ts';
import type { UserWriteResult } from '../writes/write-result.ts';
import { toReplacement } from './attributes.ts';
import { storeUser, storeUserDeletion, type UserChange } from './change-user.ts';
import { storeNewUser } from './create-user.ts';

/** Users, as one type of resource. */
export const userKind: ScimKind<UserWriteResult, UserView> = {
  type: 'user',
  schema: userSchema,
  patchStatus: 200,
  async create(deps, sent) {
    const { repairs } = sent;
    const input = understandWhole(sent, parseResource(sent.body, userSchema, repairs));
    return storeKnowing(deps, { look: 'change' }, (tx) =>
      storeNewUser(tx, deps, { input, repairs }),
    );
  },
  async replace(deps, target, sent) {
    const { repairs } = sent;
    const input = understand(sent, parseResource(sent.body, userSchema, repairs));
    const change = (before: JsonObject) => toReplacement(before, input);
    return storeKnowing(deps, { look: 'remove', repairs }, (tx) =>
      storeUser(tx, deps, { ...target, change, repairs }),
    );
  },
  async patch(deps, target, sent) {
    const { body, repairs } = sent;
    const steps = understand(sent, parsePatch(body, { schema: userSchema, repairs }));
    const change: UserChange['change'] = (before) => ({
      attributes: applyPatch(before, steps, repairs),
      names: listStepNames(steps),
      placeOf: (address) => findStepPlace(steps, 'emails', address),
    });
    return storeKnowing(deps, { look: 'remove', repairs }, (tx) =>
      storeUser(tx, deps, { ...target, change, repairs }),
    );
  },
  remove: (deps, target) =>
    storeKnowing(deps, { look: 'remove' }, (tx) => storeUserDeletion(tx, deps, target)),
  findView: (db, id) => findView(db, 'user', id),
  toView: async (db, { row }) => ({ groups: '', ...(await findView(db, 'user', row.id)), ...row }),
  async render(deps, view, projection) {
    const text = renderUser(view, deps);
    return isPlain(projection) ? text : JSON.stringify(project(JSON.parse(text), projection));
  },
};
