import type { Echo } from '../../domain/cell.ts';
import type { ObservedUser, UserField, UserState } from '../../domain/user.ts';
import type { UserAction } from '../../plan/actions.ts';
import type { UserPolicy } from '../../plan/plan-user.ts';
import type { UserUndo } from '../../store/resources/undo.ts';
import type { UserRow } from '../../store/users/users.ts';
import type { Outcome } from '../outcome.ts';
import type { Step } from '../resource-kind.ts';

/** Knowledge that a step gained about a user. */
export interface UserKnown {
  /** Account, when the step found or created it. */
  readonly upstreamId?: number;
  readonly observed?: ObservedUser;
  /** Name as it was sent and as it came back. */
  readonly echo?: Echo;
  /** True when the service says that the account does not exist. */
  readonly missing?: true;
  /** True when the account existed before, so that it is adopted, not created. */
  readonly adopted?: true;
  /** Fields whose step is done, whatever the observation says. */
  readonly doneFields?: readonly UserField[];
}

/** Outcome of a step for a user. */
export type UserOutcome = Outcome<UserKnown, UserField>;

/** Types of users, as a kind of resource. */
export interface UserTypes {
  readonly state: UserState;
  readonly action: UserAction;
  readonly known: UserKnown;
  readonly part: UserField;
  readonly row: UserRow;
  readonly undo: UserUndo;
  readonly policies: { readonly policy: UserPolicy };
}

/** Step of a user that ended, with all that recording it needs. */
export type UserStep = Step<UserTypes>;
