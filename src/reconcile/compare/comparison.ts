import { type Difference, DRIFT_KINDS, type DriftKind } from '../../domain/drift.ts';
import type { Deactivation } from '../../domain/user.ts';
import type { ReadLists } from './read-lists.ts';

/** Everything is known that lists tell. */
export const EVERY_LIST: ReadLists = {
  users: true,
  companyUsers: true,
  groups: true,
  members: true,
};

/** What was read, and since when. */
export interface SeenSince {
  readonly lists: ReadLists;
  /** What was not seen since then (epoch milliseconds) was not in the lists. */
  readonly since: number;
  readonly deactivation: Deactivation;
}

/**
 * What a complete read says of one resource.
 * - `unknown`: nothing, because it is at work or to be looked at
 * - `missing`: no list showed it, which is a suspicion until a look of its own says so
 * - `judged`: these are its differences; of the kinds in `unread` nothing is known
 */
export type Comparison =
  | { readonly kind: 'unknown' }
  | { readonly kind: 'missing'; readonly difference: Difference }
  | Compared;

/** What was compared. */
export interface Compared {
  readonly kind: 'compared';
  readonly differences: readonly Difference[];
  readonly unread: readonly DriftKind[];
  /** A list that did not show the resource, though it did before and another list shows it. */
  readonly leftOutBy?: 'users' | 'companyUsers' | 'groups' | 'restGroups';
  /** True of an unmanaged one that no list showed: it may be gone, which a look of its own tells. */
  readonly isUnseen?: true;
}

/** What differs, apart from the kinds of which nothing is known. */
export function toCompared(
  differences: readonly Difference[],
  unread: readonly DriftKind[] = [],
): Compared {
  return { kind: 'compared', differences, unread };
}

/** Another list showed the resource, and this one did not: nothing can be said, and the list was not complete. */
export function leftOut(leftOutBy: 'users' | 'groups'): Compared {
  return { ...toCompared([], DRIFT_KINDS), leftOutBy };
}

/** Whether SCIM did not show in this read what it had shown before; what the answers of REST say stands beside that. */
export function isHiddenByScim(
  { by, shownAt }: { readonly by: string; readonly shownAt?: number },
  since: number,
): boolean {
  return by.startsWith('scim.') && shownAt !== undefined && shownAt < since;
}

/** Nothing can be said. */
export const UNKNOWN: Comparison = { kind: 'unknown' };
/** There is no difference. */
export const NOTHING: Comparison = toCompared([]);
/** There is no difference in one that no list showed and nobody manages. */
export const UNSEEN: Comparison = { ...toCompared([]), isUnseen: true };

/** Whether somebody works on the resource or is about to look at it: whoever does knows better. */
export function isBusy(row: {
  readonly lane_owner: string | null;
  readonly must_look: number;
}): boolean {
  return row.lane_owner !== null || row.must_look !== 0;
}

/** What tells that a row was written, or worked at. */
interface Touched {
  readonly version: number;
  readonly lane_token: number;
}

/** Whether nobody wrote, called or took the lane since the row was read. */
export function isUnchanged(now: Touched & Parameters<typeof isBusy>[0], before: Touched): boolean {
  return !isBusy(now) && now.version === before.version && now.lane_token === before.lane_token;
}
