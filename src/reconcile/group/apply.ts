import { toEcho } from '../../domain/cell.ts';
import { assertNever } from '../../domain/errors.ts';
import { countAttempts, findFailed, isNameKept, isStuck } from '../../domain/failure.ts';
import {
  type GroupState,
  type LinkChange,
  type ObservedGroup,
  removesGroupAccess,
} from '../../domain/group.ts';
import { isSameSpelt, normaliseName } from '../../domain/name.ts';
import { isNotApplied, NOT_APPLIED } from '../../domain/refusal.ts';
import type { GroupAction, GroupActionOf } from '../../plan/actions.ts';
import { toGroupChanges } from '../../plan/to-changes.ts';
import { listLeavingGroups } from '../../store/resources/by-name.ts';
import { toGroupState } from '../../store/resources/state.ts';
import { groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseRestGroup, type RestGroup } from '../../upstream/shapes/rest-group.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { toCreateFailure, toFailure } from '../failure.ts';
import type { Outcome, Problem } from '../outcome.ts';
import { assertAbout, readBack } from '../read-back.ts';
import { type Classified, classify, isRefusal } from '../verdict.ts';
import { changeEntity, lookAtEntities } from './change-entity.ts';
import { changeLink, withoutUid } from './change-link.ts';
import { changeMembers } from './change-members.ts';
import { parseScimGroupOf } from './fetch-lists.ts';
import { lookAtGroup, lookForGroup } from './look.ts';
import { observeRestGroup } from './observe.ts';

/** Makes one call for a group (a creation, a batch or a look may take more) and returns the new knowledge. */
export async function applyGroupAction(
  deps: ReconcileDeps,
  state: GroupState,
  action: GroupAction,
): Promise<Outcome> {
  const context = toContext(state, action);
  switch (action.kind) {
    case 'look-at-group':
      return lookAtGroup(deps, context, state);
    case 'create-group':
      return createGroup(deps, context, { state, action });
    case 'update-group':
      return updateGroup(deps, context, { state, action });
    case 'delete-group':
      return deleteGroup(deps, context, state);
    case 'change-members':
      return changeMembers(deps, context, { state, action });
    case 'change-link':
      return changeLink(deps, context, { state, change: action.change });
    case 'look-at-entities':
      return lookAtEntities(deps, context, { state, action });
    case 'change-entity':
      return changeEntity(deps, context, { state, action });
    default:
      return assertNever(action);
  }
}

/** Puts removals of access before everything else in the budget; what failed before by its own fault is tried once. */
function toContext(state: GroupState, action: GroupAction): CallContext {
  // Undefined: it is about the group itself.
  const links: readonly LinkChange[] | undefined =
    'change' in action ? [action.change] : 'changes' in action ? action.changes : undefined;
  const removes =
    action.kind === 'change-entity'
      ? action.roles.length === 0
      : (links?.some(({ wanted }) => !wanted) ?? removesGroupAccess(state));
  const hasFailed =
    links?.some(({ attempts }) => attempts !== undefined) ?? countAttempts(state.cells) > 0;
  return {
    class: removes ? 'remove' : 'change',
    key: `group:${state.id}`,
    changes: toGroupChanges(action, state.ids.uid ?? state.ids.scimId),
    ...(hasFailed && action.kind !== 'look-at-group' && { attemptsMax: 1 }),
  };
}

async function createGroup(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: GroupState; action: GroupActionOf<'create-group'> },
): Promise<Outcome> {
  try {
    return await sendGroup(deps, context, action);
  } catch (error) {
    const classified = classify(error);
    if (classified.verdict === 'conflict')
      return resolveConflict(deps, context, { state, action, classified });
    return toCreateFailure(deps, classified, ABOUT_EXISTENCE);
  }
}

const ABOUT_EXISTENCE = { parts: ['existence'], section: 'groups' } as const;

