import { type Cells, isWaiting, listUnsure, listWaiting, onlyWaiting } from '../domain/cell.ts';
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
import type { UserAction, UserActionOf } from './actions.ts';
import { listSentFields, toUserChanges } from './to-changes.ts';

/** Settings and learned quirks that decide how users are changed. */
export interface UserPolicy {
  readonly deactivation: Deactivation;
  /** False once the service refused a new userName or address, or when the settings forbid trying. */
  readonly addressMayChange: boolean;
}

/** Actions for a user, and the fields that need no call because they already hold. */
interface UserPlan {
  readonly actions: readonly UserAction[];
  readonly done: readonly UserField[];
}

/**
 * The calls that bring a user from observed to desired, in order: removal of access first, the
 * address last. Only pending fields are acted on; a field that merely differs is drift.
 */
export function planUser(state: UserState, policy: UserPolicy): UserPlan {
  if (state.mustLook) return { actions: [lookAt(state)], done: [] };
  if (state.upstreamId === undefined) return planAccount(state);
  if (state.observed === undefined) return { actions: [lookAt(state)], done: [] };
  const account = { ...policy, upstreamId: state.upstreamId, observed: state.observed };
  // Ordinary accounts can only be deactivated; a virtual one is deleted.
  const isToGo = state.deleted && state.observed.virtual && isWaiting(state.cells.active);
  return isToGo ? planRemoval(account) : planChanges(state, account);
}

/** State from which the next step is planned: a stuck change is hidden until its next attempt. */
export function toPlannableUser(state: UserState, now: number): UserState {
  const { isDeferred, ...left } = hideDeferred(state, { existence: 'account', now });
  const plannable = { ...state, ...left };
  return !isDeferred && isRemovable(plannable) ? toRemoval(plannable) : plannable;
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

/** The state with the removal of access alone. */
function toRemoval(state: UserState): UserState {
  return { ...state, mustLook: false, cells: onlyWaiting(state.cells, ['active']) };
}

function planRemoval({ upstreamId }: Account): UserPlan {
  return { actions: [{ kind: 'remove-virtual-user', upstreamId }], done: [] };
}

function lookAt({ upstreamId }: UserState): UserAction {
  return { kind: 'look-at-user', upstreamId };
}

/** A user whom the service never saw costs no call until active; one who may have an account that nobody knows is looked for. */
function planAccount(state: UserState): UserPlan {
  const { deleted, desired, cells } = state;
  const { userName, address, name, active } = desired;
  if (!isWaiting(cells.account)) return { actions: [], done: listWaiting(cells) };
  if (deleted || !active) return { actions: [lookAt(state)], done: [] };
  if (address === undefined) return { actions: [], done: [] };
  return { actions: [{ kind: 'create-user', userName, address, name }], done: [] };
}

interface Account extends UserPolicy {
  readonly upstreamId: number;
  readonly observed: ObservedUser;
}

function planChanges(state: UserState, account: Account): UserPlan {
  const { desired, cells } = state;
  const differing = new Set(
    listUserDifferences(desired, account.observed, cells, account.deactivation),
  );
  const isTold = (field: UserField) => field !== 'account' && isOwned(field, desired);
  const unsure = listUnsure(cells).filter(isTold);
  const waiting = listWaiting(cells);
  const changes = new Set(
    waiting.filter((field) => differing.has(field) || unsure.includes(field)),
  );
  const actions: UserAction[] = [];
  const scim = toUpdateUser(state, account, changes);
  const company = toUpdateCompanyUser(state, account, changes);
  // Removal of access goes first: a refusal of anything else must not delay it.
  const suspends = company?.temporarilyInactive === true && scim?.active !== false;
  const calls = suspends ? [company, scim] : [scim, company];
  actions.push(...calls.filter((call) => call !== undefined));
  if (changes.has('address') && account.addressMayChange)
    actions.push(toTryAddress(state, account));
  const done = waiting.filter(
    (field) => !changes.has(field) || (field === 'address' && !account.addressMayChange),
  );
  return { actions: withTriedLast(actions, cells), done };
}

/** Orders calls so that those that failed before come last and delay no other. */
function withTriedLast(actions: readonly UserAction[], cells: Cells<string>): UserAction[] {
  const isTried = (action: UserAction) =>
    listSentFields(toUserChanges(action)).some((field) => findFailed(cells[field]) !== undefined);
  return [...actions.filter((action) => !isTried(action)), ...actions.filter(isTried)];
}

function toUpdateUser(
  { desired, cells }: UserState,
  { upstreamId, deactivation, observed }: Account,
  changes: ReadonlySet<UserField>,
): UserActionOf<'update-user'> | undefined {
  // Where suspending deactivates, a user who is to go keeps the SCIM flag; one who is to work needs both switches.
  const isScims = deactivation === 'scim' || (desired.active && !observed.active);
  const active = changes.has('active') && isScims;
  // Two fields that failed together may have failed by one of them: access goes first.
  const isAlone = active && (findFailed(cells.active) ?? findFailed(cells.name)) !== undefined;
  const name = changes.has('name') && !isAlone ? desired.name : undefined;
  if (!active && !name) return undefined;
  return {
    kind: 'update-user',
    upstreamId,
    ...(active ? { active: desired.active } : {}),
    ...(name ? { name } : {}),
  };
}

function toUpdateCompanyUser(
  state: UserState,
  { upstreamId, deactivation, observed }: Account,
  changes: ReadonlySet<UserField>,
): UserActionOf<'update-company-user'> | undefined {
  const { desired, cells } = state;
  const fields: UserField[] = [];
  const body: { appsPermissions?: number; temporarilyInactive?: boolean } = {};
  if (changes.has('appsPermissions') && desired.appsPermissions !== undefined) {
    body.appsPermissions = desired.appsPermissions;
    fields.push('appsPermissions');
  }
  const suspension = toWantedSuspension(desired, deactivation);
  if (changes.has('temporarilyInactive') && suspension !== undefined) {
    body.temporarilyInactive = suspension;
    fields.push('temporarilyInactive');
  }
  const isActive = isWantedActive(desired, deactivation);
  const isSuspended = observed.temporarilyInactive ?? false;
  const isToTell = isSuspended === isActive || listUnsure(cells).includes('active');
  if (changes.has('active') && deactivation === 'temporarilyInactive' && isToTell) {
    body.temporarilyInactive = !isActive;
    fields.push('active');
  }
  if (fields.length === 0) return undefined;
  const access = fields.filter((field) => field !== 'appsPermissions');
  const isAlone = access.length > 0 && fields.some((field) => findFailed(cells[field]));
  if (isAlone) delete body.appsPermissions;
  const sent = isAlone ? access : fields;
  return { kind: 'update-company-user', upstreamId, ...body, fields: sent };
}

function toTryAddress({ desired }: UserState, { upstreamId }: Account): UserAction {
  const { userName, address } = desired;
  return { kind: 'try-address', upstreamId, userName, address };
}
