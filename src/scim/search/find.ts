import type { Selector } from '../../domain/selector.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import { toSelector } from '../filter/to-selector.ts';
import { compareHits, readHits, scan } from './scan.ts';
import type { Search, Source } from './sources.ts';

/** Part of the matches that is shown. */
export interface Part {
  readonly offset: number;
  readonly limit: number;
}

/** Number of all matches, and the part of them that was asked for. */
export interface Found<View> {
  readonly total: number;
  readonly views: readonly View[];
}

/**
 * Finds resources by an index where one answers the whole filter, else by looking at every candidate,
 * a few at a time so that other requests are served in between.
 */
export async function find<View extends ResourceView>(
  source: Source<View>,
  { filter, sorting }: Search,
  part: Part,
): Promise<Found<View>> {
  const { selector, exact } = toSelector(filter);
  if (exact && sorting === undefined) return findByIndex(source, selector, part);
  const unanswered = exact ? undefined : filter;
  const found = await scan(source, { selector, filter: unanswered, sorting });
  const hits = sorting ? found.sort((a, b) => compareHits(a, b, sorting)) : found;
  const shown = hits.slice(part.offset, part.offset + part.limit);
  return { total: hits.length, views: await readHits(source, shown) };
}

async function findByIndex<View extends ResourceView>(
  source: Source<View>,
  selector: Selector | undefined,
  { offset, limit }: Part,
): Promise<Found<View>> {
  const views = limit === 0 ? [] : await source.list({ selector, offset, limit });
  // A page that ends before its limit tells the total, so that no count is needed.
  const isLast = views.length < limit && (views.length > 0 || offset === 0);
  const total = isLast ? offset + views.length : await source.count(selector);
  return { total, views };
}
