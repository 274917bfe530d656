import { isWaiting, listUnsure, listWaiting, onlyWaiting } from '../domain/cell.ts';
import {
  type EntityField,
  findWantedRoles,
  holdsRoles,
  listEntityFields,
  parseRoles,
  wasThere,
} from '../domain/entity.ts';
import { ATTEMPTS_WITH_LOOK, findFailed, hideDeferred } from '../domain/failure.ts';
import {
  type GroupField,
  type GroupState,
  isInService,
  type LinkChange,
  listGroupDifferences,
} from '../domain/group.ts';
import type { GroupAction, GroupActionOf } from './actions.ts';

/** Settings and learned quirks that decide how groups are changed. */
export interface GroupPolicy {
  /** Number of members that one call may change; 1 when the service takes them one by one. */
  readonly membersPerCall: number;
  /** Setting groups.deletion. `never` leaves the group in the service and only releases it. */
  readonly deletion: 'created' | 'never';
}

/** Actions for a group, and the fields that need no call because they already hold. */
interface GroupPlan {
  readonly actions: readonly GroupAction[];
  readonly done: readonly GroupField[];
}

/**
 * The calls that bring a group from observed to desired, in order: admins who are none any more, entities to leave,
 * members (removals first), attributes, new admins, roles in entities; a refused attribute must not keep anybody in power. Only what
 * is pending is acted on. Deferred members are not in the state, so they are in no plan. What failed before comes
 * last and apart, so that it takes nothing along and nothing waits for it.
 */
export function planGroup(state: GroupState, policy: GroupPolicy): GroupPlan {
  if (state.mustLook) return { actions: [{ kind: 'look-at-group' }], done: [] };
  if (state.deleted) return planDeletion(state, policy);
  if (!isInService(state.ids)) return planCreation(state);
  const { updates, entities, done } = planFields(state);
  const { fresh, tried } = splitLinks(state.links);
  const admins = planAdmins(fresh);
  const actions: GroupAction[] = [
    ...admins.filter(({ change }) => !change.wanted),
    ...entities.removals,
    ...planMembers(fresh, policy),
    ...updates.fresh,
    ...admins.filter(({ change }) => change.wanted),
    ...entities.others,
    ...updates.tried,
    ...planMembers(tried, policy),
    ...planAdmins(tried),
    ...entities.tried,
  ];
  return { actions, done };
}

/** State from which the next step is planned: a stuck change is hidden until its next attempt. */
export function toPlannableGroup(state: GroupState, now: number): GroupState {
  const { isDeferred, ...left } = hideDeferred(state, { existence: 'existence', now });
  const plannable = { ...state, ...left };
  return (state.mustLook && !isDeferred ? toRemoval(plannable) : undefined) ?? plannable;
}

/** The state with those alone who are to leave, or the group that is, and for whom looks have failed too often to wait. */
function toRemoval(state: GroupState): GroupState | undefined {
  const { uid, scimId } = state.ids;
  if (state.deleted && state.created) {
    const isOverdue = (findFailed(state.cells.existence)?.attempts ?? 0) >= ATTEMPTS_WITH_LOOK;
    return isOverdue && uid !== undefined ? { ...state, mustLook: false } : undefined;
  }
  const isOverdue = ({ wanted, attempts = 0 }: LinkChange) =>
    !wanted && attempts >= ATTEMPTS_WITH_LOOK;
  const links = state.links.filter(isOverdue);
  const hasAdmins = links.some(({ list }) => list === 'admin');
  const isKnown = uid !== undefined || (scimId !== undefined && !hasAdmins);
  if (!isKnown || links.length === 0) return undefined;
  return { ...state, mustLook: false, cells: onlyWaiting(state.cells, []), links };
}

/** Parts those who are tried for the first time from those who failed or were refused. */
function splitLinks(links: readonly LinkChange[]) {
  const isFresh = ({ attempts, stuck }: LinkChange) => attempts === undefined && stuck !== true;
  return { fresh: links.filter(isFresh), tried: links.filter((link) => !isFresh(link)) };
}

