import type { ResourceView } from '../../store/resources/views.ts';
import type { Store } from '../../store/store.ts';
import type { Source } from './sources.ts';

/** Places of one list that are remembered at most. */
const PLACES_MAX = 1_000;

/** Cache of the list of one type until the next write: its length, and the places where pages begin. */
export interface PlaceCache {
  /** Length of the list; counts only when something was written since. */
  readTotal(count: () => Promise<number>): Promise<number>;
  /** The place in the order of creation behind which `offset` begins, when a page before it was read. */
  findPlace(offset: number): number | undefined;
  /** Reads a page and remembers where the next one begins, unless something was written meanwhile. */
  readPage<View extends ResourceView>(offset: number, read: () => Promise<View[]>): Promise<View[]>;
}

/**
 * Creates the cache. Providers import page by page, and an offset makes a database pass over all rows before it.
 * Nothing is remembered where other processes may write too.
 */
export function createPlaceCache({ generation }: Pick<Store, 'generation'>): PlaceCache {
  let known: number | undefined;
  let total: number | undefined;
  const places = new Map<number, number>();

  /** True when nothing was written since; otherwise forgets everything. */
  function isCurrent(): boolean {
    const now = generation();
    if (now !== undefined && now === known) return true;
    known = now;
    total = undefined;
    places.clear();
    return now !== undefined;
  }

  return {
    async readTotal(count) {
      if (isCurrent() && total !== undefined) return total;
      const before = generation();
      const counted = await count();
      if (before !== undefined && before === generation()) total = counted;
      return counted;
    },
    findPlace: (offset) => (isCurrent() ? places.get(offset) : undefined),
    async readPage(offset, read) {
      const before = generation();
      const views = await read();
      const last = views.at(-1);
      const isSteady = isCurrent() && before === known;
      if (last && isSteady && places.size < PLACES_MAX) places.set(offset + views.length, last.seq);
      return views;
    },
  };
}

/** A source whose whole list is counted once and paged from known places. */
export function withPlaces<View extends ResourceView>(
  source: Source<View>,
  places: PlaceCache,
): Source<View> {
  return {
    ...source,
    count: (selector) =>
      selector === undefined
        ? places.readTotal(() => source.count(undefined))
        : source.count(selector),
    async list(query) {
      const { selector, offset } = query;
      if (selector !== undefined || offset === undefined) return source.list(query);
      const afterSeq = places.findPlace(offset);
      const fromPlace = afterSeq === undefined ? query : { ...query, offset: 0, afterSeq };
      return places.readPage(offset, () => source.list(fromPlace));
    },
  };
}
