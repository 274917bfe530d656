import type { Selector } from '../../domain/selector.ts';
import { workInTurns } from '../../domain/turns.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import { toSelector } from '../filter/to-selector.ts';
import { type Hit, readHits, scan } from './scan.ts';
import { sortHits } from './sort-hits.ts';
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
  const found = await findHits(source, { filter, sorting });
  const hits = sorting ? await workInTurns(sortHits(found, sorting), source.turns) : found;
  const shown = hits.slice(part.offset, part.offset + part.limit);
  return { total: hits.length, views: await readHits(source, shown) };
}

/** Looks at every candidate of a search; the matches come in order of creation. */
export async function findHits<View extends ResourceView>(
  source: Source<View>,
  { filter, sorting }: Search,
): Promise<Hit[]> {
  const { selector, exact } = toSelector(filter);
  return (await scan(source, { selector, filter: exact ? undefined : filter, sorting })).hits;
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
