import { ATTEMPTS_WITH_LOOK } from '../../domain/stuck.ts';
import type { UserField, UserState } from '../../domain/user.ts';
import { toUserState, type UserRow } from '../../store/users/users.ts';
import { toTriable } from '../waiting-fields.ts';

/** State from which the next step is planned: a stuck change rests until its time, as if it did not wait. */
export function toPlannable(row: UserRow, now: number): UserState {
  const state = toUserState(row);
  const { rests, triable } = toTriable<UserField>(state, row, { existence: 'account', now });
  const plannable = { ...state, ...triable };
  return !rests && isRemovable(plannable) ? toRemoval(plannable) : plannable;
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
