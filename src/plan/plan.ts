import type { Cells, Failure } from '../domain/cell.ts';
import { isWaiting, listUnsure, listWaiting, onlyWaiting } from '../domain/cell.ts';
import type { EntityField } from '../domain/entity.ts';
import {
  findWantedRoles,
  holdsRoles,
  isEntityField,
  parseRoles,
  wasThere,
} from '../domain/entity.ts';
import { ATTEMPTS_WITH_LOOK, findFailed, isStuck, withoutDeferred } from '../domain/failure.ts';
import type { Deactivation, GroupState, ObservedUser, State, UserState } from '../domain/kinds.ts';
import { isLinked, listDiffering, toWantedSuspension } from '../domain/kinds.ts';
import type { LinkChange } from '../domain/link.ts';
import { isOwned, listLosses } from '../domain/write.ts';
import type { Field, OpenFact, Part, Plan, Values } from './step.ts';
import { LOOK, toStep } from './step.ts';

/** Settings and learned quirks that decide how users and groups are changed. */
export interface PlanPolicy {
  readonly deactivation: Deactivation;
  /** False once the service refused a new userName or address, or when the settings forbid trying. */
  readonly addressMayChange: boolean;
  /** Number of members that one call may change; 1 when the service takes them one by one. */
  readonly membersPerCall: number;
  /** Setting groups.deletion. `never` leaves the group in the service and only releases it. */
  readonly deletion: 'created' | 'never';
}

/** The fields with one value: the call that sets each, its urgency, and that of a change that takes something away. */
const FIELDS = {
  name: { call: 'update', rank: 10, loss: 10 },
  appsPermissions: { call: 'access', rank: 20, loss: 2 },
  address: { call: 'address', rank: 30, loss: 30 },
  displayName: { call: 'update', rank: 3, loss: 3 },
  permissions: { call: 'update', rank: 3, loss: 1 },
  addToCardsAndSpacesEnabled: { call: 'update', rank: 3, loss: 1 },
} as const;

type PlainField = keyof typeof FIELDS;

const isPlain = <F extends Field>(field: F): field is F & PlainField => field in FIELDS;

function toFact(part: PlainField, state: UserState | GroupState): OpenFact {
  const desired: Values = state.desired;
  const { call, rank, loss } = FIELDS[part];
  const own = { [part]: desired[part] };
  const values = part === 'address' ? { userName: desired.userName, ...own } : own;
  return { part, call, rank: listLosses(state).includes(part) ? loss : rank, values };
}

/** The next step of a user or group; of one outside the scope of its provider nothing is done or looked for. */
export function plan(state: State, policy: PlanPolicy): Plan {
  if (state.staged === 'scope') return { step: undefined, done: [] };
  return state.type === 'user' ? planUser(state, policy) : planGroup(state, policy);
}

/** The next step of a user: removal of access first, the address last. A field that only differs is drift. */
function planUser(state: UserState, policy: PlanPolicy): Plan {
  const { mustLook, desired, observed, deleted_at, cells } = state;
  if (mustLook) return { step: LOOK, done: [] };
  if (!isLinked(state)) return planAccount(state);
  if (observed === null) return { step: LOOK, done: [] };
  // Ordinary accounts can only be deactivated; a virtual one is deleted.
  if (deleted_at !== null && observed.virtual && isWaiting(cells.active)) {
    return { step: { kind: 'remove', facts: [{ part: 'active' }] }, done: [] };
  }
  const differing = listDiffering(state, policy.deactivation);
  const isOurs = (field: Field) =>
    field === 'address' ? policy.addressMayChange : field !== 'account' && isOwned(field, desired);
  const open = listOpen(cells, differing, isOurs);
  const facts = open.flatMap((field) =>
    isPlain(field) ? toFact(field, state) : toSwitches(field, { ...state, observed }, policy),
  );
  const done = listWaiting(cells).filter((field) => !open.includes(field));
  return { step: toStep(facts, cells), done };
}

