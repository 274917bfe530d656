import { assertNever } from '../../domain/errors.ts';
import { foldCase } from '../../domain/fold.ts';
import { type GroupState, type ObservedGroup, removesGroupAccess } from '../../domain/group.ts';
import { normaliseName } from '../../domain/name.ts';
import { NOT_APPLIED } from '../../domain/stuck.ts';
import type { CreateGroup, GroupAction, UpdateGroup } from '../../plan/actions.ts';
import { listLeavingGroups, toObservedGroup } from '../../store/groups/groups.ts';
import { groups } from '../../upstream/operations/people.ts';
import { scim } from '../../upstream/operations/scim.ts';
import { parseRestGroup, type RestGroup } from '../../upstream/shapes/rest-group.ts';
import { parseScimGroup } from '../../upstream/shapes/scim-group.ts';
import type { CallContext, ReconcileDeps } from '../deps.ts';
import { type FailedCall, toCreateFailure, toFailure } from '../failure.ts';
import type { Problem } from '../outcome.ts';
import { readBack } from '../read-back.ts';
import { type Classified, classify, isRefusal } from '../verdict.ts';
import { changeAdmin, changeMember, withoutUid } from './change-link.ts';
import { changeMembers } from './change-members.ts';
import { lookAtGroup, lookForGroup } from './look.ts';
import { observeRestGroup } from './observe.ts';
import type { GroupOutcome, GroupPart } from './outcome.ts';

/** Makes one call for a group (a creation, a batch or a look may take more) and returns the new knowledge. */
export async function applyGroupAction(
  deps: ReconcileDeps,
  state: GroupState,
  action: GroupAction,
): Promise<GroupOutcome> {
  const context = toContext(state, action);
  switch (action.kind) {
    case 'look-at-group':
      return lookAtGroup(deps, context, state);
    case 'create-group':
      return createGroup(deps, context, action);
    case 'update-group':
      return updateGroup(deps, context, { state, action });
    case 'delete-group':
      return deleteGroup(deps, context, state);
    case 'change-members':
      return changeMembers(deps, context, { state, action });
    case 'change-member':
      return changeMember(deps, context, { state, change: action.change });
    case 'change-admin':
      return changeAdmin(deps, context, { state, change: action.change });
    default:
      return assertNever(action);
  }
}

/** Puts removals of access before everything else in the budget. */
function toContext(state: GroupState, action: GroupAction): CallContext {
  const callClass = isRemoval(state, action) ? 'remove' : 'change';
  return {
    class: callClass,
    key: `group:${state.id}`,
    ...(hasFailed(state, action) && { attemptsMax: 1 }),
  };
}

/** True when some part of the action failed before by its own fault. */
function hasFailed({ failed }: GroupState, action: GroupAction): boolean {
  switch (action.kind) {
    case 'change-member':
    case 'change-admin':
      return action.change.attempts !== undefined;
    case 'change-members':
      return action.changes.some(({ attempts }) => attempts !== undefined);
    case 'look-at-group':
      return false;
    default:
      return failed !== undefined;
  }
}

function isRemoval(state: GroupState, action: GroupAction): boolean {
  switch (action.kind) {
    case 'delete-group':
      return true;
    case 'change-member':
    case 'change-admin':
      return !action.change.wanted;
    case 'change-members':
      return action.changes.some(({ wanted }) => !wanted);
    default:
      return removesGroupAccess(state);
  }
}

async function createGroup(
  deps: ReconcileDeps,
  context: CallContext,
  action: CreateGroup,
): Promise<GroupOutcome> {
  try {
    return await sendGroup(deps, context, action);
  } catch (error) {
    const classified = classify(error);
    if (classified.verdict === 'conflict')
      return resolveConflict(deps, context, { action, classified });
    return toCreateFailure(deps, classified, ABOUT_EXISTENCE);
  }
}

const ABOUT_EXISTENCE: Omit<FailedCall<GroupPart>, 'missed'> = {
  parts: [{ kind: 'field', field: 'existence' }],
  section: 'groups',
};

/** Creates the group through REST, because its answer carries both ids. @throws UpstreamError */
async function sendGroup(
  deps: ReconcileDeps,
  context: CallContext,
  action: CreateGroup,
): Promise<GroupOutcome> {
  const args = { body: { name: action.displayName, ...toRestFlags(action) } };
  const group = parseRestGroup(await deps.upstream.call(groups.createGroup, args, context));
  const observed = observeRestGroup(deps, group, groups.createGroup.id);
  const ids = { restId: group.id, uid: group.uid };
  return { kind: 'done', known: { ids, observed, doneFields: ['existence'] } };
}

/** Finds out about the group that has the name: about to give it up, to be adopted, in the way, or gone since. */
async function resolveConflict(
  deps: ReconcileDeps,
  context: CallContext,
  { action, classified }: { action: CreateGroup; classified: Classified },
): Promise<GroupOutcome> {
  const { displayName: name } = action;
  if (await isNameLeaving(deps, name)) return { kind: 'later', problem: NAME_LEAVING };
  const found = await lookForGroup(deps, context, { names: [name], adopted: true });
  if (found.kind === 'refused') return toCreateFailure(deps, classified, ABOUT_EXISTENCE);
  if (found.kind !== 'done' || found.known.ids !== undefined) return found;
  try {
    return await sendGroup(deps, context, action);
  } catch (error) {
    return toCreateFailure(deps, classify(error), ABOUT_EXISTENCE);
  }
}

