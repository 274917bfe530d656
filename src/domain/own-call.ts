import type { ChangeKind } from './change.ts';

/**
 * Change made by one of our own calls, fine enough to be matched with one event of the service's audit log. `operator`
 * is a call that an operator asked for by name of the operation: only what the call names is known.
 */
export type OwnCallKind = ChangeKind | 'user.address' | 'user.delete' | 'operator';

/**
 * Outcome of one of our calls.
 * - `done`: the service said yes
 * - `refused`: it said no, and changed nothing
 * - `unknown`: the answer was lost or a failure; it may have changed something
 * - `not-sent`: it never left
 */
export type CallOutcome = 'done' | 'refused' | 'unknown' | 'not-sent';

/** One change of one resource, or of one user in a group. Ids are those that the call names, or its names. */
export interface OwnChange {
  readonly kind: OwnCallKind;
  /** The account, or the group in whichever of its ids the call uses; undefined at a creation. */
  readonly upstreamId?: string;
  /** The account that comes into the group or leaves it. */
  readonly memberId?: string;
}