/** A user whom the service never saw costs no call until active; one who may have an account that nobody knows is looked for. */
function planAccount({ desired, cells }: UserState): Plan {
  const { userName, address, name, active } = desired;
  if (!isWaiting(cells.account)) return { step: undefined, done: listWaiting(cells) };
  if (!active) return { step: LOOK, done: [] };
  if (address === undefined) return { step: undefined, done: [] };
  const fact = { part: 'account', values: { userName, address, name } } as const;
  return { step: { kind: 'create', facts: [fact] }, done: [] };
}

/** The switches that decide whether a user works. Removal of access goes before everything else. */
function toSwitches(
  part: EntityField | 'account' | 'active' | 'existence' | 'temporarilyInactive',
  { desired, observed, cells }: UserState & { readonly observed: ObservedUser },
  { deactivation }: PlanPolicy,
): OpenFact[] {
  const { active } = desired;
  const temporarilyInactive = toWantedSuspension(desired, deactivation) ?? false;
  const rank = temporarilyInactive ? 1 : 19;
  const suspension: OpenFact = { part, call: 'access', rank, values: { temporarilyInactive } };
  if (part !== 'active') return [suspension];
  const flag: OpenFact = { part, call: 'update', rank: active ? 9 : 0, values: { active } };
  if (deactivation === 'scim') return [flag];
  const isSuspended = observed.temporarilyInactive ?? false;
  const isNeeded = isSuspended !== temporarilyInactive || listUnsure(cells).includes(part);
  // A user who is to go keeps the SCIM flag; one who is to work needs both switches.
  return [...(active && !observed.active ? [flag] : []), ...(isNeeded ? [suspension] : [])];
}

/** Urgency of the lists of a group beside its fields: what takes power away goes first, so that no refused attribute keeps it. */
const RANKS = { admin: 0, leave: 1, member: 2, newAdmin: 4, listEntities: 5, entity: 6 };

/** The next step of a group. One that the bridge created is deleted; another one loses what the bridge put in. */
function planGroup(state: GroupState, { membersPerCall, deletion }: PlanPolicy): Plan {
  const { mustLook, cells, desired, links } = state;
  const deleted = state.deleted_at !== null;
  const waiting = listWaiting(cells);
  if (mustLook) return { step: LOOK, done: [] };
  if (!isLinked(state)) return deleted ? { step: undefined, done: waiting } : planCreation(state);
  if (deleted && state.origin === 'created' && deletion === 'created') {
    if (!isWaiting(cells.existence)) return { step: undefined, done: waiting };
    return { step: { kind: 'remove', facts: [{ part: 'existence' }] }, done: [] };
  }
  const differing = listDiffering(state, 'scim');
  const isOurs = (field: Field) => isPlain(field) && isOwned(field, desired) && !deleted;
  const open = listOpen(cells, differing, isOurs).filter(isPlain);
  const roles = waiting.filter(isEntityField).flatMap((field) => toEntityFacts(state, field));
  const facts = [
    ...links.map(toLinkFact),
    ...open.map((part) => toFact(part, state)),
    ...roles.filter(({ values }) => !deleted || values?.roles?.length === 0),
  ];
  const named: readonly Part[] = [...open, ...roles.map(({ part }) => part)];
  const done = waiting.filter((field) => !named.includes(field));
  return { step: toStep(facts, cells, membersPerCall), done };
}

function planCreation({ cells, desired: values }: GroupState): Plan {
  // A name tells no two groups apart: none is made while a create without an answer may still make one.
  const isDue = isWaiting(cells.existence) && cells.existence?.sent === undefined;
  const facts = [{ part: 'existence', values }] as const;
  return { step: isDue ? { kind: 'create', facts } : undefined, done: [] };
}

