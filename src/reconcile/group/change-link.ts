import { isWaiting } from '../../domain/cell.ts';
import {
  type EntityField,
  isEntityField,
  type SeenEntities,
  toEntityUid,
  toRoleText,
} from '../../domain/entity.ts';
import type { GroupState, LinkChange } from '../../domain/kinds.ts';
import { findRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import { groupAdmins, groupEntities, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { type Classified, isRefusal, type Outcome, seenOr } from '../outcome.ts';
import { findDoubt, toLater } from '../sections.ts';
import { readBack, readUser, type StepCall, toTaken } from '../step-call.ts';
import { fetchAdminIds, fetchEntities, fetchMemberIds } from './observe.ts';

type LinkCall = StepCall<GroupState>;

/** Outcome of a call that only REST can make, while the REST uid of the group is unknown. */
export const WITHOUT_UID: Outcome = {
  kind: 'later',
  problem: { code: 'no-uid', words: 'the service has not shown the REST uid of this group' },
};

/** Adds or removes one member or admin; a member through SCIM only where the group has no REST uid. @throws UpstreamError */
export async function changeLink(call: LinkCall): Promise<Outcome> {
  const change = getLink(call);
  if (change.list === 'admin' && call.state.ids.uid === undefined) return WITHOUT_UID;
  await send(call, change);
  // What the service took before and did not make is looked at; of the others its word is enough.
  const seen = change.ignored && (await readBack(undefined, () => listLinked(call)));
  const isMade = () => seen === undefined || seen.includes(change.upstreamUserId) === change.wanted;
  return toTaken([change], isMade, { done: [change] });
}

/** Outcome of a refused change that holds already, or that waits for the activation of its user. */
export async function explainLink(
  call: LinkCall,
  failed: Classified,
): Promise<Outcome | undefined> {
  const change = getLink(call);
  // A change that failed before did not hold then, so it counts as ours.
  const found = change.attempts === undefined ? { ...change, madeByOthers: true as const } : change;
  const done: Outcome = { kind: 'done', known: { done: [found] } };
  if (change.wanted && failed.verdict === 'conflict') return done;
  if (await isRefusedInactive(call, failed)) return awaitActivation(call, failed);
  const isSo = await isListedSo(call, failed);
  if (isSo) return done;
  // The group itself was found again, so a later look at its list decides.
  const isUnread = isSo === undefined && failed.verdict === 'missing' && call.missed === 'found';
  return isUnread ? toLater(failed) : undefined;
}

function getLink({ links: [change] }: LinkCall): LinkChange {
  if (change === undefined) throw new TypeError('a step changes no member and no admin');
  return change;
}

async function send(
  { deps: { upstream }, state }: LinkCall,
  { list, upstreamUserId: user_id, wanted }: LinkChange,
): Promise<unknown> {
  const { uid, scimId = '' } = state.ids;
  if (uid === undefined) {
    const Operations = [{ op: wanted ? 'add' : 'remove', path: 'members', value: user_id }];
    return upstream.call(scim.updateGroup, { path: { group_id: scimId }, body: { Operations } });
  }
  const added = { path: { group_uid: uid }, body: { user_id } };
  const removed = { path: { group_uid: uid, user_id } };
  if (list === 'member' && wanted) return upstream.call(groupUsers.addUserToGroup, added);
  if (list === 'member') return upstream.call(groupUsers.removeUserFromGroup, removed);
  if (wanted) return upstream.call(groupAdmins.addAdminToGroup, added);
  return upstream.call(groupAdmins.removeAdminFromGroup, removed);
}

/** Lists who is in the list of the change; undefined: the service does not tell. @throws UpstreamError */
async function listLinked(call: LinkCall): Promise<readonly number[] | undefined> {
  const { deps, state } = call;
  const isOfAdmins = getLink(call).list === 'admin' && state.ids.uid !== undefined;
  return isOfAdmins ? fetchAdminIds(deps, state.ids.uid) : fetchMemberIds(deps, state.ids);
}

/** True if the list shows a failed change to hold: a service may refuse what is already so. Undefined: it cannot be read. */
async function isListedSo(call: LinkCall, failed: Classified): Promise<boolean | undefined> {
  const { upstreamUserId, wanted } = getLink(call);
  if (!isRefusal(failed) && (failed.verdict !== 'missing' || wanted)) return false;
  const shown = await seenOr(listLinked(call), null);
  if (shown === null) return undefined;
  // A service that shows nobody at all proves nothing.
  if (!wanted && shown?.length === 0 && (await findDoubt(call.deps, 'users'))) return undefined;
  return shown?.includes(upstreamUserId) === wanted;
}

async function isRefusedInactive(call: LinkCall, { verdict }: Classified): Promise<boolean> {
  const { list, upstreamUserId, wanted } = getLink(call);
  if (list !== 'member' || verdict !== 'refused' || !wanted) return false;
  return (await seenOr(readUser(call.deps, upstreamUserId), undefined))?.active === false;
}

/** Has the addition of an inactive user wait for an activation that is coming; undefined: there is none, and it stays refused. */
async function awaitActivation(call: LinkCall, failed: Classified): Promise<Outcome | undefined> {
  const { deps, at } = call;
  await deps.quirks.learn({ inactiveMembers: false });
  const person = await findRow(deps.store.read, { type: 'user', id: getLink(call).userId });
  if (person?.active !== 1) return { kind: 'done', known: {} };
  const { cells, observed } = toUserState(person);
  const isUnderWay = isWaiting(cells.active) || (observed?.at ?? 0) >= at;
  return isUnderWay ? toLater(failed) : undefined;
}

/** Lists the entities of the group, so that what was there before the rules is known. @throws UpstreamError */
export async function listEntities({ deps, state }: LinkCall): Promise<Outcome> {
  const { uid } = state.ids;
  if (uid === undefined) return WITHOUT_UID;
  return { kind: 'done', known: { entities: await fetchEntities(deps, uid) } };
}

/** Gives the group roles in one entity, sets them, or takes the entity from it. @throws UpstreamError */
export async function changeEntity(call: LinkCall): Promise<Outcome> {
  const { uid: group_uid } = call.state.ids;
  if (group_uid === undefined) return WITHOUT_UID;
  const { upstream } = call.deps;
  const { roles = [], isListed } = call.values;
  const uid = toEntityUid(getEntity(call));
  const role_ids = [...roles];
  const path = { group_uid, uid };
  if (roles.length === 0) await upstream.call(groupEntities.removeEntity, { path });
  else if (isListed) {
    await upstream.call(groupEntities.updateGroupEntity, { path, body: { role_ids } });
  } else {
    const body = { entity_uid: uid, role_ids };
    await upstream.call(groupEntities.addEntity, { path: { group_uid }, body });
  }
  return toChanged(call);
}

/** Outcome of a failed change that tells what the group has in the entity. */
export async function explainEntity(
  call: LinkCall,
  { verdict }: Classified,
): Promise<Outcome | undefined> {
  const { roles = [], isListed } = call.values;
  if (verdict === 'missing' && roles.length === 0) {
    return (await findDoubt(call.deps, 'groups')) ?? toChanged(call);
  }
  if (verdict !== 'conflict' || isListed) return undefined;
  // A conflict says that the group has the entity: the next step sets the roles.
  return { kind: 'done', known: { entities: withRoles(call, '') } };
}

function getEntity({ fields }: LinkCall): EntityField {
  const field = fields.find(isEntityField);
  if (field === undefined) throw new TypeError('a step is about no entity');
  return field;
}

function toChanged(call: LinkCall): Outcome {
  const { roles = [] } = call.values;
  const text = roles.length === 0 ? undefined : toRoleText(roles);
  return { kind: 'done', known: { entities: withRoles(call, text), done: [getEntity(call)] } };
}

/** The entities as they were listed, with other roles in one; undefined: they were not listed. */
function withRoles(call: LinkCall, text: string | undefined): SeenEntities | undefined {
  const { entities } = call.state;
  if (entities === undefined) return undefined;
  const { [getEntity(call)]: _, ...others } = entities.roles;
  const roles = text === undefined ? others : { ...others, [getEntity(call)]: text };
  return { ...entities, roles };
}
