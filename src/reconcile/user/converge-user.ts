import { isWaiting } from '../../domain/cell.ts';
import { toSentUser } from '../../domain/user.ts';
import { planUser, toPlannableUser, type UserPolicy } from '../../plan/plan-user.ts';
import { toUserChanges } from '../../plan/to-changes.ts';
import { isUserUndo, type UserUndo } from '../../store/resources/undo.ts';
import { findUserRow, toUserState } from '../../store/users/users.ts';
import type { ReconcileDeps } from '../deps.ts';
import type { ResourceKind } from '../resource-kind.ts';
import type { Waiters } from '../waiters.ts';
import { applyUserAction } from './apply.ts';
import type { UserTypes } from './outcome.ts';
import { userRecorder } from './record.ts';

/** Makes the kind of users; `waiters` are the requests that wait for one. */
export function convergeUsers(
  deps: ReconcileDeps,
  waiters: Waiters<UserUndo>,
): ResourceKind<UserTypes> {
  const toPolicy = (): UserPolicy => ({
    deactivation: deps.policy.deactivation,
    addressMayChange: deps.quirks.current().addressMayChange ?? true,
  });

  return {
    ...userRecorder,
    noNews: {},
    waiters,
    isUndo: isUserUndo,
    async load(db, id) {
      const row = await findUserRow(db, id);
      if (row === undefined) return undefined;
      const state = toPlannableUser(toUserState(row), deps.clock.now());
      // A create may have left, so look before creating again.
      const mayExist = state.sentCreates.length > 0 && isWaiting(state.cells.account);
      return mayExist ? { ...state, mustLook: true } : state;
    },
    planNext: (state) => planUser(state, toPolicy()).actions[0],
    toChanges: toUserChanges,
    toSentCreate: (action) => (action.kind === 'create-user' ? toSentUser(action) : undefined),
    apply: applyUserAction,
    toPolicies: () => ({ policy: toPolicy() }),
    // An account that was found may be another user's.
    mayRefuse: (outcome) =>
      outcome.kind === 'refused' ||
      (outcome.kind === 'done' && outcome.known.upstreamId !== undefined),
    findRefusal: (outcome) => (outcome.kind === 'refused' ? outcome.problem : undefined),
  };
}
