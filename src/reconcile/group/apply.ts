import { toEcho } from '../../domain/cell.ts';
import { findFailed, isNameKept, isStuck } from '../../domain/failure.ts';
import { type GroupState, type ObservedGroup, removesGroupAccess } from '../../domain/group.ts';
import { isSameSpelt, normaliseName } from '../../domain/name.ts';
import { isNotApplied, NOT_APPLIED } from '../../domain/refusal.ts';
import { listLinks, listParts, type Step, toValues, type Values } from '../../plan/step.ts';
import { findGroupByUpstream, listLeavingGroups } from '../../store/resources/find.ts';
import { toGroupState } from '../../store/resources/state.ts';
import { groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ReconcileDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { Outcome, Problem, TooMany } from '../outcome.ts';
import { assertAbout, readBack } from '../read-back.ts';
import { makeStep, type StepBasis, type StepCall, type StepMakers } from '../step-call.ts';
import { type Classified, classify } from '../verdict.ts';
import { changeEntity, explainEntity, listEntities } from './change-entity.ts';
import { changeLink, explainLink, WITHOUT_UID } from './change-link.ts';
import { parseScimGroupOf } from './fetch-lists.ts';
import { lookAtGroup, lookForGroup } from './look.ts';
import { changeMembers, isolate } from './members.ts';
import { observeRestGroup } from './observe.ts';

type GroupCall = StepCall<GroupState>;

const section = 'groups';

const MAKERS: StepMakers<GroupState> = {
  look: { section, make: ({ deps, context, state }) => lookAtGroup(deps, context, state) },
  create: { section, make: createGroup, rescue: resolveConflict },
  update: { section, make: updateGroup, rescue: awaitName },
  remove: { section, make: removeGroup },
  members: { section, make: changeMembers, rescue: isolate },
  link: { section, make: changeLink, rescue: explainLink },
  'list-entities': { section, make: listEntities },
  entity: { section, make: changeEntity, rescue: explainEntity },
};

/** Makes one call for a group (a creation, a batch or a look may take more) and returns the new knowledge. */
export function applyGroupStep(basis: StepBasis<GroupState>): Promise<Outcome | TooMany> {
  const { state, step } = basis;
  return makeStep(MAKERS, basis, { type: 'group', removes: removes(state, step) });
}

/** True when a step removes access; what is about the group itself does so where anything of it does. */
function removes(state: GroupState, step: Step): boolean {
  const links = listLinks(listParts(step));
  if (links.length > 0) return links.some(({ wanted }) => !wanted);
  return step.kind === 'entity' ? toValues(step).roles?.length === 0 : removesGroupAccess(state);
}

/** Creates the group through REST, because its answer carries both ids. @throws UpstreamError */
async function createGroup({ deps, context, state, step }: GroupCall): Promise<Outcome> {
  const { displayName = '', ...flags } = toValues(step);
  const args = { body: { name: displayName, ...toRestFlags(flags) } };
  const group = parseRestGroup(await deps.upstream.call(groups.createGroup, args, context));
  const isNamed = isSameSpelt(displayName, group.name);
  const holder = isNamed
    ? undefined
    : await findGroupByUpstream(deps.store.read, { uid: group.uid });
  assertAbout('REST group', holder?.id ?? state.id, state.id);
  const observed = observeRestGroup(deps, group, groups.createGroup.id);
  const ids = { restId: group.id, uid: group.uid };
  // Of another name it is not known yet that the service makes it of this one: the next step sends it again.
  const echo = isNamed ? toNameEcho(displayName, observed) : {};
  return { kind: 'done', known: { ids, group: observed, done: ['existence'], ...echo } };
}

/**
 * Finds out about the group that has the name: about to give it up, to be adopted, in the way, or gone since. Where an
 * earlier create may have made it, lists that do not show it yet are no reason to refuse.
 */
async function resolveConflict(
  call: GroupCall,
  { verdict }: Classified,
): Promise<Outcome | undefined> {
  if (verdict !== 'conflict') return undefined;
  const { deps, context, state, step } = call;
  const { displayName = '' } = toValues(step);
  if (await isNameLeaving(deps, displayName)) return { kind: 'later', problem: NAME_LEAVING };
  const found = await lookForGroup(deps, context, { names: [displayName], adopted: true });
  // The operator sees why the found group is not taken over; the provider gets the conflict.
  if (found.kind === 'refused') return undefined;
  if (found.kind !== 'done' || found.known.ids !== undefined) return found;
  try {
    return await createGroup(call);
  } catch (error) {
    const again = classify(error);
    const isOurs = again.verdict === 'conflict' && state.sentCreates.length > 0;
    if (isOurs) return { kind: 'unknown', problem: again.problem, parts: ['existence'] };
    return toFailure(deps, again, { parts: ['existence'], section, missed: 'found' });
  }
}

async function updateGroup(call: GroupCall): Promise<Outcome | TooMany> {
  const { state, step } = call;
  const values = toValues(step);
  const fields = SETTABLE.filter((field) => values[field] !== undefined);
  const isOfScim = state.ids.uid === undefined;
  // Only the name can be changed of a group known through SCIM alone.
  if (isOfScim && fields.length > 1) return { kind: 'too-many', size: 1 };
  if (isOfScim && values.displayName === undefined) return WITHOUT_UID;
  const observed = await (isOfScim ? renameThroughScim : sendUpdate)(call, values);
  const { displayName: sent = '' } = values;
  const [back, before] = [observed.displayName, state.observed?.displayName];
  // A field that kept its old value was not changed.
  const ignored = fields.filter((field) =>
    field === 'displayName'
      ? isNameKept(state.cells.displayName, { sent, back, before, isSame: isSameSpelt })
      : observed[field] !== undefined && observed[field] !== values[field],
  );
  if (ignored.length > 0) return { kind: 'unknown', problem: NOT_APPLIED, parts: ignored };
  const echo = values.displayName === undefined ? {} : toNameEcho(sent, observed);
  return { kind: 'done', known: { group: observed, done: fields, ...echo } };
}

const SETTABLE = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;

/** @throws UpstreamError */
async function renameThroughScim(
  { deps: { upstream, clock }, context, state }: GroupCall,
  { displayName: value }: Values,
): Promise<ObservedGroup> {
  const Operations = [{ op: 'replace', path: 'displayName', value }];
  const path = { group_id: state.ids.scimId ?? '' };
  const answer = await upstream.call(scim.updateGroup, { path, body: { Operations } }, context);
  const look = () => upstream.call(scim.getGroup, { path }, context);
  const { displayName } = parseScimGroupOf(path.group_id, await readBack<unknown>(answer, look));
  const at = clock.now();
  return { ...state.observed, displayName, shownAt: at, at, by: scim.updateGroup.id };
}

/** @throws UpstreamError */
async function sendUpdate(
  { deps, context, state }: GroupCall,
  values: Values,
): Promise<ObservedGroup> {
  const { displayName } = values;
  const name = displayName === undefined ? {} : { name: displayName };
  const body = { ...name, ...toRestFlags(values) };
  const path = { uid: state.ids.uid ?? '' };
  const answer = await deps.upstream.call(groups.updateGroup, { path, body }, context);
  const seen = answer === undefined ? undefined : parseRestGroup(answer);
  const { permissions, addToCardsAndSpacesEnabled } = values;
  const hasAll =
    (permissions === undefined || seen?.permissions !== undefined) &&
    (addToCardsAndSpacesEnabled === undefined || seen?.addToCardsAndSpacesEnabled !== undefined);
  const shown = await readBack(hasAll ? seen : undefined, async () =>
    parseRestGroup(await deps.upstream.call(groups.getGroup, { path }, context)),
  );
  assertAbout('REST group', shown.uid, path.uid);
  return observeRestGroup(deps, shown, groups.updateGroup.id);
}

/** Name as it came back beside the one that was sent, when the service wrote it differently. */
function toNameEcho(sent: string, observed: ObservedGroup) {
  return toEcho(normaliseName(sent), normaliseName(observed.displayName));
}

function toRestFlags({ permissions, addToCardsAndSpacesEnabled }: Values) {
  return {
    ...(permissions === undefined ? {} : { permissions }),
    ...(addToCardsAndSpacesEnabled === undefined
      ? {}
      : { add_to_cards_and_spaces_enabled: addToCardsAndSpacesEnabled }),
  };
}

async function removeGroup({ deps, context, state }: GroupCall): Promise<Outcome> {
  const { uid } = state.ids;
  if (uid === undefined) return WITHOUT_UID;
  // "Not there" is looked at before it is believed.
  await deps.upstream.call(groups.removeGroup, { path: { uid } }, context);
  const gone: Outcome = { kind: 'done', known: { missing: true } };
  if (!isNotApplied(findFailed(state.cells.existence)?.problem)) return gone;
  // The service said so before, and a list showed the group all the same.
  const seen = await lookAtGroup(deps, context, state);
  if (seen.kind !== 'done' || seen.known.missing) return seen;
  return { kind: 'unknown', problem: NOT_APPLIED, parts: ['existence'] };
}

const NAME_LEAVING: Problem = {
  code: 'name-leaving',
  words: 'another group of the service still has this name and is about to give it up',
};

/** A new name that another group is about to give up is "not yet", and no conflict. */
async function awaitName(
  { deps, step }: GroupCall,
  { verdict }: Classified,
): Promise<Outcome | undefined> {
  const { displayName } = toValues(step);
  if (verdict !== 'conflict' || displayName === undefined) return undefined;
  const isLeaving = await isNameLeaving(deps, displayName);
  return isLeaving ? { kind: 'later', problem: NAME_LEAVING } : undefined;
}

/** True when the name is taken by a group that is about to give it up. */
async function isNameLeaving({ store }: ReconcileDeps, name: string): Promise<boolean> {
  const leaving = await listLeavingGroups(store.read);
  return leaving.some((row) => {
    const { deleted, cells, observed } = toGroupState(row);
    // One whose removal or renaming was refused keeps the name for as long as anybody knows.
    const isKept = isStuck((deleted ? cells.existence : cells.displayName)?.failure);
    return !isKept && isSameSpelt(observed?.displayName ?? '', name);
  });
}
