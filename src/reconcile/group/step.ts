import type { GroupState } from '../../domain/group.ts';
import type { GroupPolicy } from '../../plan/plan-group.ts';
import type { Rules } from '../../rules/rules.ts';
import type { Lease } from '../../store/lanes.ts';
import type { GroupUndo } from '../../store/resources/undo.ts';
import type { Waiter } from '../waiters.ts';
import type { GroupOutcome } from './outcome.ts';

/** A step of a group that ended, with all that recording it needs. */
export interface GroupStep {
  /** The state that the step was planned from. */
  readonly planned: GroupState;
  readonly outcome: GroupOutcome;
  readonly lease: Lease;
  readonly policy: GroupPolicy;
  /** True when the service refuses inactive people as members. */
  readonly inactiveWait: boolean;
  /** Writes that nobody has been answered for yet; what the service refuses of them is undone. */
  readonly undos: readonly Waiter<GroupUndo>[];
  readonly rules: Rules;
  /** False: that it failed may be the fault of the service. */
  readonly isOwn: boolean;
  /** How many steps of this run have failed. */
  readonly failures: number;
  /** How often a change may fail by its own fault before it is stuck. */
  readonly attemptsMax: number;
  readonly now: number;
  readonly random: number;
}
