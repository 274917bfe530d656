import type { UserState } from '../../domain/user.ts';
import type { UserPolicy } from '../../plan/plan-user.ts';
import type { Rules } from '../../rules/rules.ts';
import type { Lease } from '../../store/lanes.ts';
import type { UserUndo } from '../../store/resources/undo.ts';
import type { Waiter } from '../waiters.ts';
import type { UserOutcome } from './outcome.ts';

/** A step of a person that ended, with all that recording it needs. */
export interface UserStep {
  /** The state that the step was planned from. */
  readonly planned: UserState;
  readonly outcome: UserOutcome;
  readonly lease: Lease;
  readonly policy: UserPolicy;
  /** Writes that nobody has been answered for yet; what the service refuses of them is undone. */
  readonly undos: readonly Waiter<UserUndo>[];
  readonly rules: Rules;
  /** False: that it failed may be the fault of the service. */
  readonly isOwn: boolean;
  /** How often a change may fail by its own fault before it is stuck. */
  readonly attemptsMax: number;
  readonly now: number;
  readonly random: number;
}
