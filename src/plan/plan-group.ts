import { isWaiting, listUnsure, listWaiting, onlyWaiting } from '../domain/cell.ts';
import {
  type EntityField,
  findWantedRoles,
  holdsRoles,
  isEntityField,
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
import { LOOK, type OpenFact, type Plan, toNoStep, toStep } from './step.ts';

/** Settings and learned quirks that decide how groups are changed. */
export interface GroupPolicy {
  /** Number of members that one call may change; 1 when the service takes them one by one. */
  readonly membersPerCall: number;
  /** Setting groups.deletion. `never` leaves the group in the service and only releases it. */
  readonly deletion: 'created' | 'never';
}

/**
 * Urgency of the parts of a group: admins who are none any more, entities to leave, members (removals first), attributes,
 * new admins, roles in entities. A refused attribute must not keep anybody in power.
 */
const RANKS = { admin: 0, leave: 1, member: 2, field: 3, newAdmin: 4, listEntities: 5, entity: 6 };

/**
 * The next step that brings a group from observed to desired. Only what is pending is acted on. Deferred members are not
 * in the state, so they are in no plan.
 */
export function planGroup(state: GroupState, policy: GroupPolicy): Plan {
  if (state.mustLook) return { step: LOOK, done: [] };
  if (state.deleted) return planDeletion(state, policy);
  if (!isInService(state.ids)) return planCreation(state);
  const { cells, links } = state;
  const waiting = listWaiting(cells);
  const entities = listOpenEntities(state, waiting);
  const fields = listOpenFields(state, waiting);
  const facts = [
    ...links.map(toLinkFact),
    ...fields.map((part) => toFieldFact(state, part)),
    ...entities.map((field) => toEntityFact(state, field)),
  ];
  const open = new Set<GroupField>([...fields, ...entities]);
  const done = waiting.filter((field) => !open.has(field));
  return { step: toStep(facts, cells, policy.membersPerCall), done };
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

/** Removes a group that the bridge created; from another one only what the bridge put in. */
function planDeletion(state: GroupState, { deletion, membersPerCall }: GroupPolicy): Plan {
  const { cells, links, created } = state;
  const waiting = listWaiting(cells);
  if (!isInService(state.ids)) return toNoStep(waiting);
  if (created && deletion === 'created') {
    if (!isWaiting(cells.existence)) return toNoStep(waiting);
    return { step: { kind: 'remove', facts: [{ part: 'existence' }] }, done: [] };
  }
  const entities = listOpenEntities(state, waiting);
  const leaving = entities.filter((field) => findWantedRoles(cells[field]) === '');
  const facts = [...links.map(toLinkFact), ...leaving.map((field) => toEntityFact(state, field))];
  const open = new Set<GroupField>(entities);
  const done = waiting.filter((field) => !open.has(field));
  return { step: toStep(facts, cells, membersPerCall), done };
}

function planCreation({ cells, desired: values }: GroupState): Plan {
  // A name tells no two groups apart: none is made while a create without an answer may still make one.
  if (!isWaiting(cells.existence) || cells.existence?.sent !== undefined) return toNoStep();
  return { step: { kind: 'create', facts: [{ part: 'existence', values }] }, done: [] };
}

function toLinkFact(part: LinkChange): OpenFact {
  if (part.list === 'member') return { part, call: 'members', rank: RANKS.member };
  return { part, call: 'link', rank: part.wanted ? RANKS.newAdmin : RANKS.admin };
}

/** Fields that may be set; one that never was is not ours. */
const SETTABLE = ['displayName', 'permissions', 'addToCardsAndSpacesEnabled'] as const;
type Settable = (typeof SETTABLE)[number];

/** The attributes that wait and that the service does not hold for sure. */
function listOpenFields(state: GroupState, waiting: readonly GroupField[]): Settable[] {
  const { cells, desired, observed } = state;
  // Without an observation all that is wanted is taken to differ: a call too many, never one too few.
  const differing: readonly GroupField[] = observed
    ? [...listGroupDifferences(desired, observed, cells), ...listUnsure(cells)]
    : SETTABLE;
  const isOpen = (field: Settable) =>
    desired[field] !== undefined && waiting.includes(field) && differing.includes(field);
  return SETTABLE.filter(isOpen);
}

function toFieldFact({ desired }: GroupState, part: Settable): OpenFact {
  return { part, call: 'update', rank: RANKS.field, values: { [part]: desired[part] } };
}

/** The entities that wait and in which the service does not hold the wanted roles for sure. */
function listOpenEntities(state: GroupState, waiting: readonly GroupField[]): EntityField[] {
  const { cells, entities } = state;
  const unsure = listUnsure(cells);
  return waiting.filter(isEntityField).filter((field) => {
    const cell = cells[field];
    if (findWantedRoles(cell) === undefined) return false;
    if (entities === undefined || unsure.includes(field)) return true;
    return mayBeThere(state, field) || !holdsRoles(cell, entities.roles[field]);
  });
}

/** True for an entity that the last list does not show and that may have been there since before the rules. */
function mayBeThere({ cells, entities }: GroupState, field: EntityField): boolean {
  return wasThere(cells[field]) && !entities?.roles[field];
}

/**
 * Before roles are given the entities are listed, so that what was there before the rules is known; a removal needs no
 * look, because repeating it does no harm.
 */
function toEntityFact(state: GroupState, part: EntityField): OpenFact {
  const { cells, entities } = state;
  const roles = parseRoles(findWantedRoles(cells[part]));
  const isUnseen = entities === undefined || mayBeThere(state, part);
  if (roles.length > 0 && isUnseen) {
    return { part, call: 'list-entities', rank: RANKS.listEntities };
  }
  const rank = roles.length === 0 ? RANKS.leave : RANKS.entity;
  const isListed = entities?.roles[part] !== undefined;
  return { part, call: 'entity', rank, values: { roles, isListed } };
}
