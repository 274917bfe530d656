import { isWaiting } from '../../domain/cell.ts';
import { isEntityField, toEntityField, toEntityUid, toRoleText } from '../../domain/entity.ts';
import { findFailed } from '../../domain/failure.ts';
import type { GroupState, UpstreamIds } from '../../domain/kinds.ts';
import type { LinkChange } from '../../domain/link.ts';
import { isSameSpelt } from '../../domain/name.ts';
import { isNotApplied } from '../../domain/values.ts';
import { findRow } from '../../store/resources/rows.ts';
import { groupAdmins, groupEntities, groupUsers } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseGroupUsers } from '../../upstream/shapes/rest-group.ts';
import type { ScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import { parseGroupEntities } from '../../upstream/shapes/space.ts';
import type { GroupScimId, ReconcileDeps } from '../deps.ts';
import type { Again, Classified, Known, Outcome } from '../outcome.ts';
import { classify, isRefusal, LASTING, seenOr, WITHOUT_UID } from '../outcome.ts';
import { findDoubt, toLater } from '../sections.ts';
import type { StepCall } from '../step-call.ts';
import { assertAbout, readBack, readUser, toTaken } from '../step-call.ts';

type ListCall = StepCall<GroupState>;

/** How the service lists the users of each list, and how one comes in or goes. */
const LISTS = {
  member: {
    read: groupUsers.getListOfGroupUsers,
    add: groupUsers.addUserToGroup,
    remove: groupUsers.removeUserFromGroup,
  },
  admin: {
    read: groupAdmins.getListOfGroupAdmins,
    add: groupAdmins.addAdminToGroup,
    remove: groupAdmins.removeAdminFromGroup,
  },
} as const;

/** Fetches the members of a group, by account; from SCIM where REST has no list of them. undefined: none has. @throws UpstreamError */
export async function fetchMemberIds(
  deps: ReconcileDeps,
  { upstream_uid: uid, upstream_scim_id: scimId }: Omit<UpstreamIds, 'upstream_id'>,
): Promise<readonly number[] | undefined> {
  if (uid === null) return fetchScimMembers(deps, scimId ?? '');
  try {
    return await fetchUserIds(deps, uid, 'member');
  } catch (error) {
    const { verdict, problem } = classify(error);
    const isUnlisted = verdict === 'forbidden' || problem.code === 'unreadable';
    if (!isUnlisted || scimId === null) throw error;
    const shown = await seenOr(fetchScimMembers(deps, scimId), undefined, 'missing');
    if (shown === undefined) throw error;
    return shown;
  }
}

async function fetchUserIds(
  { upstream }: ReconcileDeps,
  group_uid: string,
  list: keyof typeof LISTS,
): Promise<number[]> {
  const listed = await upstream.call(LISTS[list].read, { path: { group_uid } });
  return parseGroupUsers(listed).map(({ id }) => id);
}

/** Fetches the members of a group through SCIM; undefined when the answer does not list them. @throws UpstreamError */
async function fetchScimMembers({ upstream }: ReconcileDeps, scimId: string) {
  const answer = await upstream.call(scim.getGroup, { path: { group_id: scimId } });
  return parseScimGroupOf(scimId, answer).memberIds;
}

/** Fetches the admins of a group, by account, or its entities, with its own roles in each. @throws UpstreamError */
export async function fetchList(
  deps: ReconcileDeps,
  group_uid: string,
  list: 'admins' | 'entities',
): Promise<Pick<Known, 'adminIds' | 'entities'>> {
  if (list === 'admins') return { adminIds: await fetchUserIds(deps, group_uid, 'admin') };
  const operation = groupEntities.getListOfGroupEntities;
  const listed = await deps.upstream.call(operation, { path: { group_uid } });
  const roles = parseGroupEntities(listed).map(
    (entity) => [toEntityField(entity.uid), toRoleText(entity.roles)] as const,
  );
  return { entities: Object.fromEntries(roles) };
}

/** The group that was asked for. @throws UpstreamError `unreadable`, also where the answer is about another one */
export function parseScimGroupOf(id: string, answer: unknown): ScimGroup {
  const group = parseScimGroup(answer);
  assertAbout('SCIM group', group.id, id);
  return group;
}

/** Largest answer against which a proven form is checked: that of a group of 10,000 is a megabyte, and not worth reading. */
const VERIFIED_BYTES_MAX = 128 * 1_024;

const BATCH_FORMS = ['operations', 'array'] as const;
type BatchForm = (typeof BATCH_FORMS)[number];

/** Changes many members with one SCIM call, in the first form that is taken; refused in all, in smaller parts. @throws UpstreamError */
export async function changeMembers(call: ListCall): Promise<Outcome | Again> {
  const { deps, state, links } = call;
  const { quirks } = deps;
  const size = links.length;
  const learned = learnScimId(deps, state);
  const scimId = await (hasFailedBefore(call) ? seenOr(learned, undefined) : learned);
  if (scimId === undefined) return { kind: 'again', most: 1 };
  for (const form of listForms(call)) {
    try {
      // A call without effect counts as refused.
      if (!(await hasEffect(call, scimId, form))) continue;
      await quirks.learn({ memberForm: form });
      return { kind: 'done', known: { done: links, ids: { upstream_scim_id: scimId } } };
    } catch (error) {
      const failed = classify(error);
      if (failed.verdict === 'smaller') {
        const most = Math.max(1, Math.floor(size / 2));
        await quirks.learn({ membersPerCall: most });
        return { kind: 'again', most };
      }
      if (!mayBeForm(call, failed)) throw error;
    }
  }
  // While no form is known, a pair finds the working form with the fewest calls.
  const isKnown = quirks.current().memberForm !== undefined;
  const half = Math.ceil(size / 2);
  return { kind: 'again', most: isKnown ? half : Math.min(half, 2) };
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

const hasFailedBefore = ({ links }: ListCall) => links.some(findFailed);

/** True for a change that the service took before and did not make. */
const isIgnored = ({ failure }: LinkChange) => isNotApplied(failure?.problem);

/** Lists the forms to be tried: the known one alone, or last where it has failed. */
function listForms(call: ListCall): readonly BatchForm[] {
  const { quirks } = call.deps;
  const { memberForm } = quirks.current();
  const isTrusted = !hasFailedBefore(call) || quirks.isFixed('memberForm');
  const known = BATCH_FORMS.filter((form) => form === memberForm);
  const others = BATCH_FORMS.filter((form) => form !== memberForm);
  return known.length > 0 && isTrusted ? known : [...others, ...known];
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
  const isBelieved = isKnown && !links.some(isIgnored);
  const memberIds = listed ?? (isBelieved ? undefined : await fetchScimMembers(deps, scimId));
  const members = memberIds && new Set(memberIds);
  return links.every(
    ({ upstreamUserId, wanted }) => (members?.has(upstreamUserId) ?? wanted) === wanted,
  );
}

function toOperations(changes: readonly LinkChange[], form: BatchForm): object[] {
  const toOp = (wanted: boolean) => ({ op: wanted ? 'add' : 'remove', path: 'members' });
  if (form === 'operations') {
    return changes.map(({ wanted, upstreamUserId: value }) => ({ ...toOp(wanted), value }));
  }
  const sorted = changes.toSorted((one, other) => Number(one.wanted) - Number(other.wanted));
  return [...Map.groupBy(sorted, ({ wanted }) => wanted)].map(([wanted, same]) => {
    return { ...toOp(wanted), value: same.map(({ upstreamUserId: value }) => ({ value })) };
  });
}

/**
 * Finds the SCIM id of a group made through REST; undefined: unknown. Which REST id it equals is learned once, by
 * reading a group whose id and name both match. @throws UpstreamError
 */
async function learnScimId(
  { quirks, upstream }: ReconcileDeps,
  { observed, ...ids }: GroupState,
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
  { upstream_scim_id, upstream_id, upstream_uid }: UpstreamIds,
  form: GroupScimId | undefined,
): string | undefined {
  const followed = form === 'restId' ? upstream_id : form === 'uid' ? upstream_uid : null;
  return upstream_scim_id ?? followed?.toString();
}

/** Adds or removes one member or admin; a member through SCIM only where the group has no REST uid. @throws UpstreamError */
export async function changeLink(call: ListCall): Promise<Outcome> {
  const { upstream } = call.deps;
  const { upstream_uid: uid, upstream_scim_id: scimId } = call.state;
  const change = getLink(call);
  const { list, upstreamUserId: user_id, wanted } = change;
  const { add, remove } = LISTS[list];
  if (uid !== null) {
    const path = { group_uid: uid };
    await (wanted
      ? upstream.call(add, { path, body: { user_id } })
      : upstream.call(remove, { path: { ...path, user_id } }));
  } else if (list === 'member') {
    const body = { Operations: toOperations([change], 'operations') };
    await upstream.call(scim.updateGroup, { path: { group_id: scimId ?? '' }, body });
  } else return WITHOUT_UID;
  // What the service took before and did not make is looked at; of the others its word is enough.
  const seen = isIgnored(change) && (await readBack(() => listLinked(call)));
  const isMade = () => !seen || seen.includes(user_id) === wanted;
  return toTaken([change], isMade, { done: [change] });
}

/** Outcome of a refused change that holds already, or that waits for the activation of its user. */
export async function explainLink(
  call: ListCall,
  failed: Classified,
): Promise<Outcome | undefined> {
  const change = getLink(call);
  const { upstreamUserId, wanted } = change;
  // A change that failed before did not hold then, so it counts as ours.
  const found = findFailed(change) ? change : { ...change, madeByOthers: true as const };
  const done: Outcome = { kind: 'done', known: { done: [found] } };
  const { verdict } = failed;
  if (wanted && verdict === 'conflict') return done;
  const waiting = await findInactive(call, failed);
  if (waiting !== undefined) return waiting;
  // A service may refuse what is so already.
  const mayHold = isRefusal(failed) || (verdict === 'missing' && !wanted);
  let shown = mayHold ? await seenOr(listLinked(call), null) : undefined;
  if (!wanted && shown?.length === 0) {
    // A service that shows nobody at all proves nothing, nor does what it showed before it showed people again.
    const doubt = await findDoubt(call.deps, 'users');
    if (doubt !== undefined) return doubt;
    shown = await seenOr(listLinked(call), null);
  }
  // The group itself was found again, so a later look at its list decides.
  const isUnread = shown === null && verdict === 'missing' && call.missed === 'found';
  if (isUnread) return toLater(failed);
  return shown?.includes(upstreamUserId) === wanted ? done : undefined;
}

function getLink({ links: [change] }: ListCall): LinkChange {
  if (change === undefined) throw new TypeError('a step changes no member and no admin');
  return change;
}

/** Lists who is in the list of the change; undefined: the service does not tell. @throws UpstreamError */
async function listLinked(call: ListCall): Promise<readonly number[] | undefined> {
  const { deps, state } = call;
  if (getLink(call).list === 'member') return fetchMemberIds(deps, state);
  return fetchUserIds(deps, state.upstream_uid ?? '', 'admin');
}

/** Has the addition of an inactive user wait, where the service refuses it, for an activation that is coming. */
async function findInactive(call: ListCall, failed: Classified): Promise<Outcome | undefined> {
  const { deps, at } = call;
  const change = getLink(call);
  const { list, upstreamUserId, wanted, userId: id } = change;
  if (list !== 'member' || failed.verdict !== 'refused' || !wanted) return undefined;
  const user = await seenOr(readUser(deps, upstreamUserId), undefined);
  if (user?.active !== false) return undefined;
  await deps.quirks.learn({ inactiveMembers: false });
  const person = await findRow(deps.store.read, { type: 'user', id });
  if (person?.active !== 1) return { kind: 'done', known: {} };
  const { cells, observed } = person;
  const isUnderWay = isWaiting(cells.active) || (observed?.at ?? 0) >= at;
  return isUnderWay
    ? toLater(failed)
    : { kind: 'refused', parts: [change], problem: failed.problem };
}

/** Gives the group roles in one entity, sets them, or takes the entity from it. @throws UpstreamError */
export async function changeEntity(call: ListCall, group_uid: string): Promise<Outcome> {
  const { upstream } = call.deps;
  const { entities } = call.state;
  const { roles = [], isListed } = call.values;
  const { field, uid } = getEntity(call);
  const role_ids = [...roles];
  const path = { group_uid, uid };
  if (roles.length === 0) await upstream.call(groupEntities.removeEntity, { path });
  else if (isListed) {
    await upstream.call(groupEntities.updateGroupEntity, { path, body: { role_ids } });
  } else {
    const body = { entity_uid: uid, role_ids };
    await upstream.call(groupEntities.addEntity, { path: { group_uid }, body });
  }
  // With the entities as they were listed, if they were, but for this one.
  const { [field]: _, ...others } = entities ?? {};
  const changed = roles.length === 0 ? others : { ...others, [field]: toRoleText(roles) };
  return { kind: 'done', known: { entities: entities ? changed : undefined, done: [field] } };
}

/** Outcome of a failed change that tells what the group has in the entity. */
export async function explainEntity(
  call: ListCall,
  { verdict }: Classified,
): Promise<Outcome | undefined> {
  const { roles = [], isListed } = call.values;
  const gone = verdict === 'missing' && roles.length === 0 ? [getEntity(call).field] : [];
  // A conflict says that the group has the entity: the list shows its roles, and the next step sets them.
  if (gone.length === 0 && (verdict !== 'conflict' || isListed)) return undefined;
  const doubt = gone.length > 0 ? await findDoubt(call.deps, 'groups') : undefined;
  if (doubt !== undefined) return doubt;
  const known = await fetchList(call.deps, call.state.upstream_uid ?? '', 'entities');
  return toTaken(gone, (field) => !known.entities?.[field], { ...known, done: gone });
}

function getEntity({ fields }: ListCall) {
  const field = fields.find(isEntityField);
  if (field === undefined) throw new TypeError('a step is about no entity');
  return { field, uid: toEntityUid(field) };
}
