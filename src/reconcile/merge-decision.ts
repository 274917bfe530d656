import type { GroupRow } from '../store/resources/rows.ts';
import { toObservedGroup } from '../store/resources/state.ts';
import { companyUsers, groups } from '../upstream/operations/people.ts';
import { scim } from '../upstream/operations/scim.ts';

const LISTS: readonly string[] = [
  scim.getUsers.id,
  companyUsers.getListOfUsers.id,
  scim.getGroups.id,
  groups.getListOfGroups.id,
];

/** Stored state of a resource that a list shows. */
export interface StoredResource {
  readonly origin: string | null;
  readonly deleted_at: number | null;
  readonly in_flight: number;
  readonly modified_at: number;
  /** Last observation, with its time (epoch milliseconds) and its call; undefined when the service never showed it. */
  readonly seen: { readonly at: number; readonly by: string } | undefined;
}

/**
 * Use of a list entry for one resource.
 * - `insert`: the resource is new
 * - `merge`: the entry is newer than the stored state
 * - `drop`: the resource is being worked on, is better known, or was deleted
 * - `look-again`: it was written after the list was asked for, so only a look of its own can tell
 */
export type MergeDecision = 'insert' | 'merge' | 'drop' | 'look-again';

/**
 * Decides on the entry of a list that was asked for at `sentAt` (epoch milliseconds). Only lists write an unmanaged
 * resource, so there a list of the same moment still counts.
 */
export function decideMerge(stored: StoredResource | undefined, sentAt: number): MergeDecision {
  if (stored === undefined) return 'insert';
  const { origin, deleted_at, in_flight, modified_at, seen } = stored;
  if (deleted_at !== null || in_flight !== 0) return 'drop';
  if (origin === null) return (seen?.at ?? 0) > sentAt ? 'drop' : 'merge';
  return modified_at >= sentAt || wasSeenSince(seen, sentAt) ? 'look-again' : 'merge';
}

/** Decides on an entry of a list of groups that was asked for at `sentAt` (epoch milliseconds). */
export function decideGroupMerge(row: GroupRow | undefined, sentAt: number): MergeDecision {
  const stored = row && { ...row, seen: toObservedGroup(row) };
  return decideMerge(stored, sentAt);
}

/**
 * Decides the same for a user deleted through SCIM: no list brings the user back, but an account that works again is
 * stored.
 */
export function decideDeletedMerge(stored: StoredResource, sentAt: number): 'merge' | 'drop' {
  const { in_flight, modified_at, seen } = stored;
  return in_flight !== 0 || modified_at >= sentAt || wasSeenSince(seen, sentAt) ? 'drop' : 'merge';
}

/**
 * True when it was seen after the list was asked for. Lists are read one after another, so a list of the same moment
 * came before; any other call may have come after.
 */
function wasSeenSince(seen: StoredResource['seen'], sentAt: number): boolean {
  if (seen === undefined) return false;
  return seen.at > sentAt || (seen.at === sentAt && !LISTS.includes(seen.by));
}
