import type { Cells } from '../domain/cell.ts';
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
import type {
  Deactivation,
  GroupField,
  GroupState,
  LinkChange,
  ObservedUser,
  UserField,
  UserState,
} from '../domain/kinds.ts';
import {
  isInService,
  isWorking,
  listGroupDifferences,
  listUserDifferences,
  toWantedSuspension,
} from '../domain/kinds.ts';
import { listLosses } from '../domain/protection.ts';
import { isOwned } from '../domain/write.ts';
import type { Field, OpenFact, Plan } from './step.ts';
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

type UserPolicy = Pick<PlanPolicy, 'deactivation' | 'addressMayChange'>;
type GroupPolicy = Pick<PlanPolicy, 'membersPerCall' | 'deletion'>;

/** The next step of a user: removal of access first, the address last. A field that only differs is drift. */
export function planUser(state: UserState, policy: UserPolicy): Plan {
  const { mustLook, upstreamId, desired, observed, deleted, cells } = state;
  if (mustLook) return { step: LOOK, done: [] };
  if (upstreamId === undefined) return planAccount(state);
  if (observed === undefined) return { step: LOOK, done: [] };
  // Ordinary accounts can only be deactivated; a virtual one is deleted.
  if (deleted && observed.virtual && isWaiting(cells.active)) {
    return { step: { kind: 'remove', facts: [{ part: 'active' }] }, done: [] };
  }
  const differing = listUserDifferences(desired, observed, cells, policy.deactivation);
  const isOurs = (field: UserField) => field !== 'account' && isOwned(field, desired);
  const open = listOpen(cells, differing, isOurs);
  const facts = open.flatMap((field) => USER_FACTS[field](state, observed, policy));
  const isDone = (field: UserField) =>
    !open.includes(field) || (field === 'address' && !policy.addressMayChange);
  return { step: toStep(facts, cells), done: listWaiting(cells).filter(isDone) };
}

/** A user whom the service never saw costs no call until active; one who may have an account that nobody knows is looked for. */
function planAccount({ deleted, desired, cells }: UserState): Plan {
  const { userName, address, name, active } = desired;
  if (!isWaiting(cells.account)) return { step: undefined, done: listWaiting(cells) };
  if (deleted || !active) return { step: LOOK, done: [] };
  if (address === undefined) return { step: undefined, done: [] };
  const fact = { part: 'account', values: { userName, address, name } } as const;
  return { step: { kind: 'create', facts: [fact] }, done: [] };
}

/** The calls that an open field needs, each with its values. Removal of access goes before everything else. */
const USER_FACTS: Readonly<
  Record<
    UserField,
    (state: UserState, observed: ObservedUser, policy: UserPolicy) => readonly OpenFact[]
  >
> = {
  account: () => [],
  active(state, observed, { deactivation }) {
    const { desired, cells } = state;
    const facts: OpenFact[] = [];
    // Where suspending deactivates, a user who is to go keeps the SCIM flag; one who is to work needs both switches.
    if (deactivation === 'scim' || (desired.active && !observed.active)) {
      const { active } = desired;
      facts.push({ part: 'active', call: 'update', rank: active ? 9 : 0, values: { active } });
    }
    const isActive = isWorking(desired, deactivation);
    const isSuspended = observed.temporarilyInactive ?? false;
    const isNeeded = isSuspended === isActive || listUnsure(cells).includes('active');
    if (deactivation === 'temporarilyInactive' && isNeeded)
      facts.push(suspend('active', !isActive));
    return facts;
  },
  temporarilyInactive(state, _observed, { deactivation }) {
    const isSuspended = toWantedSuspension(state.desired, deactivation);
    return isSuspended === undefined ? [] : [suspend('temporarilyInactive', isSuspended)];
  },
  name({ desired: { name } }) {
    return name ? [{ part: 'name', call: 'update', rank: 10, values: { name } }] : [];
  },
  appsPermissions(state) {
    const { appsPermissions } = state.desired;
    const rank = listLosses(state).includes('appsPermissions') ? 2 : 20;
    return [{ part: 'appsPermissions', call: 'access', rank, values: { appsPermissions } }];
  },
  address({ desired: { userName, address } }, _observed, { addressMayChange }) {
    const values = { userName, address };
    return addressMayChange ? [{ part: 'address', call: 'address', rank: 30, values }] : [];
  },
};

function suspend(part: UserField, temporarilyInactive: boolean): OpenFact {
  const rank = temporarilyInactive ? 1 : 19;
  return { part, call: 'access', rank, values: { temporarilyInactive } };
}

/** Urgency of the parts of a group: what takes power away goes first, so that no refused attribute keeps it. */
const RANKS = { admin: 0, leave: 1, member: 2, field: 3, newAdmin: 4, listEntities: 5, entity: 6 };

