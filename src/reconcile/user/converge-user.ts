import { toSentUser, type UserField, type UserState } from '../../domain/user.ts';
import type { UserAction } from '../../plan/actions.ts';
import { planUser, type UserPolicy } from '../../plan/plan-user.ts';
import type { UserUndo } from '../../store/resources/undo.ts';
import { findUserRow } from '../../store/users/users.ts';
import type { Convergeable } from '../converge.ts';
import type { ReconcileDeps } from '../deps.ts';
import { reportDeleted, reportStuck } from '../report-step.ts';
import { recordHeld, type Waiters } from '../waiters.ts';
import { applyUserAction } from './apply.ts';
import { toPlannable } from './load.ts';
import type { UserKnown } from './outcome.ts';
import { recordUserStep } from './record.ts';

/** State that converging users shares with the requests that wait. */
export interface UserLane {
  readonly waiters: Waiters<UserUndo>;
}

/** Makes users convergeable. */
export function convergeUsers(
  deps: ReconcileDeps,
  { waiters }: UserLane,
): Convergeable<UserState, UserAction, UserKnown, UserField> {
  const toPolicy = (): UserPolicy => ({
    deactivation: deps.policy.deactivation,
    addressMayChange: deps.quirks.current().addressMayChange ?? true,
  });

  return {
    noNews: {},
    async load(db, id) {
      const row = await findUserRow(db, id);
      if (row === undefined) return undefined;
      const state = toPlannable(row, deps.clock.now());
      // A create may have left, so look before creating again.
      const mayExist = state.sentCreates.length > 0 && state.pending.account !== undefined;
      return mayExist ? { ...state, mustLook: true } : state;
    },
    planNext: (state) => planUser(state, toPolicy()).actions[0],
    toSentCreate: (action) => (action.kind === 'create-user' ? toSentUser(action) : undefined),
    apply: (upstream, state, action) => applyUserAction({ ...deps, upstream }, state, action),
    async record(planned, { lease, outcome, isOwn }, also) {
      const key = { type: 'user', id: planned.id } as const;
      const since = deps.clock.now();
      const recorded = await recordHeld(waiters.hold(key), (undos) =>
        deps.store.write(async (tx) => {
          const stored = await recordUserStep(tx, {
            planned,
            outcome,
            lease,
            policy: toPolicy(),
            undos,
            rules: deps.rules,
            isOwn,
            attemptsMax: deps.policy.attemptsMax,
            now: deps.clock.now(),
            random: deps.random(),
          });
          await also(tx);
          return stored;
        }),
      );
      reportDeleted(deps.events, key, { planned, recorded });
      const problem = outcome.kind === 'refused' ? outcome.problem : undefined;
      if (problem || planned.mustLook) await reportStuck(deps, { key, code: problem?.code, since });
      return recorded;
    },
  };
}
