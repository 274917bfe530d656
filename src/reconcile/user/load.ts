import { ATTEMPTS_WITH_LOOK, isStuck, listFailed, withoutDeferred } from '../../domain/stuck.ts';
import type { UserField, UserState } from '../../domain/user.ts';
import { parseStuck } from '../../store/engine/columns.ts';
import { toUserState, type UserRow } from '../../store/users/users.ts';

/** State from which the next step is planned: a stuck change rests until its time, as if it did not wait. */
export function toPlannable(row: UserRow, now: number): UserState {
  const state = toUserState(row);
  const stuck = parseStuck<UserField>(row);
  const pending = withoutDeferred(state.pending, stuck, now);
  const failed = listFailed(stuck, pending);
  const rests = state.pending.account !== undefined && pending.account === undefined;
  // While the account itself rests, it is not created, and a stuck account is not looked for either.
  if (rests) return { ...state, pending: {}, mustLook: state.mustLook && !isStuck(stuck.account) };
  const plannable = { ...state, pending, ...(Object.keys(failed).length > 0 && { failed }) };
  return isRemovable(plannable) ? toRemoval(plannable) : plannable;
}

/** True when the look before a removal of access has failed too often to wait for it. */
function isRemovable({ mustLook, upstreamId, observed, desired, deleted, failed }: UserState) {
  if (!mustLook || upstreamId === undefined || observed === undefined) return false;
  const isTaken = deleted || !desired.active;
  const isKnownActive = observed.active && observed.temporarilyInactive !== true;
  return isTaken && isKnownActive && (failed?.active?.attempts ?? 0) >= ATTEMPTS_WITH_LOOK;
}

/** The state with the removal of access alone. */
function toRemoval({ pending, ...state }: UserState): UserState {
  const { active } = pending;
  return { ...state, mustLook: false, pending: active === undefined ? {} : { active } };
}