/** The next step of a group. One that the bridge created is deleted; another one loses what the bridge put in. */
export function planGroup(state: GroupState, { membersPerCall, deletion }: GroupPolicy): Plan {
  const { mustLook, deleted, created, ids, cells, desired, observed, links } = state;
  const waiting = listWaiting(cells);
  if (mustLook) return { step: LOOK, done: [] };
  if (!isInService(ids)) return deleted ? { step: undefined, done: waiting } : planCreation(state);
  if (deleted && created && deletion === 'created') {
    if (!isWaiting(cells.existence)) return { step: undefined, done: waiting };
    return { step: { kind: 'remove', facts: [{ part: 'existence' }] }, done: [] };
  }
  const differing = observed && listGroupDifferences(desired, observed, cells);
  const isSet = (field: GroupField) =>
    isSettable(field) && desired[field] !== undefined && !deleted;
  const open = listOpen(cells, differing, isSet);
  const roles = waiting.filter(isEntityField).flatMap((field) => toEntityFacts(state, field));
  const losses = listLosses(state);
  const facts = [
    ...links.map(toLinkFact),
    ...open.filter(isSettable).map((part): OpenFact => {
      const rank = losses.includes(part) ? RANKS.leave : RANKS.field;
      return { part, call: 'update', rank, values: { [part]: desired[part] } };
    }),
    ...roles.filter(({ values }) => !deleted || values?.roles?.length === 0),
  ];
  const isOpen = (field: GroupField) =>
    open.includes(field) || roles.some(({ part }) => part === field);
  const done = waiting.filter((field) => !isOpen(field));
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

/** True for a field of a group that one update sets. */
export function isSettable(field: Field) {
  return (
    field === 'displayName' || field === 'permissions' || field === 'addToCardsAndSpacesEnabled'
  );
}

/** Lists what an entity needs: nothing, its roles, or a list of what was there before the rules, which removals do without. */
function toEntityFacts({ cells, entities }: GroupState, part: EntityField): OpenFact[] {
  const wanted = findWantedRoles(cells[part]);
  if (wanted === undefined) return [];
  const seen = entities?.roles[part];
  // The last list does not show it, and it may have been there since before the rules.
  const isUnseen = entities === undefined || (wasThere(cells[part]) && !seen);
  const isHeld = !isUnseen && holdsRoles(cells[part], seen);
  if (isHeld && !listUnsure(cells).includes(part)) return [];
  const roles = parseRoles(wanted);
  if (roles.length > 0 && isUnseen) {
    return [{ part, call: 'list-entities', rank: RANKS.listEntities }];
  }
  const rank = roles.length === 0 ? RANKS.leave : RANKS.entity;
  return [{ part, call: 'entity', rank, values: { roles, isListed: seen !== undefined } }];
}

/** Lists owned fields that wait and that the service may not hold; without an observation all of them. */
function listOpen<Field extends string>(
  cells: Cells<Field>,
  differing: readonly string[] | undefined,
  isOurs: (field: Field) => boolean,
): Field[] {
  const unsure = listUnsure(cells);
  const isOpen = (field: Field) =>
    differing === undefined || differing.includes(field) || unsure.includes(field);
  return listWaiting(cells).filter((field) => isOurs(field) && isOpen(field));
}

/** State of a user from which the next step is planned: a stuck change is hidden until its next attempt. */
export function toPlannableUser(state: UserState, now: number): UserState {
  const plannable: UserState = { ...state, ...hideDeferred(state, 'account', now) };
  const { mustLook, upstreamId, observed, desired, deleted, cells } = plannable;
  const isKnownActive = observed?.active === true && observed.temporarilyInactive !== true;
  const isRemoval = upstreamId !== undefined && isKnownActive && (deleted || !desired.active);
  return mustLook && isRemoval && isOverdue(findFailed(cells.active))
    ? { ...plannable, mustLook: false, cells: onlyWaiting(cells, ['active']) }
    : plannable;
}

/** The same of a group: where looks have failed too often, those alone who are to leave, or the group that is. */
export function toPlannableGroup(state: GroupState, now: number): GroupState {
  const plannable: GroupState = { ...state, ...hideDeferred(state, 'existence', now) };
  const { mustLook, ids, deleted, created, cells } = plannable;
  const isDeferred = isWaiting(state.cells.existence) && !isWaiting(cells.existence);
  if (!mustLook || isDeferred) return plannable;
  if (deleted && created) {
    const isRemoval = ids.uid !== undefined && isOverdue(findFailed(cells.existence));
    return { ...plannable, mustLook: !isRemoval };
  }
  const isReachable = ({ list }: LinkChange) =>
    ids.uid !== undefined || (ids.scimId !== undefined && list === 'member');
  const links = state.links.filter((link) => !link.wanted && isOverdue(link) && isReachable(link));
  if (links.length === 0) return plannable;
  return { ...plannable, mustLook: false, cells: onlyWaiting(cells, []), links };
}

/** True when the looks before a removal of access have failed too often to wait for one. */
function isOverdue(failed: { readonly attempts?: number } | undefined): boolean {
  return (failed?.attempts ?? 0) >= ATTEMPTS_WITH_LOOK;
}

/** Hides the fields that may not be tried yet; where the existence is deferred, all of them. */
function hideDeferred<Field extends string>(
  { cells: all, mustLook }: { readonly cells: Cells<Field>; readonly mustLook: boolean },
  existence: Field,
  now: number,
) {
  const cells = withoutDeferred(all, now);
  if (!isWaiting(all[existence]) || isWaiting(cells[existence])) return { cells, mustLook };
  return { cells: onlyWaiting(all, []), mustLook: mustLook && !isStuck(all[existence]?.failure) };
}
