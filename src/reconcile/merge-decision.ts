import type { Sightings } from '../domain/resource-state.ts';
import type { ResourceRow } from '../store/resources/rows.ts';
import { isInFlight, toObservation } from '../store/resources/state.ts';
import { companyUsers, groups } from '../upstream/operations/people.ts';
import { scim } from '../upstream/operations/scim.ts';

const LISTS: readonly string[] = [
  scim.getUsers.id,
  companyUsers.getListOfUsers.id,
  scim.getGroups.id,
  groups.getListOfGroups.id,
];

/**
 * Use of a list entry for a user or group that is known.
 * - `merge`: the entry is newer than the stored state
 * - `drop`: the resource is being worked on, is better known, or was deleted
 * - `look-again`: it was written after the list was asked for, so only a look of its own can tell
 */
export type MergeDecision = 'merge' | 'drop' | 'look-again';

/**
 * Decides on the entry of a list that was asked for at `sentAt` (epoch milliseconds). Only lists write an unmanaged
 * resource, so there a list of the same moment counts. No list brings back what was deleted.
 */
export function decideMerge(row: ResourceRow, sentAt: number): MergeDecision {
  const seen = toObservation(row);
  if (isInFlight(row)) return 'drop';
  const isOlder = row.modified_at >= sentAt || wasSeenSince(seen, sentAt);
  if (row.deleted_at !== null) return isOlder || row.type === 'group' ? 'drop' : 'merge';
  if (row.origin === null) return (seen?.at ?? 0) > sentAt ? 'drop' : 'merge';
  return isOlder ? 'look-again' : 'merge';
}

/** True if it was seen after the list was asked for. Of two lists of one moment this one came later. */
function wasSeenSince(seen: Sightings | undefined, sentAt: number): boolean {
  if (seen === undefined) return false;
  return seen.at > sentAt || (seen.at === sentAt && !LISTS.includes(seen.by));
}