/** Creates the group through REST, because its answer carries both ids. @throws UpstreamError */
async function sendGroup(
  deps: ReconcileDeps,
  context: CallContext,
  action: GroupActionOf<'create-group'>,
): Promise<Outcome> {
  const args = { body: { name: action.displayName, ...toRestFlags(action) } };
  const group = parseRestGroup(await deps.upstream.call(groups.createGroup, args, context));
  const observed = observeRestGroup(deps, group, groups.createGroup.id);
  const ids = { restId: group.id, uid: group.uid };
  // Of another name it is not known yet that the service makes it of this one: the next step sends it again.
  const isHeard = isSameSpelt(action.displayName, group.name);
  const echo = isHeard ? toNameEcho(action.displayName, observed) : {};
  return { kind: 'done', known: { ids, group: observed, doneFields: ['existence'], ...echo } };
}

/**
 * Finds out about the group that has the name: about to give it up, to be adopted, in the way, or gone since. Where an
 * earlier create may have made it, lists that do not show it yet are no reason to refuse.
 */
async function resolveConflict(
  deps: ReconcileDeps,
  context: CallContext,
  {
    state,
    action,
    classified,
  }: { state: GroupState; action: GroupActionOf<'create-group'>; classified: Classified },
): Promise<Outcome> {
  const { displayName: name } = action;
  if (await isNameLeaving(deps, name)) return { kind: 'later', problem: NAME_LEAVING };
  const found = await lookForGroup(deps, context, { names: [name], adopted: true });
  if (found.kind === 'refused') return toCreateFailure(deps, classified, ABOUT_EXISTENCE);
  if (found.kind !== 'done' || found.known.ids !== undefined) return found;
  try {
    return await sendGroup(deps, context, action);
  } catch (error) {
    const again = classify(error);
    const isOurs = again.verdict === 'conflict' && state.sentCreates.length > 0;
    if (isOurs) return { kind: 'unknown', problem: again.problem, parts: ABOUT_EXISTENCE.parts };
    return toCreateFailure(deps, again, ABOUT_EXISTENCE);
  }
}

async function updateGroup(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: GroupState; action: GroupActionOf<'update-group'> },
): Promise<Outcome> {
  const { displayName } = action;
  const fields = listFields(action);
  const isOfScim = state.ids.uid === undefined;
  // Only the name can be changed of a group known through SCIM alone.
  if (isOfScim && displayName === undefined) return withoutUid();
  if (isOfScim && fields.length > 1) return applyGroupAction(deps, state, toFirstField(action));
  try {
    const send = isOfScim ? renameThroughScim : sendUpdate;
    return toUpdated(state, action, await send(deps, context, { state, action }));
  } catch (error) {
    const classified = classify(error);
    if (classified.verdict === 'conflict' && (await isNameLeaving(deps, displayName))) {
      return { kind: 'later', problem: NAME_LEAVING };
    }
    if (isRefusal(classified) && fields.length > 1) {
      // One field may be at fault: the first is sent alone, and the others in the next step.
      return applyGroupAction(deps, state, toFirstField(action));
    }
    return toFailure(deps, classified, { parts: fields, section: 'groups', missed: state.missed });
  }
}

/** @throws UpstreamError */
async function renameThroughScim(
  { upstream, clock }: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: GroupState; action: GroupActionOf<'update-group'> },
): Promise<ObservedGroup> {
  const Operations = [{ op: 'replace', path: 'displayName', value: action.displayName }];
  const path = { group_id: state.ids.scimId ?? '' };
  const answer = await upstream.call(scim.updateGroup, { path, body: { Operations } }, context);
  const look = () => upstream.call(scim.getGroup, { path }, context);
  const { displayName } = parseScimGroupOf(path.group_id, await readBack<unknown>(answer, look));
  const at = clock.now();
  return { ...state.observed, displayName, shownAt: at, at, by: scim.updateGroup.id };
}

/** @throws UpstreamError */
async function sendUpdate(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: GroupState; action: GroupActionOf<'update-group'> },
): Promise<ObservedGroup> {
  const { displayName } = action;
  const name = displayName === undefined ? {} : { name: displayName };
  const body = { ...name, ...toRestFlags(action) };
  const path = { uid: state.ids.uid ?? '' };
  const answer = await deps.upstream.call(groups.updateGroup, { path, body }, context);
  const seen = answer === undefined ? undefined : parseRestGroup(answer);
  const look = async () =>
    parseRestGroup(await deps.upstream.call(groups.getGroup, { path }, context));
  const shown = await readBack(seen && hasAll(seen, action) ? seen : undefined, look);
  assertAbout('REST group', shown.uid, path.uid);
  return observeRestGroup(deps, shown, groups.updateGroup.id);
}

