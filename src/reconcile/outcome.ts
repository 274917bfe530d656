import type { Refusal } from '../domain/stuck.ts';

/** Reason of a failure, in words that may be shown to an operator and to the provider. */
export type Problem = Refusal;

/**
 * End of one upstream step. `Known` is the new knowledge, `Part` the subject of a refusal.
 * - `done`: the service holds it, or held it already
 * - `refused`: the service says no about exactly these parts; repeating it would change nothing
 * - `later`: nothing was changed, and it may work another time
 * - `unknown`: it may or may not have been changed; the next step is a look. `parts` is what the call was to change,
 *   absent where the failure says nothing of it
 */
export type Outcome<Known, Part> =
  | { readonly kind: 'done'; readonly known: Known }
  | { readonly kind: 'refused'; readonly parts: readonly Part[]; readonly problem: Problem }
  | { readonly kind: 'later'; readonly problem: Problem; readonly retryAfterMs?: number }
  | {
      readonly kind: 'unknown';
      readonly problem: Problem;
      readonly parts?: readonly Part[];
      readonly lookNow?: true;
    };

/** Problem of a change that the service accepted and did not make, in our words: the service has none. */
export const NOT_APPLIED: Problem = {
  code: 'not-applied',
  words: 'the service accepted the change and still says otherwise',
};

/** Problem of a write that would have taken over somebody whom the service does not have any more. */
export const NOT_THERE: Problem = {
  code: 'not-there',
  words: 'the service does not have the account any more',
};

/** End of a provider's write, as far as its request waits. */
export type Settlement =
  | { readonly kind: 'applied' }
  | { readonly kind: 'refused'; readonly problem: Problem }
  | { readonly kind: 'not-yet'; readonly reason: string };
