import { toEcho } from '../../domain/cell.ts';
import { findFailed, isStuck } from '../../domain/failure.ts';
import type { GroupState, ObservedGroup } from '../../domain/kinds.ts';
import { isNameKept, isSameSpelt, normaliseName } from '../../domain/name.ts';
import { removesGroupAccess } from '../../domain/protection.ts';
import { isNotApplied } from '../../domain/values.ts';
import { isSettable } from '../../plan/plan.ts';
import { listLinks, listParts, toValues, type Values } from '../../plan/step.ts';
import { findGroupByUpstream, listLeavingGroups } from '../../store/resources/find.ts';
import { toGroupState } from '../../store/resources/state.ts';
import { groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseRestGroup } from '../../upstream/shapes/rest-group.ts';
import type { ReconcileDeps } from '../deps.ts';
import { type Classified, classify, type Outcome, type TooMany } from '../outcome.ts';
import { toFailure } from '../sections.ts';
import { assertAbout, readBack, type StepCall, type StepMakers, toTaken } from '../step-call.ts';
import {
  changeEntity,
  changeLink,
  explainEntity,
  explainLink,
  listEntities,
  WITHOUT_UID,
} from './change-link.ts';
import { lookAtGroup, lookForGroup } from './look.ts';
import { changeMembers, isolate } from './members.ts';
import { observeRestGroup, parseScimGroupOf } from './observe.ts';

type GroupCall = StepCall<GroupState>;

const section = 'groups';

/** The steps of a group: one call each, but for a creation, a batch or a look. */
export const GROUP_STEPS: StepMakers<GroupState> = {
  type: 'group',
  // What is about the group itself removes access where anything of it does.
  removes(state, step) {
    const links = listLinks(listParts(step));
    if (links.length > 0) return links.some(({ wanted }) => !wanted);
    return step.kind === 'entity' ? toValues(step).roles?.length === 0 : removesGroupAccess(state);
  },
  steps: {
    look: { section, make: ({ deps, state }) => lookAtGroup(deps, state) },
    create: { section, make: createGroup, rescue: resolveConflict },
    update: { section, make: updateGroup, rescue: awaitName },
    remove: { section, make: removeGroup },
    members: { section, make: changeMembers, rescue: isolate },
    link: { section, make: changeLink, rescue: explainLink },
    'list-entities': { section, make: listEntities },
    entity: { section, make: changeEntity, rescue: explainEntity },
  },
};

/** Creates the group through REST, because its answer carries both ids. @throws UpstreamError */
async function createGroup({ deps, state, values }: GroupCall): Promise<Outcome> {
  const { displayName = '' } = values;
  const args = { body: { name: displayName, ...toRestFlags(values) } };
  const group = parseRestGroup(await deps.upstream.call(groups.createGroup, args));
  const isNamed = isSameSpelt(displayName, group.name);
  const holder = isNamed
    ? undefined
    : await findGroupByUpstream(deps.store.read, { uid: group.uid });
  assertAbout('REST group', holder?.id ?? state.id, state.id);
  const observed = observeRestGroup(deps, group, groups.createGroup);
  const ids = { restId: group.id, uid: group.uid };
  // Of another name it is not known yet that the service makes it of this one: the next step sends it again.
  const echo = isNamed ? toNameEcho(displayName, observed) : {};
  return { kind: 'done', known: { ids, group: observed, done: ['existence'], ...echo } };
}

/** Finds out about the group of that name: to be renamed, adopted, in the way, gone, or made by a create that was lost. */
async function resolveConflict(call: GroupCall, failed: Classified): Promise<Outcome | undefined> {
  if (failed.verdict !== 'conflict') return undefined;
  const { deps, state, values } = call;
  const leaving = await awaitName(call, failed);
  if (leaving !== undefined) return leaving;
  const { displayName = '' } = values;
  const found = await lookForGroup(deps, { names: [displayName], adopted: true });
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
  const { state, values } = call;
  const fields = call.fields.filter(isSettable);
  const { uid } = state.ids;
  // Only the name can be changed of a group known through SCIM alone.
  if (uid === undefined && fields.length > 1) return { kind: 'too-many', size: 1 };
  if (uid === undefined && values.displayName === undefined) return WITHOUT_UID;
  const observed = await (uid === undefined ? renameThroughScim(call) : sendUpdate(call, uid));
  const { displayName: sent = '' } = values;
  const [before, back] = [state.observed?.displayName, observed.displayName];
  // A field that kept its old value was not changed.
  const isMade = (field: (typeof fields)[number]) =>
    field === 'displayName'
      ? !isNameKept(before, { sent, back }, isSameSpelt)
      : observed[field] === undefined || observed[field] === values[field];
  const echo = values.displayName === undefined ? {} : toNameEcho(sent, observed);
  return toTaken(fields, isMade, { group: observed, done: fields, ...echo });
}