function toLinkFact(part: LinkChange): OpenFact {
  if (part.list === 'member') return { part, call: 'members', rank: RANKS.member };
  return { part, call: 'link', rank: part.wanted ? RANKS.newAdmin : RANKS.admin };
}

/** Lists what an entity needs: nothing, its roles, or a list of what was there before the rules, which removals do without. */
function toEntityFacts({ cells, entities }: GroupState, part: EntityField): OpenFact[] {
  const wanted = findWantedRoles(cells[part]);
  if (wanted === undefined) return [];
  const seen = entities?.[part];
  // The last list does not show it, and it may have been there since before the rules.
  const isUnseen = entities === null || (wasThere(cells[part]) && !seen);
  const isHeld = !isUnseen && holdsRoles(cells[part], seen);
  if (isHeld && !listUnsure(cells).includes(part)) return [];
  const roles = parseRoles(wanted);
  if (roles.length > 0 && isUnseen) {
    return [{ part, call: 'list-entities', rank: RANKS.listEntities }];
  }
  const rank = roles.length === 0 ? RANKS.leave : RANKS.entity;
  return [{ part, call: 'entity', rank, values: { roles, isListed: seen !== undefined } }];
}

/** Lists fields of ours that wait and that the service may not hold; without an observation all of them. */
function listOpen(
  cells: Cells<Field>,
  differing: readonly Field[] | undefined,
  isOurs: (field: Field) => boolean,
) {
  const unsure = listUnsure(cells);
  const isOpen = (field: Field) =>
    differing === undefined || differing.includes(field) || unsure.includes(field);
  return listWaiting(cells).filter((field) => isOurs(field) && isOpen(field));
}

/** State from which the next step is planned: a stuck change is hidden until its next attempt. */
export const toPlannable = (state: State, now: number): State =>
  state.type === 'user'
    ? deactivateOverdue({ ...state, ...hideDeferred(state, 'account', now) })
    : removeOverdue({ ...state, ...hideDeferred(state, 'existence', now) });

/** Where looks have failed too often, the deactivation alone. */
function deactivateOverdue(state: UserState): UserState {
  const { mustLook, observed, desired, cells } = state;
  const isKnownActive = observed?.active === true && observed.temporarilyInactive !== true;
  const isRemoval = isLinked(state) && isKnownActive && !desired.active;
  if (!mustLook || !isRemoval || !isOverdue(findFailed(cells.active))) return state;
  return { ...state, mustLook: false, cells: onlyWaiting(cells, ['active']) };
}

/** Where looks have failed too often, those alone who are to leave the group, or the group that is to go. */
function removeOverdue(state: GroupState): GroupState {
  const { mustLook, upstream_uid, upstream_scim_id, deleted_at, origin, cells } = state;
  if (!mustLook) return state;
  if (deleted_at !== null && origin === 'created') {
    const isRemoval = upstream_uid !== null && isOverdue(findFailed(cells.existence));
    return { ...state, mustLook: !isRemoval };
  }
  const isReachable = ({ list }: LinkChange) =>
    upstream_uid !== null || (upstream_scim_id !== null && list === 'member');
  const links = state.links.filter(
    (link) => !link.wanted && isOverdue(findFailed(link)) && isReachable(link),
  );
  if (links.length === 0) return state;
  return { ...state, mustLook: false, cells: onlyWaiting(cells, []), links };
}

/** True when the looks before a removal of access have failed too often to wait for one. */
const isOverdue = (failed: Failure | undefined) => (failed?.attempts ?? 0) >= ATTEMPTS_WITH_LOOK;

/** Hides the fields that may not be tried yet; where the existence is deferred, all of them. */
function hideDeferred({ cells: all, mustLook }: State, existence: Field, now: number) {
  const cells = withoutDeferred(all, now);
  if (!isWaiting(all[existence]) || isWaiting(cells[existence])) return { cells, mustLook };
  return { cells: onlyWaiting(all, []), mustLook: mustLook && !isStuck(all[existence]?.failure) };
}
