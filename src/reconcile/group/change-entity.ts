import {
  type EntityField,
  type SeenEntities,
  toEntityUid,
  toRoleText,
} from '../../domain/entity.ts';
import type { GroupState } from '../../domain/group.ts';
import type { GroupActionOf } from '../../plan/actions.ts';
import { groupEntities } from '../../upstream/operations/people.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { Outcome } from '../outcome.ts';
import { classify } from '../verdict.ts';
import { withoutUid } from './change-link.ts';
import { fetchEntities } from './fetch-lists.ts';

/** Step for the entities of a group. */
interface EntityStep<Action> {
  readonly state: GroupState;
  readonly action: Action;
}

/** Lists the entities of the group, so that what was there before the rules is known. */
export async function lookAtEntities(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: EntityStep<GroupActionOf<'look-at-entities'>>,
): Promise<Outcome> {
  const { uid } = state.ids;
  if (uid === undefined) return withoutUid();
  try {
    return { kind: 'done', known: { entities: await fetchEntities(deps, context, uid) } };
  } catch (error) {
    return toEntityFailure(deps, state, { error, fields: action.fields });
  }
}

/** Gives the group roles in one entity, sets them, or takes the entity from it. */
export async function changeEntity(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: EntityStep<GroupActionOf<'change-entity'>>,
): Promise<Outcome> {
  const { uid } = state.ids;
  if (uid === undefined) return withoutUid();
  const { field } = action;
  try {
    await sendEntity(deps, context, { uid, action });
  } catch (error) {
    const { verdict } = classify(error);
    const isThere = verdict === 'conflict' && !action.isListed;
    const isOut = verdict === 'missing' && action.roles.length === 0;
    // A conflict says that the group has the entity: the next step sets the roles.
    if (isThere) return { kind: 'done', known: { entities: withRoles(state, field, '') } };
    if (!isOut) return toEntityFailure(deps, state, { error, fields: [field] });
  }
  const held = action.roles.length === 0 ? undefined : toRoleText(action.roles);
  return {
    kind: 'done',
    known: { entities: withRoles(state, field, held), doneFields: [field] },
  };
}

/** @throws UpstreamError */
async function sendEntity(
  { upstream }: ReconcileDeps,
  context: CallContext,
  { uid: group_uid, action }: { uid: string; action: GroupActionOf<'change-entity'> },
): Promise<void> {
  const uid = toEntityUid(action.field);
  const role_ids = [...action.roles];
  const path = { group_uid, uid };
  if (role_ids.length === 0) await upstream.call(groupEntities.removeEntity, { path }, context);
  else if (action.isListed) {
    await upstream.call(groupEntities.updateGroupEntity, { path, body: { role_ids } }, context);
  } else {
    const body = { entity_uid: uid, role_ids };
    await upstream.call(groupEntities.addEntity, { path: { group_uid }, body }, context);
  }
}

/** The entities as they were listed, with other roles in one; undefined: they were not listed. */
function withRoles(
  { entities }: GroupState,
  field: EntityField,
  text: string | undefined,
): SeenEntities | undefined {
  if (entities === undefined) return undefined;
  const { [field]: _, ...others } = entities.roles;
  return { ...entities, roles: text === undefined ? others : { ...others, [field]: text } };
}

function toEntityFailure(
  deps: ReconcileDeps,
  { missed }: GroupState,
  { error, fields }: { readonly error: unknown; readonly fields: readonly EntityField[] },
): Promise<Outcome> {
  return toFailure(deps, classify(error), { parts: fields, section: 'groups', missed });
}
