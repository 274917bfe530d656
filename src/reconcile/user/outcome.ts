import type { ObservedUser, UserEchoes, UserField, UserState } from '../../domain/user.ts';
import type { UserPolicy } from '../../plan/plan-user.ts';
import type { Rules } from '../../rules/rules.ts';
import type { UserUndo } from '../../store/resources/undo.ts';
import type { UserRow } from '../../store/users/users.ts';
import type { Outcome } from '../outcome.ts';
import type { Waiter } from '../waiters.ts';

/** Knowledge that a step gained about a user. */
export interface UserKnown {
  /** Account, when the step found or created it. */
  readonly upstreamId?: number;
  readonly observed?: ObservedUser;
  readonly echoes?: UserEchoes;
  /** True when the service says that the account does not exist. */
  readonly missing?: true;
  /** True when the account existed before, so that it is adopted, not created. */
  readonly adopted?: true;
  /** Fields whose step is done, whatever the observation says. */
  readonly doneFields?: readonly UserField[];
}

/** Outcome of a step for a user. */
export type UserOutcome = Outcome<UserKnown, UserField>;

/** Step of a user that ended, with all that recording it needs. */
export interface UserStep {
  /** State that the step was planned from. */
  readonly planned: UserState;
  /** Row as it is stored, unless another write has changed it meanwhile; undefined: it has to be read. */
  readonly row: UserRow | undefined;
  readonly outcome: UserOutcome;
  readonly policy: UserPolicy;
  /** Writes that are not answered yet; refused ones are undone. */
  readonly undos: readonly Waiter<UserUndo>[];
  readonly rules: Rules;
  /** False when the service may be at fault for the failure. */
  readonly isOwn: boolean;
  /** Times that a change may fail by its own fault before it is stuck. */
  readonly attemptsMax: number;
  /** Longest duration of a call, in milliseconds: an attempt may take effect for so long after it left. */
  readonly callMs: number;
  readonly now: number;
  readonly random: number;
}