/** True when the answer to a change has every field that was sent. */
function hasAll(seen: RestGroup, action: GroupActionOf<'update-group'>): boolean {
  return listFields(action).every((field) => field === 'displayName' || seen[field] !== undefined);
}

/** Compares the answer to a change with the change: a field that kept its old value was not changed. */
function toUpdated(
  state: GroupState,
  action: GroupActionOf<'update-group'>,
  observed: ObservedGroup,
): Outcome {
  const fields = listFields(action);
  const { displayName: sent = '' } = action;
  const [back, before] = [observed.displayName, state.observed?.displayName];
  const ignored = fields.filter((field) =>
    field === 'displayName'
      ? isNameKept(state.cells.displayName, { sent, back, before, isSame: isSameSpelt })
      : observed[field] !== undefined && observed[field] !== action[field],
  );
  if (ignored.length === 0) {
    const echo = action.displayName === undefined ? {} : toNameEcho(action.displayName, observed);
    return { kind: 'done', known: { group: observed, doneFields: fields, ...echo } };
  }
  return { kind: 'unknown', problem: NOT_APPLIED, parts: ignored };
}

/** Name as it came back beside the one that was sent, when the service wrote it differently. */
function toNameEcho(sent: string, observed: ObservedGroup) {
  return toEcho(normaliseName(sent), normaliseName(observed.displayName));
}

function toFirstField(action: GroupActionOf<'update-group'>): GroupActionOf<'update-group'> {
  const { kind, displayName, permissions } = action;
  if (displayName !== undefined) return { kind, displayName };
  return permissions === undefined ? action : { kind, permissions };
}

async function deleteGroup(
  deps: ReconcileDeps,
  context: CallContext,
  state: GroupState,
): Promise<Outcome> {
  const { uid } = state.ids;
  if (uid === undefined) return withoutUid();
  try {
    await deps.upstream.call(groups.removeGroup, { path: { uid } }, context);
  } catch (error) {
    // "Not there" is looked at before it is believed.
    const about = { ...ABOUT_EXISTENCE, missed: state.missed };
    return toFailure(deps, classify(error), about);
  }
  const gone: Outcome = { kind: 'done', known: { missing: true } };
  if (!isNotApplied(findFailed(state.cells.existence)?.problem)) return gone;
  // The service said so before, and a list showed the group all the same.
  const seen = await lookAtGroup(deps, context, state);
  if (seen.kind !== 'done' || seen.known.missing) return seen;
  return { kind: 'unknown', problem: NOT_APPLIED, parts: ABOUT_EXISTENCE.parts };
}

const NAME_LEAVING: Problem = {
  code: 'name-leaving',
  words: 'another group of the service still has this name and is about to give it up',
};

/**
 * Tells whether the name is taken by a group that is about to give it up: then the change is "not yet", and no
 * conflict.
 */
async function isNameLeaving({ store }: ReconcileDeps, name: string | undefined): Promise<boolean> {
  if (name === undefined) return false;
  const leaving = await listLeavingGroups(store.read);
  return leaving.some((row) => {
    const { deleted, cells, observed } = toGroupState(row);
    // One whose removal or renaming was refused keeps the name for as long as anybody knows.
    const isKept = isStuck((deleted ? cells.existence : cells.displayName)?.failure);
    return !isKept && isSameSpelt(observed?.displayName ?? '', name);
  });
}

function toRestFlags({
  permissions,
  addToCardsAndSpacesEnabled,
}: GroupActionOf<'create-group'> | GroupActionOf<'update-group'>) {
  return {
    ...(permissions === undefined ? {} : { permissions }),
    ...(addToCardsAndSpacesEnabled === undefined
      ? {}
      : { add_to_cards_and_spaces_enabled: addToCardsAndSpacesEnabled }),
  };
}

function listFields(action: GroupActionOf<'update-group'>) {
  const fields = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;
  return fields.filter((field) => action[field] !== undefined);
}