/** Removes a group that the bridge created; from another one only what the bridge put in. */
function planDeletion(state: GroupState, policy: GroupPolicy): GroupPlan {
  const done = listWaiting(state.cells);
  if (!isInService(state.ids)) return { actions: [], done };
  if (state.created && policy.deletion === 'created') {
    if (!isWaiting(state.cells.existence)) return { actions: [], done };
    return { actions: [{ kind: 'delete-group' }], done: [] };
  }
  const { fresh, tried } = splitLinks(state.links);
  const entities = planEntities(state);
  const actions: GroupAction[] = [
    ...planMembers(fresh, policy),
    ...planAdmins(fresh),
    ...entities.removals,
    ...planMembers(tried, policy),
    ...planAdmins(tried),
    ...entities.tried,
  ];
  const open = new Set<GroupField>(entities.open);
  return { actions, done: done.filter((field) => !open.has(field)) };
}

function planCreation({ cells, desired }: GroupState): GroupPlan {
  if (!isWaiting(cells.existence)) return { actions: [], done: [] };
  const { displayName, permissions, addToCardsAndSpacesEnabled } = desired;
  const action: GroupAction = {
    kind: 'create-group',
    displayName,
    ...(permissions === undefined ? {} : { permissions }),
    ...(addToCardsAndSpacesEnabled === undefined ? {} : { addToCardsAndSpacesEnabled }),
  };
  return { actions: [action], done: [] };
}

/** Calls for the fields of a group that the service knows, and the fields that need none. */
interface FieldPlan {
  readonly updates: {
    readonly fresh: GroupActionOf<'update-group'>[];
    readonly tried: GroupActionOf<'update-group'>[];
  };
  readonly entities: EntityPlan;
  readonly done: GroupField[];
}

const NO_FIELDS: FieldPlan = {
  updates: { fresh: [], tried: [] },
  entities: { open: [], removals: [], others: [], tried: [] },
  done: [],
};

function planFields(state: GroupState): FieldPlan {
  const waiting = listWaiting(state.cells);
  if (waiting.length === 0) return NO_FIELDS;
  const fields = listOpenFields(state, waiting);
  const entities = planEntities(state);
  const open = new Set<GroupField>([...fields, ...entities.open]);
  const done = waiting.filter((field) => !open.has(field));
  return { updates: planUpdates(state, fields), entities, done };
}

/** The service knows the group, so its existence waits no longer. */
function listOpenFields(state: GroupState, waiting: readonly GroupField[]): GroupField[] {
  const { cells, desired, observed } = state;
  // Without an observation all that is wanted is taken to differ: a call too many, never one too few.
  const wanted: GroupField[] = SETTABLE.filter((field) => desired[field] !== undefined);
  const differing = new Set(observed ? listGroupDifferences(desired, observed, cells) : wanted);
  for (const field of listUnsure(cells)) if (wanted.includes(field)) differing.add(field);
  return waiting.filter((field) => field !== 'existence' && differing.has(field));
}

/** Fields that may be set; one that never was is not ours. */
const SETTABLE = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;

/** One call for all that is tried for the first time; of fields that failed together it may be about one, so each alone. */
function planUpdates(state: GroupState, open: readonly GroupField[]): FieldPlan['updates'] {
  const toRetryAt = (field: GroupField) => findFailed(state.cells[field])?.retryAt;
  const fresh = open.filter((field) => toRetryAt(field) === undefined);
  const tried = open
    .filter((field) => toRetryAt(field) !== undefined)
    .toSorted((a, b) => (toRetryAt(a) ?? 0) - (toRetryAt(b) ?? 0));
  return {
    fresh: fresh.length === 0 ? [] : [toUpdate(state, fresh)],
    tried: tried.map((field) => toUpdate(state, [field])),
  };
}