async function renameThroughScim({ deps, state, values }: GroupCall): Promise<ObservedGroup> {
  const { upstream, clock } = deps;
  const path = { group_id: state.ids.scimId ?? '' };
  const Operations = [{ op: 'replace', path: 'displayName', value: values.displayName }];
  const answer = await upstream.call(scim.updateGroup, { path, body: { Operations } });
  const shown = await readBack<unknown>(answer, () => upstream.call(scim.getGroup, { path }));
  const { displayName } = parseScimGroupOf(path.group_id, shown);
  const at = clock.now();
  return { ...state.observed, displayName, shownAt: at, at, by: scim.updateGroup.id };
}

async function sendUpdate({ deps, values }: GroupCall, uid: string): Promise<ObservedGroup> {
  const { displayName: name } = values;
  const body = { ...(name === undefined ? {} : { name }), ...toRestFlags(values) };
  const answer = await deps.upstream.call(groups.updateGroup, { path: { uid }, body });
  const seen = answer === undefined ? undefined : parseRestGroup(answer);
  const hasAll = (['permissions', 'addToCardsAndSpacesEnabled'] as const).every(
    (flag) => values[flag] === undefined || seen?.[flag] !== undefined,
  );
  const shown = await readBack(hasAll ? seen : undefined, async () =>
    parseRestGroup(await deps.upstream.call(groups.getGroup, { path: { uid } })),
  );
  assertAbout('REST group', shown.uid, uid);
  return observeRestGroup(deps, shown, groups.updateGroup);
}

function toNameEcho(sent: string, observed: ObservedGroup) {
  return toEcho(normaliseName(sent), normaliseName(observed.displayName));
}

function toRestFlags({ permissions, addToCardsAndSpacesEnabled }: Values) {
  return { permissions, add_to_cards_and_spaces_enabled: addToCardsAndSpacesEnabled };
}

async function removeGroup({ deps, state }: GroupCall): Promise<Outcome> {
  const { uid } = state.ids;
  if (uid === undefined) return WITHOUT_UID;
  // "Not there" is looked at before it is believed.
  await deps.upstream.call(groups.removeGroup, { path: { uid } });
  const gone: Outcome = { kind: 'done', known: { missing: true } };
  if (!isNotApplied(findFailed(state.cells.existence)?.problem)) return gone;
  // The service said so before, and a list showed the group all the same.
  const seen = await lookAtGroup(deps, state);
  if (seen.kind !== 'done') return seen;
  return toTaken(['existence'], () => seen.known.missing === true, seen.known);
}

/** A name that another group is about to give up is "not yet", and no conflict. */
async function awaitName(
  { deps, values: { displayName } }: GroupCall,
  { verdict }: Classified,
): Promise<Outcome | undefined> {
  if (verdict !== 'conflict' || displayName === undefined) return undefined;
  if (!(await isNameLeaving(deps, displayName))) return undefined;
  const words = 'another group of the service still has this name and is about to give it up';
  return { kind: 'later', problem: { code: 'name-leaving', words } };
}

async function isNameLeaving({ store }: ReconcileDeps, name: string): Promise<boolean> {
  const leaving = await listLeavingGroups(store.read);
  return leaving.some((row) => {
    const { deleted, cells, observed } = toGroupState(row);
    // One whose removal or renaming was refused keeps the name for as long as anybody knows.
    const isKept = isStuck((deleted ? cells.existence : cells.displayName)?.failure);
    return !isKept && isSameSpelt(observed?.displayName ?? '', name);
  });
}
