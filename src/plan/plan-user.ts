import { isWaiting, listUnsure, listWaiting, onlyWaiting } from '../domain/cell.ts';
import { ATTEMPTS_WITH_LOOK, findFailed, hideDeferred } from '../domain/failure.ts';
import {
  type Deactivation,
  isWantedActive,
  listUserDifferences,
  type ObservedUser,
  toWantedSuspension,
  type UserField,
  type UserState,
} from '../domain/user.ts';
import { isOwned } from '../domain/write.ts';
import { LOOK, type OpenFact, type Plan, toNoStep, toStep } from './step.ts';

/** Settings and learned quirks that decide how users are changed. */
export interface UserPolicy {
  readonly deactivation: Deactivation;
  /** False once the service refused a new userName or address, or when the settings forbid trying. */
  readonly addressMayChange: boolean;
}

/**
 * The next step that brings a user from observed to desired: removal of access first, the address last. Only pending
 * fields are acted on; a field that merely differs is drift.
 */
export function planUser(state: UserState, policy: UserPolicy): Plan {
  const { mustLook, upstreamId, observed, deleted, cells } = state;
  if (mustLook) return { step: LOOK, done: [] };
  if (upstreamId === undefined) return planAccount(state);
  if (observed === undefined) return { step: LOOK, done: [] };
  // Ordinary accounts can only be deactivated; a virtual one is deleted.
  if (deleted && observed.virtual && isWaiting(cells.active)) {
    return { step: { kind: 'remove', facts: [{ part: 'active' }] }, done: [] };
  }
  const open = listOpen(state, observed, policy);
  const facts = open.flatMap((field) => FACTS[field](state, observed, policy));
  const isHeld = (field: UserField) =>
    !open.includes(field) || (field === 'address' && !policy.addressMayChange);
  return { step: toStep(facts, cells), done: listWaiting(cells).filter(isHeld) };
}

/** State from which the next step is planned: a stuck change is hidden until its next attempt. */
export function toPlannableUser(state: UserState, now: number): UserState {
  const { isDeferred, ...left } = hideDeferred(state, { existence: 'account', now });
  const plannable: UserState = { ...state, ...left };
  if (isDeferred || !isRemovable(plannable)) return plannable;
  // The removal of access alone.
  return { ...plannable, mustLook: false, cells: onlyWaiting(plannable.cells, ['active']) };
}

/** True when the look before a removal of access has failed too often to wait for it. */
function isRemovable({ mustLook, upstreamId, observed, desired, deleted, cells }: UserState) {
  if (!mustLook || upstreamId === undefined || observed === undefined) return false;
  const isTaken = deleted || !desired.active;
  const isKnownActive = observed.active && observed.temporarilyInactive !== true;
  return (
    isTaken && isKnownActive && (findFailed(cells.active)?.attempts ?? 0) >= ATTEMPTS_WITH_LOOK
  );
}

/** A user whom the service never saw costs no call until active; one who may have an account that nobody knows is looked for. */
function planAccount({ deleted, desired, cells }: UserState): Plan {
  const { userName, address, name, active } = desired;
  if (!isWaiting(cells.account)) return toNoStep(listWaiting(cells));
  if (deleted || !active) return { step: LOOK, done: [] };
  if (address === undefined) return toNoStep();
  const fact = { part: 'account', values: { userName, address, name } } as const;
  return { step: { kind: 'create', facts: [fact] }, done: [] };
}

/** Lists the fields that wait and that the service does not hold for sure. */
function listOpen(
  { desired, cells }: UserState,
  observed: ObservedUser,
  { deactivation }: UserPolicy,
): UserField[] {
  const differing = new Set(listUserDifferences(desired, observed, cells, deactivation));
  for (const field of listUnsure(cells)) {
    if (field !== 'account' && isOwned(field, desired)) differing.add(field);
  }
  return listWaiting(cells).filter((field) => differing.has(field));
}

/** The calls that an open field needs, each with its values. Removal of access goes before everything else. */
const FACTS: Readonly<
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
    const isActive = isWantedActive(desired, deactivation);
    const isSuspended = observed.temporarilyInactive ?? false;
    const isToTell = isSuspended === isActive || listUnsure(cells).includes('active');
    if (deactivation === 'temporarilyInactive' && isToTell)
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
  appsPermissions({ desired: { appsPermissions } }) {
    return [{ part: 'appsPermissions', call: 'access', rank: 20, values: { appsPermissions } }];
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
