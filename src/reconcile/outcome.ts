import type { GroupField, LinkChange } from '../domain/group.ts';
import type { Refusal } from '../domain/refusal.ts';
import type { UserField } from '../domain/user.ts';

/** Reason of a failure, in words that may be shown to an operator and to the provider. */
export type Problem = Refusal;

/** Subject of a refusal or failure: a field, or one user in a list of a group. */
export type Part = UserField | GroupField | LinkPart;

/** Change of one user in a list of a group. */
export interface LinkPart extends LinkChange {
  /** Words of the service about this user, where it gave them one by one. */
  readonly problem?: Problem;
}

/**
 * End of one upstream step. `Known` is the new knowledge.
 * - `done`: the service holds it, or held it already
 * - `refused`: the service says no about exactly these parts; repeating it would change nothing
 * - `later`: nothing was changed, and it may work another time. `failedLook`: a look failed, and what waits for it with it;
 *   `noSeat`: these parts wait for a free seat of the service
 * - `unknown`: it may or may not have been changed; the next step is a look. `parts` is what the call was to change,
 *   absent where the failure says nothing of it
 */
export type Outcome<Known> =
  | { readonly kind: 'done'; readonly known: Known }
  | { readonly kind: 'refused'; readonly parts: readonly Part[]; readonly problem: Problem }
  | {
      readonly kind: 'later';
      readonly problem: Problem;
      readonly retryAfterMs?: number;
      readonly failedLook?: true;
      readonly noSeat?: readonly UserField[];
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
