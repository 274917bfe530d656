import type { Selector } from '../../domain/selector.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import { toSelector } from '../filter/to-selector.ts';
import { compareHits, type Hit, readHits, scan } from './scan.ts';
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
  if (exact && sorting === undefined) return findPart(source, selector, part);
  const unanswered = exact ? undefined : filter;
  const found = await scan(source, { selector, filter: unanswered, sorting });
  const hits = sorting ? found.sort((a, b) => compareHits(a, b, sorting)) : found;
  const shown = hits.slice(part.offset, part.offset + part.limit);
  return { total: hits.length, views: await readHits(source, shown) };
}

async function findPart<View extends ResourceView>(
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

/** Characters of a text that decide about the order, so that a cursor fits into an address. */
const KEY_LENGTH_MAX = 200;

/** The part of a list behind a place. */
interface PartAfter {
  /** The last one of the page before; undefined: the first page. */
  readonly after: Hit | undefined;
  readonly limit: number;
}

/** One page, and where the next one begins. */
interface FoundAfter<View> {
  /** Number of all matches. */
  readonly total: number;
  readonly views: readonly View[];
  /** The place behind which the next page begins; undefined: this is the last one. */
  readonly next: Hit | undefined;
}

/**
 * Finds the resources behind a place in the order of the request, or in the order of creation, which creates and
 * deletes in between do not disturb.
 */
export async function findAfter<View extends ResourceView>(
  source: Source<View>,
  { filter, sorting }: Search,
  part: PartAfter,
): Promise<FoundAfter<View>> {
  const { selector, exact } = toSelector(filter);
  const unanswered = exact ? undefined : filter;
  if (unanswered === undefined && sorting === undefined) {
    return findByIndex(source, selector, part);
  }
  return findByScan(source, { selector, filter: unanswered, sorting }, part);
}

async function findByIndex<View extends ResourceView>(
  source: Source<View>,
  selector: Selector | undefined,
  { after, limit }: PartAfter,
): Promise<FoundAfter<View>> {
  const views = await source.list({ selector, afterSeq: after?.seq ?? 0, limit: limit + 1 });
  const shown = views.slice(0, limit);
  const next = views.length > limit ? toPlace(shown.at(-1)) : undefined;
  const isAll = after === undefined && next === undefined;
  const total = isAll ? views.length : await source.count(selector);
  return { total, views: shown, next };
}

/** Looks at every candidate, because only then their number and an order other than that of creation are known. */
async function findByScan<View extends ResourceView>(
  source: Source<View>,
  query: Search & { readonly selector: Selector | undefined },
  { after, limit }: PartAfter,
): Promise<FoundAfter<View>> {
  const compare = (a: Hit, b: Hit) =>
    query.sorting ? compareHits(a, b, query.sorting) : a.seq - b.seq;
  const hits = (await scan(source, query)).map(withShortKey).sort(compare);
  const rest = after ? hits.filter((hit) => compare(hit, after) > 0) : hits;
  const shown = rest.slice(0, limit);
  const next = rest.length > limit ? shown.at(-1) : undefined;
  return { total: hits.length, views: await readHits(source, shown), next };
}

function toPlace(view: ResourceView | undefined): Hit | undefined {
  return view && { seq: view.seq, key: undefined };
}

function withShortKey({ seq, key }: Hit): Hit {
  return { seq, key: typeof key === 'string' ? key.slice(0, KEY_LENGTH_MAX) : key };
}