async function updateGroup(
  deps: ReconcileDeps,
  context: CallContext,
  { state, action }: { state: GroupState; action: UpdateGroup },
): Promise<GroupOutcome> {
  const { uid, scimId } = state.ids;
  const { displayName } = action;
  try {
    if (uid === undefined) {
      // Only the name can be changed of a group known through SCIM alone.
      const Operations = [{ op: 'replace', path: 'displayName', value: displayName }];
      const path = { group_id: scimId ?? '' };
      const args = { path, body: { Operations } };
      const answer = await deps.upstream.call(scim.updateGroup, args, context);
      const look = () => deps.upstream.call(scim.getGroup, { path }, context);
      const shown = await readBack<unknown>(answer, look);
      const group = parseScimGroup(shown);
      const at = deps.clock.now();
      const seen = { shownAt: at, at, by: scim.updateGroup.id };
      const observed: ObservedGroup = {
        ...state.observed,
        displayName: group.displayName,
        ...seen,
      };
      return toUpdated(state, action, observed);
    }
    const body = {
      ...(displayName === undefined ? {} : { name: displayName }),
      ...toRestFlags(action),
    };
    const path = { uid };
    const answer = await deps.upstream.call(groups.updateGroup, { path, body }, context);
    const told = answer === undefined ? undefined : parseRestGroup(answer);
    const look = async () =>
      parseRestGroup(await deps.upstream.call(groups.getGroup, { path }, context));
    const shown = await readBack(told && tellsAll(told, action) ? told : undefined, look);
    const observed = observeRestGroup(deps, shown, groups.updateGroup.id);
    return toUpdated(state, action, observed);
  } catch (error) {
    const classified = classify(error);
    const parts = listFields(action).map((field): GroupPart => ({ kind: 'field', field }));
    if (classified.verdict === 'conflict' && (await isNameLeaving(deps, displayName))) {
      return { kind: 'later', problem: NAME_LEAVING };
    }
    if (isRefusal(classified) && parts.length > 1) {
      // One field may be at fault: the first is sent alone, and the others in the next step.
      return updateGroup(deps, context, { state, action: toFirstField(action) });
    }
    return toFailure(deps, classified, { parts, section: 'groups', missed: state.missed });
  }
}

/** True when the answer to a change has every field that was sent. */
function tellsAll(told: RestGroup, action: UpdateGroup): boolean {
  return listFields(action).every((field) => field === 'displayName' || told[field] !== undefined);
}

/** Compares the answer to a change with the change: a field that kept its old value was not changed. */
function toUpdated(state: GroupState, action: UpdateGroup, observed: ObservedGroup): GroupOutcome {
  const fields = listFields(action);
  const ignored = fields.filter((field) =>
    field === 'displayName'
      ? isUnchanged(state, { sent: action.displayName ?? '', observed })
      : observed[field] !== undefined && observed[field] !== action[field],
  );
  if (ignored.length === 0) return { kind: 'done', known: { observed, doneFields: fields } };
  const parts = ignored.map((field): GroupPart => ({ kind: 'field', field }));
  return { kind: 'unknown', problem: NOT_APPLIED, parts };
}

/** True when the service still holds the name that it held before this write was first sent. */
function isUnchanged(
  { failed, observed: before }: GroupState,
  { sent, observed }: { sent: string; observed: ObservedGroup },
): boolean {
  const back = normaliseName(observed.displayName);
  const held = failed?.displayName?.before ?? (before && normaliseName(before.displayName));
  return back !== normaliseName(sent) && back === held;
}

function toFirstField(action: UpdateGroup): UpdateGroup {
  const { kind, reason, displayName, permissions } = action;
  if (displayName !== undefined) return { kind, reason, displayName };
  return permissions === undefined ? action : { kind, reason, permissions };
}

async function deleteGroup(
  deps: ReconcileDeps,
  context: CallContext,
  state: GroupState,
): Promise<GroupOutcome> {
  const { uid } = state.ids;
  if (uid === undefined) return withoutUid();
  try {
    await deps.upstream.call(groups.removeGroup, { path: { uid } }, context);
    return { kind: 'done', known: { missing: true } };
  } catch (error) {
    // "Not there" is looked at before it is believed.
    const about = { ...ABOUT_EXISTENCE, missed: state.missed };
    return toFailure<GroupPart>(deps, classify(error), about);
  }
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
  const wanted = foldCase(normaliseName(name));
  const leaving = await listLeavingGroups(store.read);
  return leaving.some((row) => {
    const held = toObservedGroup(row)?.displayName ?? '';
    return foldCase(normaliseName(held)) === wanted;
  });
}

function toRestFlags({ permissions, addToCardsAndSpacesEnabled }: CreateGroup | UpdateGroup) {
  return {
    ...(permissions === undefined ? {} : { permissions }),
    ...(addToCardsAndSpacesEnabled === undefined
      ? {}
      : { add_to_cards_and_spaces_enabled: addToCardsAndSpacesEnabled }),
  };
}

function listFields(action: UpdateGroup) {
  const fields = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;
  return fields.filter((field) => action[field] !== undefined);
}
