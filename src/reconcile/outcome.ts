import type { Echo } from '../domain/cell.ts';
import type { SeenEntities } from '../domain/entity.ts';
import type { DoneLink, ObservedGroup, UpstreamGroupIds } from '../domain/group.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { ObservedUser } from '../domain/user.ts';
import type { Field, Part } from '../plan/step.ts';

/** Reason of a failure, in words that may be shown to an operator and to the provider. */
export type Problem = Refusal;

/** Knowledge that a step gained about a user or group. */
export interface Known {
  /** True when the service says that the resource does not exist. */
  readonly missing?: true;
  /** True when the resource existed before, so that it is adopted, not created. */
  readonly adopted?: true;
  /** Ids that the step learned, the others stay; `restId` is the account of a user. */
  readonly ids?: Partial<UpstreamGroupIds>;
  /** The user as observed. */
  readonly observed?: ObservedUser;
  /** The group as observed. */
  readonly group?: ObservedGroup;
  readonly echo?: Echo;
  readonly done?: readonly (Field | DoneLink)[];
  /** All members of the group, by numeric id, when the step listed them. */
  readonly memberIds?: readonly number[];
  /** All admins of the group, in the same way. */
  readonly adminIds?: readonly number[] | undefined;
  /** The entities of the group, as they were listed, or changed since. */
  readonly entities?: SeenEntities | undefined;
}

/**
 * End of one upstream step.
 * - `done`: the service holds it, or held it already
 * - `refused`: the service says no about exactly these parts; repeating it would change nothing
 * - `later`: nothing was changed, and it may work another time. `failedLook`: a look failed, and what waits for it with it;
 *   `noSeat`: these parts wait for a free seat of the service
 * - `unknown`: it may or may not have been changed; the next step is a look. `parts` is what the call was to change,
 *   absent where the failure says nothing of it
 */
export type Outcome<New = Known> =
  | { readonly kind: 'done'; readonly known: New }
  | { readonly kind: 'refused'; readonly parts: readonly Part[]; readonly problem: Problem }
  | Postponed;

/** End of a call with several parts that the service refused, and that says nothing of each: so many may be in the next one. */
export interface TooMany {
  readonly kind: 'too-many';
  readonly size: number;
}

/** End of a step that is tried again. */
export type Postponed =
  | {
      readonly kind: 'later';
      readonly problem: Problem;
      readonly retryAfterMs?: number;
      readonly failedLook?: true;
      readonly noSeat?: readonly Part[];
    }
  | {
      readonly kind: 'unknown';
      readonly problem: Problem;
      readonly parts?: readonly Part[];
      readonly lookNow?: true;
    };

/** End of a provider's write, as far as its request waits. */
export type Settlement =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'not-yet'; readonly reason: string };
