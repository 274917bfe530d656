import type { ObservedUser, UserEchoes, UserField } from '../../domain/user.ts';
import type { Outcome } from '../outcome.ts';

/** What a step taught about a person. */
export interface UserKnown {
  /** The account, when the step found or created it. */
  readonly upstreamId?: number;
  readonly observed?: ObservedUser;
  readonly echoes?: UserEchoes;
  /** True when the service says that the account does not exist. */
  readonly missing?: true;
  /** The account existed before the bridge asked for it, so it is adopted, not created. */
  readonly adopted?: true;
  /** Fields whose step is done, whatever the observation says. */
  readonly settled?: readonly UserField[];
}

/** How a step for a person ended. */
export type UserOutcome = Outcome<UserKnown, UserField>;
