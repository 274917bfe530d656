/** What is stored of the resource that a list shows. */
export interface StoredResource {
  readonly origin: string | null;
  readonly deleted_at: number | null;
  readonly lane_owner: string | null;
  readonly modified_at: number;
  /** When the service was last seen to hold it; undefined: never. */
  readonly observedAt: number | undefined;
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
  const { origin, deleted_at, lane_owner, modified_at, observedAt = 0 } = stored;
  if (deleted_at !== null || lane_owner !== null) return 'drop';
  if (origin === null) return observedAt > sentAt ? 'drop' : 'merge';
  return Math.max(modified_at, observedAt) >= sentAt ? 'look-again' : 'merge';
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
