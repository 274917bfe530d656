import { isWaiting } from '../../domain/cell.ts';
import type { GroupState, LinkChange } from '../../domain/group.ts';
import { NOT_APPLIED } from '../../domain/refusal.ts';
import { listLinks, listParts } from '../../plan/step.ts';
import { findRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import { groupAdmins, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { toLater } from '../failure.ts';
import type { Outcome } from '../outcome.ts';
import { readBack, readUser } from '../read-back.ts';
import { isBlind } from '../sections.ts';
import type { StepCall } from '../step-call.ts';
import { type Classified, classify, isRefusal } from '../verdict.ts';
import { fetchAdminIds, fetchMemberIds, fetchScimMembers } from './fetch-lists.ts';

/** A step that changes one member or admin. */
type LinkCall = StepCall<GroupState>;

/** Outcome of a call that only REST can make, while the REST uid of the group is unknown. */
export const WITHOUT_UID: Outcome = {
  kind: 'later',
  problem: { code: 'no-uid', words: 'the service has not shown the REST uid of this group' },
};

/**
 * Adds or removes one member or admin; a member through SCIM only where the group has no REST uid.
 * @throws UpstreamError
 */
export async function changeLink(call: LinkCall): Promise<Outcome> {
  const change = getLink(call);
  if (change.list === 'admin' && call.state.ids.uid === undefined) return WITHOUT_UID;
  await send(call, change);
  // What the service took before and did not make is looked at; of the others its word is enough.
  const seen = change.ignored && (await readBack(undefined, () => listLinked(call, change)));
  const isMade = seen === undefined || seen.includes(change.upstreamUserId) === change.wanted;
  if (isMade) return { kind: 'done', known: { done: [change] } };
  return { kind: 'unknown', problem: NOT_APPLIED, parts: [change] };
}

/** Outcome of a refused change that holds already, or that waits for the activation of its user. */
export async function explainLink(
  call: LinkCall,
  failed: Classified,
): Promise<Outcome | undefined> {
  const change = getLink(call);
  // A change that failed before did not hold then, so it counts as ours.
  const found = change.attempts === undefined ? { ...change, heldAlready: true as const } : change;
  const held: Outcome = { kind: 'done', known: { done: [found] } };
  if (change.wanted && failed.verdict === 'conflict') return held;
  if (await isRefusedInactive(call, failed, change)) return awaitActivation(call, failed, change);
  return (await isListedSo(call, failed, change)) ? held : undefined;
}

function getLink({ step }: LinkCall): LinkChange {
  const [change] = listLinks(listParts(step));
  if (change === undefined) throw new TypeError('a step changes no member and no admin');
  return change;
}

async function send(
  { deps: { upstream }, context, state }: LinkCall,
  { list, upstreamUserId: user_id, wanted }: LinkChange,
): Promise<void> {
  const { uid, scimId = '' } = state.ids;
  if (uid === undefined) {
    const Operations = [{ op: wanted ? 'add' : 'remove', path: 'members', value: user_id }];
    const args = { path: { group_id: scimId }, body: { Operations } };
    await upstream.call(scim.updateGroup, args, context);
    return;
  }
  const added = { path: { group_uid: uid }, body: { user_id } };
  const removed = { path: { group_uid: uid, user_id } };
  if (list === 'member') {
    if (wanted) await upstream.call(groupUsers.addUserToGroup, added, context);
    else await upstream.call(groupUsers.removeUserFromGroup, removed, context);
  } else if (wanted) await upstream.call(groupAdmins.addAdminToGroup, added, context);
  else await upstream.call(groupAdmins.removeAdminFromGroup, removed, context);
}

/** Lists who is in the list of the change; undefined: the service does not tell. @throws UpstreamError */
async function listLinked(
  { deps, context, state }: LinkCall,
  { list }: LinkChange,
): Promise<readonly number[] | undefined> {
  const { uid, scimId } = state.ids;
  if (uid === undefined) return fetchScimMembers(deps, context, scimId ?? '');
  if (list === 'admin') return fetchAdminIds(deps, context, uid);
  return fetchMemberIds(deps, context, { uid, scimId });
}

/**
 * True when a change was refused that the list shows to hold: a service may refuse what is already so in any words. A 404 to a
 * removal may be about the group too.
 */
async function isListedSo(
  call: LinkCall,
  failed: Classified,
  change: LinkChange,
): Promise<boolean> {
  const mayHold = isRefusal(failed) || (failed.verdict === 'missing' && !change.wanted);
  if (!mayHold) return false;
  try {
    const shown = await listLinked(call, change);
    // A service that shows nobody at all proves nothing.
    const isNobody = !change.wanted && shown?.length === 0;
    if (isNobody && (await isBlind(call.deps, 'users'))) return false;
    return shown?.includes(change.upstreamUserId) === change.wanted;
  } catch (error) {
    classify(error); // The refusal stands where nothing shows more.
    return false;
  }
}

/** True if the addition of a user who is inactive in the service was refused. */
async function isRefusedInactive(
  { deps, context }: LinkCall,
  { verdict }: Classified,
  { list, upstreamUserId, wanted }: LinkChange,
): Promise<boolean> {
  if (list !== 'member' || verdict !== 'refused' || !wanted) return false;
  try {
    return !(await readUser(deps, context, upstreamUserId)).active;
  } catch (error) {
    classify(error);
    return false;
  }
}

/**
 * Makes the addition of an inactive user wait for the activation, where one is coming. Undefined when it is an ordinary
 * refusal, because the user is inactive only in the service.
 */
async function awaitActivation(
  { deps, at }: LinkCall,
  failed: Classified,
  { userId }: LinkChange,
): Promise<Outcome | undefined> {
  await deps.quirks.learn({ inactiveMembers: false });
  const person = await findRow(deps.store.read, { type: 'user', id: userId });
  if (person?.active !== 1) return { kind: 'done', known: {} };
  const { cells, observed } = toUserState(person);
  const isUnderWay = isWaiting(cells.active) || (observed?.at ?? 0) >= at;
  return isUnderWay ? toLater(failed) : undefined;
}
