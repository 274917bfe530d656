import type { Echo } from '../../domain/cell.ts';
import type { ObservedUser, UserField, UserState } from '../../domain/user.ts';
import type { UserAction } from '../../plan/actions.ts';
import type { UserRow } from '../../store/resources/rows.ts';
import type { Outcome } from '../outcome.ts';
import type { Known, Step } from '../resource-kind.ts';

/** Knowledge that a step gained about a user. */
export interface UserKnown extends Known {
  readonly observed?: ObservedUser;
  /** Name as it was sent and as it came back. */
  readonly echo?: Echo;
  /** Fields whose step is done, whatever the observation says. */
  readonly doneFields?: readonly UserField[];
}

/** Outcome of a step for a user. */
export type UserOutcome = Outcome<UserKnown>;

/** Types of users, as a kind of resource. */
export interface UserTypes {
  readonly state: UserState;
  readonly action: UserAction;
  readonly known: UserKnown;
  readonly field: UserField;
  readonly row: UserRow;
}

/** Step of a user that ended, with all that recording it needs. */
export type UserStep = Step<UserTypes>;
