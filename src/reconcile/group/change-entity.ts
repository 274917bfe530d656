import {
  type EntityField,
  isEntityField,
  type SeenEntities,
  toEntityUid,
  toRoleText,
} from '../../domain/entity.ts';
import type { GroupState } from '../../domain/group.ts';
import { listFields, listParts, toValues } from '../../plan/step.ts';
import { groupEntities } from '../../upstream/operations/people.ts';
import type { Outcome } from '../outcome.ts';
import { isBlind } from '../sections.ts';
import type { StepCall } from '../step-call.ts';
import type { Classified } from '../verdict.ts';
import { WITHOUT_UID } from './change-link.ts';
import { fetchEntities } from './fetch-lists.ts';

/** A step about the entities of a group. */
type EntityCall = StepCall<GroupState>;

/** Lists the entities of the group, so that what was there before the rules is known. @throws UpstreamError */
export async function listEntities({ deps, context, state }: EntityCall): Promise<Outcome> {
  const { uid } = state.ids;
  if (uid === undefined) return WITHOUT_UID;
  return { kind: 'done', known: { entities: await fetchEntities(deps, context, uid) } };
}

/** Gives the group roles in one entity, sets them, or takes the entity from it. @throws UpstreamError */
export async function changeEntity(call: EntityCall): Promise<Outcome> {
  const { deps, context, state, step } = call;
  const { uid: group_uid } = state.ids;
  if (group_uid === undefined) return WITHOUT_UID;
  const { upstream } = deps;
  const { roles = [], isListed } = toValues(step);
  const uid = toEntityUid(getEntity(call));
  const role_ids = [...roles];
  const path = { group_uid, uid };
  if (roles.length === 0) await upstream.call(groupEntities.removeEntity, { path }, context);
  else if (isListed) {
    await upstream.call(groupEntities.updateGroupEntity, { path, body: { role_ids } }, context);
  } else {
    const body = { entity_uid: uid, role_ids };
    await upstream.call(groupEntities.addEntity, { path: { group_uid }, body }, context);
  }
  return toChanged(call);
}

/** Outcome of a failed change that tells what the group has in the entity. */
export async function explainEntity(
  call: EntityCall,
  { verdict }: Classified,
): Promise<Outcome | undefined> {
  const { roles = [], isListed } = toValues(call.step);
  // A service that shows nothing at all proves nothing.
  const isGone = verdict === 'missing' && roles.length === 0;
  if (isGone && !(await isBlind(call.deps, 'groups'))) return toChanged(call);
  if (verdict !== 'conflict' || isListed) return undefined;
  // A conflict says that the group has the entity: the next step sets the roles.
  return { kind: 'done', known: { entities: withRoles(call, '') } };
}

function getEntity({ step }: EntityCall): EntityField {
  const [field] = listFields(listParts(step)).filter(isEntityField);
  if (field === undefined) throw new TypeError('a step is about no entity');
  return field;
}

function toChanged(call: EntityCall): Outcome {
  const { roles = [] } = toValues(call.step);
  const held = roles.length === 0 ? undefined : toRoleText(roles);
  return { kind: 'done', known: { entities: withRoles(call, held), done: [getEntity(call)] } };
}

/** The entities as they were listed, with other roles in one; undefined: they were not listed. */
function withRoles(call: EntityCall, text: string | undefined): SeenEntities | undefined {
  const { entities } = call.state;
  if (entities === undefined) return undefined;
  const { [getEntity(call)]: _, ...others } = entities.roles;
  const roles = text === undefined ? others : { ...others, [getEntity(call)]: text };
  return { ...entities, roles };
}
