import { isWaiting } from '../../domain/cell.ts';
import type { EntityField } from '../../domain/entity.ts';
import { isEntityField, toEntityUid, toRoleText } from '../../domain/entity.ts';
import type { GroupState, LinkChange, UpstreamGroupIds } from '../../domain/kinds.ts';
import { isSameSpelt } from '../../domain/name.ts';
import { findRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import { groupAdmins, groupEntities, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { Classified, Outcome, TooMany } from '../outcome.ts';
import { classify, isRefusal, LASTING, seenOr } from '../outcome.ts';
import type { GroupScimId, MemberForm } from '../quirks.ts';
import { findDoubt, toLater } from '../sections.ts';
import type { StepCall } from '../step-call.ts';
import { readBack, readUser, toTaken } from '../step-call.ts';
import {
  fetchAdminIds,
  fetchEntities,
  fetchMemberIds,
  fetchScimMembers,
  parseScimGroupOf,
} from './observe.ts';

type ListCall = StepCall<GroupState>;

/** Largest answer against which a proven form is checked: that of a group of 10,000 is a megabyte, and not worth reading. */
const VERIFIED_BYTES_MAX = 128 * 1_024;

type BatchForm = Exclude<MemberForm, 'single'>;
const BATCH_FORMS: readonly BatchForm[] = ['operations', 'array'];

/** Smallest batch that can tell a refused form from a refused member. */
export const PAIR = 2;

/** Changes many members with one SCIM call, in the first form that is taken; refused in all, in smaller parts. @throws UpstreamError */
export async function changeMembers(call: ListCall): Promise<Outcome | TooMany> {
  const { deps, state, links } = call;
  const { quirks } = deps;
  const learned = learnScimId(deps, state);
  const scimId = await (hasFailedBefore(call) ? seenOr(learned, undefined) : learned);
  if (scimId === undefined) return { kind: 'too-many', size: 1 };
  for (const form of listForms(call)) {
    try {
      // A call without effect counts as refused.
      if (!(await hasEffect(call, scimId, form))) continue;
      await quirks.learn({ memberForm: form });
      return { kind: 'done', known: { done: links, ids: { scimId } } };
    } catch (error) {
      const failed = classify(error);
      if (failed.verdict === 'smaller') return learnSize(deps, links.length);
      if (!mayBeForm(call, failed)) throw error;
    }
  }
  // While no form is known, a pair finds the working form with the fewest calls.
  const isKnown = quirks.current().memberForm !== undefined;
  const half = Math.ceil(links.length / 2);
  return { kind: 'too-many', size: isKnown ? half : Math.min(half, PAIR) };
}

/** True where the form or one member may be at fault. Once the group was found, a missing one is a member. */
const mayBeForm = ({ missed }: ListCall, failed: Classified) =>
  isRefusal(failed) || (failed.verdict === 'missing' && missed === 'found');

/** Outcome of a batch that failed again: what it did is looked at, and smaller parts show whom it fails at. */
export async function isolate(
  call: ListCall,
  { verdict, problem }: Classified,
): Promise<Outcome | undefined> {
  const isAgain = verdict === 'unknown' && hasFailedBefore(call);
  return isAgain ? { kind: 'unknown', problem, lookNow: true } : undefined;
}

const hasFailedBefore = ({ links }: ListCall) =>
  links.some(({ attempts }) => attempts !== undefined);

/** Lists the forms to be tried: all while none is known. Where the known one has failed, the others have their turn before it. */
function listForms(call: ListCall): readonly BatchForm[] {
  const { quirks } = call.deps;
  const { memberForm } = quirks.current();
  if (memberForm === undefined || memberForm === 'single') return BATCH_FORMS;
  if (!hasFailedBefore(call) || quirks.isFixed('memberForm')) return [memberForm];
  return [...BATCH_FORMS.filter((form) => form !== memberForm), memberForm];
}

/** Remembers half the size of a batch that was too large, for a day. */
async function learnSize({ quirks }: ReconcileDeps, size: number): Promise<TooMany> {
  const membersPerCall = Math.max(1, Math.floor(size / 2));
  await quirks.learn({ membersPerCall });
  return { kind: 'too-many', size: membersPerCall };
}

/** Sends the batch; true when the members are as asked, as far as the service shows them. @throws UpstreamError */
async function hasEffect(
  { deps, links }: ListCall,
  scimId: string,
  form: BatchForm,
): Promise<boolean> {
  const isKnown = deps.quirks.current().memberForm === form;
  const args = { path: { group_id: scimId }, body: { Operations: toOperations(links, form) } };
  const options = isKnown ? { skipAnswerAboveBytes: VERIFIED_BYTES_MAX } : {};
  const answer = await deps.upstream.call(scim.updateGroup, args, options);
  const listed = answer === undefined ? undefined : parseScimGroupOf(scimId, answer).memberIds;
  // What the service took before and did not make is not believed again.
  const isBelieved = isKnown && !links.some(({ ignored }) => ignored);
  const memberIds = listed ?? (isBelieved ? undefined : await fetchScimMembers(deps, scimId));
  const members = memberIds && new Set(memberIds);
  return links.every(
    ({ upstreamUserId, wanted }) => (members?.has(upstreamUserId) ?? wanted) === wanted,
  );
}

function toOperations(changes: readonly LinkChange[], form: BatchForm): object[] {
  const path = 'members';
  const op = (wanted: boolean) => (wanted ? 'add' : 'remove');
  if (form === 'operations')
    return changes.map(({ wanted, upstreamUserId: value }) => ({ op: op(wanted), path, value }));
  return [false, true].flatMap((wanted) => {
    const ids = changes.filter((change) => change.wanted === wanted);
    if (ids.length === 0) return [];
    const value = ids.map(({ upstreamUserId }) => ({ value: upstreamUserId }));
    return [{ op: op(wanted), path, value }];
  });
}

/**
 * Finds the SCIM id of a group made through REST; undefined: unknown. Which REST id it equals is learned once, by
 * reading a group whose id and name both match. @throws UpstreamError
 */
async function learnScimId(
  { quirks, upstream }: ReconcileDeps,
  { ids, observed }: GroupState,
): Promise<string | undefined> {
  const form = quirks.current().groupScimId;
  const known = findScimId(ids, form);
  if (known !== undefined || form !== undefined) return known;
  for (const candidate of ['restId', 'uid'] as const) {
    const id = findScimId(ids, candidate);
    if (id === undefined) continue;
    const look = upstream.call(scim.getGroup, { path: { group_id: id } }).then(parseScimGroup);
    const group = await seenOr(look, undefined, ...LASTING);
    if (group?.id !== id || !isSameSpelt(group.displayName, observed?.displayName ?? '')) continue;
    await quirks.learn({ groupScimId: candidate });
    return id;
  }
  await quirks.learn({ groupScimId: 'unrelated' });
  return undefined;
}

/** Finds the SCIM id of a group as far as it is known, or follows from what SCIM ids are; undefined: only a call tells it. */
export function findScimId(
  ids: UpstreamGroupIds,
  form: GroupScimId | undefined,
): string | undefined {
  if (ids.scimId !== undefined) return ids.scimId;
  if (form === 'restId') return ids.restId === undefined ? undefined : String(ids.restId);
  return form === 'uid' ? ids.uid : undefined;
}

/** Outcome of a call that only REST can make, while the REST uid of the group is unknown. */
export const WITHOUT_UID: Outcome = {
  kind: 'later',
  problem: { code: 'no-uid', words: 'the service has not shown the REST uid of this group' },
};

/** Adds or removes one member or admin; a member through SCIM only where the group has no REST uid. @throws UpstreamError */
export async function changeLink(call: ListCall): Promise<Outcome> {
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
  call: ListCall,
  failed: Classified,
): Promise<Outcome | undefined> {
  const change = getLink(call);
  const { upstreamUserId, wanted, attempts } = change;
  // A change that failed before did not hold then, so it counts as ours.
  const found = attempts === undefined ? { ...change, madeByOthers: true as const } : change;
  const done: Outcome = { kind: 'done', known: { done: [found] } };
  const { verdict } = failed;
  if (wanted && verdict === 'conflict') return done;
  const waiting = await findInactive(call, failed);
  if (waiting !== undefined) return waiting;
  // A service may refuse what is so already.
  const mayHold = isRefusal(failed) || (verdict === 'missing' && !wanted);
  const shown = mayHold ? await seenOr(listLinked(call), null) : undefined;
  // The group itself was found again, so a later look at its list decides.
  const isUnread = shown === null && verdict === 'missing' && call.missed === 'found';
  if (isUnread) return toLater(failed);
  // A service that shows nobody at all proves nothing.
  const doubt = !wanted && shown?.length === 0 ? await findDoubt(call.deps, 'users') : undefined;
  return doubt ?? (shown?.includes(upstreamUserId) === wanted ? done : undefined);
}

function getLink({ links: [change] }: ListCall): LinkChange {
  if (change === undefined) throw new TypeError('a step changes no member and no admin');
  return change;
}

async function send({ deps, state }: ListCall, change: LinkChange): Promise<unknown> {
  const { upstream } = deps;
  const { list, upstreamUserId: user_id, wanted } = change;
  const { uid, scimId = '' } = state.ids;
  if (uid === undefined) {
    const body = { Operations: toOperations([change], 'operations') };
    return upstream.call(scim.updateGroup, { path: { group_id: scimId }, body });
  }
  const added = { path: { group_uid: uid }, body: { user_id } };
  const removed = { path: { group_uid: uid, user_id } };
  if (list === 'member' && wanted) return upstream.call(groupUsers.addUserToGroup, added);
  if (list === 'member') return upstream.call(groupUsers.removeUserFromGroup, removed);
  if (wanted) return upstream.call(groupAdmins.addAdminToGroup, added);
  return upstream.call(groupAdmins.removeAdminFromGroup, removed);
}

/** Lists who is in the list of the change; undefined: the service does not tell. @throws UpstreamError */
async function listLinked(call: ListCall): Promise<readonly number[] | undefined> {
  const { deps, state } = call;
  const { uid = '' } = state.ids;
  return getLink(call).list === 'admin'
    ? fetchAdminIds(deps, uid)
    : fetchMemberIds(deps, state.ids);
}

/** Has the addition of an inactive user wait, where the service refuses it, for an activation that is coming. */
async function findInactive(call: ListCall, failed: Classified): Promise<Outcome | undefined> {
  const { deps, at } = call;
  const { list, upstreamUserId, wanted, userId: id } = getLink(call);
  if (list !== 'member' || failed.verdict !== 'refused' || !wanted) return undefined;
  const user = await seenOr(readUser(deps, upstreamUserId), undefined);
  if (user?.active !== false) return undefined;
  await deps.quirks.learn({ inactiveMembers: false });
  const person = await findRow(deps.store.read, { type: 'user', id });
  if (person?.active !== 1) return { kind: 'done', known: {} };
  const { cells, observed } = toUserState(person);
  const isUnderWay = isWaiting(cells.active) || (observed?.at ?? 0) >= at;
  if (isUnderWay) return toLater(failed);
  return { kind: 'refused', parts: [getLink(call)], problem: failed.problem };
}

/** Lists the entities of the group, so that what was there before the rules is known. @throws UpstreamError */
export async function listEntities({ deps }: ListCall, uid: string): Promise<Outcome> {
  return { kind: 'done', known: { entities: await fetchEntities(deps, uid) } };
}

/** Gives the group roles in one entity, sets them, or takes the entity from it. @throws UpstreamError */
export async function changeEntity(call: ListCall, group_uid: string): Promise<Outcome> {
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
  return toChanged(call, 'done');
}

/** Outcome of a failed change that tells what the group has in the entity. */
export async function explainEntity(
  call: ListCall,
  { verdict }: Classified,
): Promise<Outcome | undefined> {
  const { roles = [], isListed } = call.values;
  if (verdict === 'missing' && roles.length === 0) {
    return (await findDoubt(call.deps, 'groups')) ?? toChanged(call, 'done');
  }
  // A conflict says that the group has the entity: the next step sets the roles.
  return verdict === 'conflict' && !isListed ? toChanged(call, 'there') : undefined;
}

function getEntity({ fields }: ListCall): EntityField {
  const field = fields.find(isEntityField);
  if (field === undefined) throw new TypeError('a step is about no entity');
  return field;
}

/** Outcome with the entities as they were listed, if they were, but for this one. `there`: with roles that are not known. */
function toChanged(call: ListCall, result: 'done' | 'there'): Outcome {
  const entity = getEntity(call);
  const { roles: wanted = [] } = call.values;
  const { entities } = call.state;
  const { [entity]: _, ...others } = entities?.roles ?? {};
  const isGone = result === 'done' && wanted.length === 0;
  const shown = result === 'done' ? toRoleText(wanted) : '';
  const roles = isGone ? others : { ...others, [entity]: shown };
  const known = { entities: entities && { ...entities, roles } };
  return { kind: 'done', known: result === 'done' ? { ...known, done: [entity] } : known };
}
