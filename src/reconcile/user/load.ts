import { isStuck, listFailed, withoutDeferred } from '../../domain/stuck.ts';
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
  return { ...state, pending, ...(Object.keys(failed).length > 0 && { failed }) };
}
