import type { Selector } from '../../domain/selector.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import { toSelector } from '../filter/to-selector.ts';
import type { Filter } from '../filter/tree.ts';
import type { Sorting } from '../render/sorting.ts';
import { compareHits, type Hit, readHits, scan } from './scan.ts';
import type { Search, Source } from './sources.ts';

/** Most resources that one page looks at where no index answers; then the page ends short, with a cursor. */
const LOOKS_MAX = 10_000;
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
  /** Number of all matches; undefined: not counted, because that would look at every resource. */
  readonly total: number | undefined;
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
  if (sorting) return findSorted(source, { selector, filter: unanswered, sorting }, part);
  if (unanswered) return findByScan(source, { selector, filter: unanswered }, part);
  return findByIndex(source, selector, part);
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

/** Scans on where the page before stopped; its work is bounded, with or without matches. */
async function findByScan<View extends ResourceView>(
  source: Source<View>,
  query: { selector: Selector | undefined; filter: Filter },
  { after, limit }: PartAfter,
): Promise<FoundAfter<View>> {
  const { hits, stoppedAt } = await scan(source, {
    ...query,
    sorting: undefined,
    afterSeq: after?.seq ?? 0,
    hitsMax: limit + 1,
    looksMax: LOOKS_MAX,
  });
  const shown = hits.slice(0, limit);
  const stop = stoppedAt === undefined ? undefined : { seq: stoppedAt, key: undefined };
  const next = hits.length > limit ? shown.at(-1) : stop;
  const isAll = after === undefined && next === undefined;
  const total = isAll ? hits.length : undefined;
  return { total, views: await readHits(source, shown), next };
}

/** Looks at every candidate, because only then is an order other than that of creation known. */
async function findSorted<View extends ResourceView>(
  source: Source<View>,
  query: { selector: Selector | undefined; filter: Filter | undefined; sorting: Sorting },
  { after, limit }: PartAfter,
): Promise<FoundAfter<View>> {
  const { sorting } = query;
  const found = (await scan(source, query)).hits.map(withShortKey);
  const hits = found.sort((a, b) => compareHits(a, b, sorting));
  const rest = after ? hits.filter((hit) => compareHits(hit, after, sorting) > 0) : hits;
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
