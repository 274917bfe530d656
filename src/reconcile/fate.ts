import { type GroupRow, toObservedGroup } from '../store/groups/groups.ts';
import { companyUsers, groups } from '../upstream/operations/people.ts';
import { scim } from '../upstream/operations/scim.ts';

const LISTS: readonly string[] = [
  scim.getUsers.id,
  companyUsers.getListOfUsers.id,
  scim.getGroups.id,
  groups.getListOfGroups.id,
];

/** What is stored of the resource that a list shows. */
export interface StoredResource {
  readonly origin: string | null;
  readonly deleted_at: number | null;
  readonly lane_owner: string | null;
  readonly modified_at: number;
  /** What the service was last seen to hold, when (epoch milliseconds) and by which call; undefined: never seen. */
  readonly seen: { readonly at: number; readonly by: string } | undefined;
}

/**
 * What the word of a list is worth for one resource.
 * - `insert`: nobody knows it yet
 * - `merge`: it is news
 * - `drop`: somebody looks at it right now, knows better, or deleted it
 * - `look-again`: it was written since the list was asked for, so only a look of its own can tell
 */
export type Fate = 'insert' | 'merge' | 'drop' | 'look-again';

/**
 * Judges a resource of a list that was asked for at `sentAt` (epoch milliseconds). An unmanaged one is
 * written by lists alone, so there a list of the same moment still counts.
 */
export function judgeSighting(stored: StoredResource | undefined, sentAt: number): Fate {
  if (stored === undefined) return 'insert';
  const { origin, deleted_at, lane_owner, modified_at, seen } = stored;
  if (deleted_at !== null || lane_owner !== null) return 'drop';
  if (origin === null) return (seen?.at ?? 0) > sentAt ? 'drop' : 'merge';
  return modified_at >= sentAt || wasSeenSince(seen, sentAt) ? 'look-again' : 'merge';
}

/** What the word of a list asked for at `sentAt` (epoch milliseconds) is worth for this group. */
export function toGroupFate(row: GroupRow | undefined, sentAt: number): Fate {
  const stored = row && { ...row, seen: toObservedGroup(row) };
  return judgeSighting(stored, sentAt);
}

/** The same of somebody deleted through SCIM, whom no list brings back: an account that works again is worth knowing. */
export function judgeReturn(stored: StoredResource, sentAt: number): 'merge' | 'drop' {
  const { lane_owner, modified_at, seen } = stored;
  return lane_owner !== null || modified_at >= sentAt || wasSeenSince(seen, sentAt)
    ? 'drop'
    : 'merge';
}

/** Lists are read one after another, so one of the same moment was read before; any other call may have come after. */
function wasSeenSince(seen: StoredResource['seen'], sentAt: number): boolean {
  if (seen === undefined) return false;
  return seen.at > sentAt || (seen.at === sentAt && !LISTS.includes(seen.by));
}

/** The columns that have a resource looked at soon, without delaying what is due earlier. */
export function toLookAgainColumns(
  row: { readonly due_at: number | null; readonly due_class: 0 | 1 | 2 },
  now: number,
) {
  const due =
    row.due_at === null
      ? ({ due_at: now, due_class: 2 } as const)
      : { due_at: Math.min(row.due_at, now), due_class: row.due_class };
  return { ...due, must_look: 1 };
}
