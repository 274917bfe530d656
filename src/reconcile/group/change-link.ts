import { isWaiting } from '../../domain/cell.ts';
import type { DoneLink, GroupState, LinkChange } from '../../domain/group.ts';
import { NOT_APPLIED } from '../../domain/refusal.ts';
import { findRow } from '../../store/resources/rows.ts';
import { toUserState } from '../../store/resources/state.ts';
import { groupAdmins, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toFailure, toLater } from '../failure.ts';
import type { Outcome } from '../outcome.ts';
import { readBack, readUser } from '../read-back.ts';
import { type Classified, classify, isRefusal } from '../verdict.ts';
import { fetchAdminIds, fetchMemberIds, fetchScimMembers } from './fetch-lists.ts';

/** One change of the members or admins of a group. */
interface LinkStep {
  readonly state: GroupState;
  readonly change: LinkChange;
  /** True where a list of the members has shown that the change is not made. */
  readonly isListed?: boolean;
}

/** Adds or removes one member or admin; a member through SCIM only where the group has no REST uid. */
export async function changeLink(
  deps: ReconcileDeps,
  context: CallContext,
  step: LinkStep,
): Promise<Outcome> {
  const { state, change, isListed = false } = step;
  if (change.list === 'admin' && state.ids.uid === undefined) return withoutUid();
  const askedAt = deps.clock.now();
  const list = () => listLinked(deps, context, step);
  try {
    await send(deps, context, step);
    const isMade = !change.ignored || (await isSeen(change, list));
    if (isMade) return toDone(change);
    // The service took it again and did not make it.
    return { kind: 'unknown', problem: NOT_APPLIED, parts: [change] };
  } catch (error) {
    const classified = classify(error);
    const found = toDone(toFound(change));
    if (saysAlready(classified, change)) return found;
    const isAboutInactive =
      change.list === 'member' && (await isRefusedInactive(deps, context, { classified, change }));
    const waiting =
      isAboutInactive && (await awaitActivation(deps, { classified, change, askedAt }));
    if (waiting) return waiting;
    const isExplained = isAboutInactive || isListed;
    if (!isExplained && (await isListedSo(classified, change, list))) return found;
    const about = { parts: [change], section: 'groups', missed: state.missed } as const;
    return toFailure(deps, classified, about);
  }
}

function toDone(link: DoneLink): Outcome {
  return { kind: 'done', known: { links: [link] } };
}

async function send(
  { upstream }: ReconcileDeps,
  context: CallContext,
  { state, change: { list, upstreamUserId: user_id, wanted } }: LinkStep,
): Promise<void> {
  const { uid, scimId = '' } = state.ids;
  if (uid === undefined) {
    const Operations = [{ op: wanted ? 'add' : 'remove', path: 'members', value: user_id }];
    await upstream.call(
      scim.updateGroup,
      { path: { group_id: scimId }, body: { Operations } },
      context,
    );
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

/**
 * Looks at a change that the service took before and did not make; of the others its word is enough.
 * @throws UpstreamError `unreadable` where the look fails, because the effect is unknown then
 */
async function isSeen(
  { upstreamUserId, wanted }: LinkChange,
  list: () => Promise<readonly number[] | undefined>,
): Promise<boolean> {
  const seen = await readBack(undefined, list);
  return seen === undefined || seen.includes(upstreamUserId) === wanted;
}

async function listLinked(
  deps: ReconcileDeps,
  context: CallContext,
  { state, change: { list } }: LinkStep,
): Promise<readonly number[] | undefined> {
  const { uid, scimId } = state.ids;
  if (uid === undefined) return fetchScimMembers(deps, context, scimId ?? '');
  if (list === 'admin') return fetchAdminIds(deps, context, uid);
  return fetchMemberIds(deps, context, { uid, scimId });
}

/** True when the answer says that the wanted state held already: 409 for a member who is in, 404 for one who is out. */
function saysAlready({ verdict }: Classified, { wanted }: LinkChange): boolean {
  return verdict === (wanted ? 'conflict' : 'missing');
}

/** True when a change was refused that the list shows to hold: a service may refuse what is already so in any words. */
async function isListedSo(
  classified: Classified,
  { wanted, upstreamUserId }: LinkChange,
  list: () => Promise<readonly number[] | undefined>,
): Promise<boolean> {
  if (!isRefusal(classified)) return false;
  try {
    return (await list())?.includes(upstreamUserId) === wanted;
  } catch (error) {
    classify(error); // The refusal stands where nothing shows more.
    return false;
  }
}

/** Marks a change that held without this call. A change that failed before did not hold then, so it counts as ours. */
export function toFound(change: LinkChange): DoneLink {
  return change.attempts === undefined ? { ...change, heldAlready: true } : change;
}

/**
 * Makes the addition of an inactive user wait for the activation, where one is coming. Undefined when it is an ordinary
 * refusal, because the user is inactive only in the service.
 */
async function awaitActivation(
  deps: ReconcileDeps,
  { classified, change, askedAt }: { classified: Classified; change: LinkChange; askedAt: number },
): Promise<Outcome | undefined> {
  await deps.quirks.learn({ inactiveMembers: false });
  const person = await findRow(deps.store.read, { type: 'user', id: change.userId });
  if (person?.active !== 1) return { kind: 'done', known: { waits: true } };
  const { cells, observed } = toUserState(person);
  const isUnderWay = isWaiting(cells.active) || (observed?.at ?? 0) >= askedAt;
  return isUnderWay ? toLater(classified) : undefined;
}

/** True if the addition of a user who is inactive in the service was refused. */
async function isRefusedInactive(
  deps: ReconcileDeps,
  context: CallContext,
  { classified, change }: { classified: Classified; change: LinkChange },
): Promise<boolean> {
  const { upstreamUserId, wanted } = change;
  if (classified.verdict !== 'refused' || !wanted) return false;
  try {
    return !(await readUser(deps, context, upstreamUserId)).active;
  } catch (error) {
    classify(error);
    return false;
  }
}

/** Outcome of a call that only REST can make, while the REST uid of the group is unknown. */
export function withoutUid(): Outcome {
  const words = 'the service has not shown the REST uid of this group';
  return { kind: 'later', problem: { code: 'no-uid', words } };
}
