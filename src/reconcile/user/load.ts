import { withoutPutOff } from '../../domain/stuck.ts';
import type { UserField, UserState } from '../../domain/user.ts';
import { parseStuck } from '../../store/stuck.ts';
import { toUserState, type UserRow } from '../../store/users.ts';

/** What the next step is planned from: what is stuck rests until its time, as if it did not wait. */
export function toTriable(row: UserRow, now: number): UserState {
  const state = toUserState(row);
  const pending = withoutPutOff(state.pending, parseStuck<UserField>(row), now);
  const rests = state.pending.account !== undefined && pending.account === undefined;
  // While the account itself rests, it is neither created nor looked for.
  return rests ? { ...state, pending: {}, mustLook: false } : { ...state, pending };
}