function toUpdate(
  { desired }: GroupState,
  fields: readonly GroupField[],
): GroupActionOf<'update-group'> {
  const open = new Set(fields);
  const { displayName, permissions, addToCardsAndSpacesEnabled } = desired;
  return {
    kind: 'update-group',
    ...(open.has('displayName') ? { displayName } : {}),
    ...(open.has('permissions') && permissions !== undefined ? { permissions } : {}),
    ...(open.has('addToCardsAndSpacesEnabled') && addToCardsAndSpacesEnabled !== undefined
      ? { addToCardsAndSpacesEnabled }
      : {}),
  };
}

/** Whichever form needs fewer calls: one change by itself, several together where the service takes that. */
function planMembers(links: readonly LinkChange[], { membersPerCall }: GroupPolicy): GroupAction[] {
  const members = links.filter(({ list }) => list === 'member');
  if (members.length === 1 || membersPerCall === 1) {
    return members.map((change) => ({ kind: 'change-link', change }));
  }
  const actions: GroupAction[] = [];
  for (let start = 0; start < members.length; start += membersPerCall) {
    const changes = members.slice(start, start + membersPerCall);
    actions.push({ kind: 'change-members', changes });
  }
  return actions;
}

function planAdmins(links: readonly LinkChange[]): GroupActionOf<'change-link'>[] {
  return links
    .filter(({ list }) => list === 'admin')
    .map((change) => ({ kind: 'change-link', change }));
}

/** Actions on the entities of a group, in the order of urgency. */
interface EntityPlan {
  /** The entities that wait and in which the service does not hold the wanted roles for sure. */
  readonly open: readonly EntityField[];
  readonly removals: readonly GroupActionOf<'change-entity'>[];
  readonly others: readonly (GroupActionOf<'look-at-entities'> | GroupActionOf<'change-entity'>)[];
  /** Changes that failed before. */
  readonly tried: readonly (GroupActionOf<'look-at-entities'> | GroupActionOf<'change-entity'>)[];
}

/**
 * Plans a call for each entity. Before roles are given the entities are listed, so that what was there before the rules
 * is known; a removal needs no look, because repeating it does no harm.
 */
function planEntities(state: GroupState): EntityPlan {
  const open = listOpen(state);
  const isTried = (field: EntityField) => findFailed(state.cells[field]) !== undefined;
  const isRemoval = (field: EntityField) => findWantedRoles(state.cells[field]) === '';
  const fresh = open.filter((field) => !isTried(field));
  return {
    open,
    removals: fresh.filter(isRemoval).map((field) => toChange(state, field)),
    others: planChanges(
      state,
      fresh.filter((field) => !isRemoval(field)),
    ),
    tried: planChanges(state, open.filter(isTried)),
  };
}

function listOpen(state: GroupState): EntityField[] {
  const { cells, entities } = state;
  const unsure = new Set<string>(listUnsure(cells));
  return listEntityFields(cells).filter((field) => {
    const cell = cells[field];
    if (!isWaiting(cell) || findWantedRoles(cell) === undefined) return false;
    if (entities === undefined || unsure.has(field)) return true;
    return mayBeThere(state, field) || !holdsRoles(cell, entities.roles[field]);
  });
}

/** True for an entity that the last list does not show and that may have been there since before the rules. */
function mayBeThere({ cells, entities }: GroupState, field: EntityField): boolean {
  return wasThere(cells[field]) && !entities?.roles[field];
}

function planChanges(
  state: GroupState,
  fields: readonly EntityField[],
): (GroupActionOf<'look-at-entities'> | GroupActionOf<'change-entity'>)[] {
  const unseen = fields.filter((field) => {
    if (findWantedRoles(state.cells[field]) === '') return false;
    return state.entities === undefined || mayBeThere(state, field);
  });
  const changes = fields.filter((field) => !unseen.includes(field));
  return [
    ...(unseen.length === 0 ? [] : [{ kind: 'look-at-entities', fields: unseen } as const]),
    ...changes.map((field) => toChange(state, field)),
  ];
}

function toChange(
  { cells, entities }: GroupState,
  field: EntityField,
): GroupActionOf<'change-entity'> {
  const roles = parseRoles(findWantedRoles(cells[field]));
  return {
    kind: 'change-entity',
    field,
    roles,
    isListed: entities?.roles[field] !== undefined,
  };
}
