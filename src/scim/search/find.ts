import type { Selector } from '../../domain/selector.ts';
import { workInTurns } from '../../domain/turns.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import { toSelector } from '../filter/to-selector.ts';
import { renderHits, scan } from './scan.ts';
import { sortHits } from './sort-hits.ts';
import type { Search, Source } from './sources.ts';

/** Part of the matches that is shown. */
export interface Part {
  readonly offset: number;
  readonly limit: number;
}

/** Number of all matches, and the part that was asked for. */
export interface Found {
  readonly total: number;
  readonly resources: readonly string[];
}

/**
 * Finds resources by an index where one answers the whole filter, else by looking at every candidate,
 * a few at a time so that other requests are served in between.
 */
export async function find<View extends ResourceView>(
  source: Source<View>,
  { filter, sorting }: Search,
  part: Part,
): Promise<Found> {
  const { selector, exact } = filter ? toSelector(filter) : { selector: undefined, exact: true };
  if (exact && sorting === undefined) return findByIndex(source, selector, part);
  const { hits: found } = await scan(source, {
    selector,
    filter: exact ? undefined : filter,
    sorting,
  });
  const hits = sorting ? await workInTurns(sortHits(found, sorting), source.turns) : found;
  const shown = hits.slice(part.offset, part.offset + part.limit);
  return { total: hits.length, resources: await renderHits(source, shown) };
}

async function findByIndex<View extends ResourceView>(
  source: Source<View>,
  selector: Selector | undefined,
  { offset, limit }: Part,
): Promise<Found> {
  const views = limit === 0 ? [] : await source.list({ selector, offset, limit });
  // A page that ends before its limit tells the total, so that no count is needed.
  const isLast = views.length < limit && (views.length > 0 || offset === 0);
  const total = isLast ? offset + views.length : await source.count(selector);
  return { total, resources: await source.render(views) };
}
