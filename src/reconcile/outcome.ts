import type { Refusal } from '../domain/refusal.ts';

/** Reason of a failure, in words that may be shown to an operator and to the provider. */
export type Problem = Refusal;

/**
 * End of one upstream step. `Known` is the new knowledge, `Part` the subject of a refusal.
 * - `done`: the service holds it, or held it already
 * - `refused`: the service says no about exactly these parts; repeating it would change nothing
 * - `later`: nothing was changed, and it may work another time. `failedLook`: a look failed, and what waits for it with it;
 *   `noSeat`: these parts wait for a free seat of the service
 * - `unknown`: it may or may not have been changed; the next step is a look. `parts` is what the call was to change,
 *   absent where the failure says nothing of it
 */
export type Outcome<Known, Part> =
  | { readonly kind: 'done'; readonly known: Known }
  | { readonly kind: 'refused'; readonly parts: readonly Part[]; readonly problem: Problem }
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
