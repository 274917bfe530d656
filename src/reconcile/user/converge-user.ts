import { toSentUser, type UserField, type UserState } from '../../domain/user.ts';
import type { UserAction } from '../../plan/actions.ts';
import { planUser, type UserPolicy } from '../../plan/plan-user.ts';
import { toUserChanges } from '../../plan/to-changes.ts';
import { isUserUndo, type UserUndo } from '../../store/resources/undo.ts';
import { findUserRow, type UserRow } from '../../store/users/users.ts';
import type { Convergeable } from '../converge.ts';
import type { ReconcileDeps } from '../deps.ts';
import { recordStep } from '../record-held.ts';
import type { Waiters } from '../waiters.ts';
import { applyUserAction } from './apply.ts';
import { toPlannable } from './load.ts';
import type { UserKnown } from './outcome.ts';
import { recordUserStep } from './record.ts';

/** State that converging users shares with the requests that wait. */
export interface WaitingUsers {
  readonly waiters: Waiters<UserUndo>;
}

/** Users, as convergence needs them. */
export interface UserKind
  extends Convergeable<UserState, UserAction, UserKnown, UserField, UserRow> {
  /** State of a stored user. */
  toState(row: UserRow): UserState;
}

/** Makes users convergeable. */
export function convergeUsers(deps: ReconcileDeps, { waiters }: WaitingUsers): UserKind {
  const toPolicy = (): UserPolicy => ({
    deactivation: deps.policy.deactivation,
    addressMayChange: deps.quirks.current().addressMayChange ?? true,
  });

  function toState(row: UserRow): UserState {
    const state = toPlannable(row, deps.clock.now());
    // A create may have left, so look before creating again.
    const mayExist = state.sentCreates.length > 0 && state.pending.account !== undefined;
    return mayExist ? { ...state, mustLook: true } : state;
  }

  return {
    noNews: {},
    toState,
    async load(db, id) {
      const row = await findUserRow(db, id);
      return row && toState(row);
    },
    planNext: (state) => planUser(state, toPolicy()).actions[0],
    toChanges: toUserChanges,
    toSentCreate: (action) => (action.kind === 'create-user' ? toSentUser(action) : undefined),
    apply: (service, state, action) => applyUserAction({ ...deps, ...service }, state, action),
    async record(planned, ended, also) {
      const { outcome } = ended;
      // An account that was found may be another user's.
      const mayRefuse =
        outcome.kind === 'refused' ||
        (outcome.kind === 'done' && outcome.known.upstreamId !== undefined);
      const key = { type: 'user', id: planned.id } as const;
      const problem = outcome.kind === 'refused' ? outcome.problem : undefined;
      const step = { key, waiters, isUndo: isUserUndo, mayRefuse, planned, ended, problem, also };
      const recorded = await recordStep(deps, step, (tx, recording) =>
        recordUserStep(tx, { ...recording, policy: toPolicy() }),
      );
      await deps.seats.ended(outcome);
      return recorded;
    },
  };
}
