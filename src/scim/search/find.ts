import { setImmediate as nextTurn } from 'node:timers/promises';
import type { JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import type { ResourceView, ViewQuery } from '../../store/views.ts';
import { matches } from '../filter/matches.ts';
import { toSelector } from '../filter/to-selector.ts';
import type { Filter } from '../filter/tree.ts';
import { compareSortKeys, type Sorting, type SortKey, toSortKey } from '../render/sorting.ts';

/** Resources looked at between two turns of the event loop. */
const SCAN_CHUNK = 200;

/** How one type of resource is found and shown. */
export interface Source<View extends ResourceView> {
  count(selector: Selector | undefined): Promise<number>;
  list(query: ViewQuery): Promise<View[]>;
  /** The resources whole, as filters and sorting see them; `names` says which lists they look at. */
  load(views: readonly View[], names: ReadonlySet<string>): Promise<JsonObject[]>;
  /** The resources as the request wants to see them. */
  render(views: readonly View[]): Promise<string[]>;
}

/** What a request looks for. */
export interface Search {
  readonly filter: Filter | undefined;
  readonly sorting: Sorting | undefined;
}

/** Which part of what is found is shown. */
export interface Part {
  readonly offset: number;
  readonly limit: number;
}

/** What was found: how many in all, and the part that was asked for. */
export interface Found {
  readonly total: number;
  readonly resources: readonly string[];
}

/**
 * Finds resources by an index where one answers the whole filter, else by looking at every candidate,
 * a few at a time so that others are served in between.
 */
export async function find<View extends ResourceView>(
  source: Source<View>,
  { filter, sorting }: Search,
  part: Part,
): Promise<Found> {
  const { selector, exact } = filter ? toSelector(filter) : { selector: undefined, exact: true };
  if (exact && sorting === undefined) return findByIndex(source, selector, part);
  const hits = await scan(source, { selector, filter: exact ? undefined : filter, sorting });
  const shown = hits.slice(part.offset, part.offset + part.limit);
  return { total: hits.length, resources: await renderHits(source, shown) };
}

async function findByIndex<View extends ResourceView>(
  source: Source<View>,
  selector: Selector | undefined,
  { offset, limit }: Part,
): Promise<Found> {
  const views = limit === 0 ? [] : await source.list({ selector, offset, limit });
  // A page that ends before its limit tells how many there are; a count would look again.
  const isLast = views.length < limit && (views.length > 0 || offset === 0);
  const total = isLast ? offset + views.length : await source.count(selector);
  return { total, resources: await source.render(views) };
}

/** What is kept of a match while the rest is looked at: enough to sort it and to find it again. */
interface Hit {
  readonly seq: number;
  readonly key: SortKey;
}

async function scan<View extends ResourceView>(
  source: Source<View>,
  {
    selector,
    filter,
    sorting,
  }: { selector: Selector | undefined; filter: Filter | undefined; sorting: Sorting | undefined },
): Promise<Hit[]> {
  const names = new Set([...(filter ? listNames(filter) : []), ...(sorting?.keys ?? [])]);
  const hits: Hit[] = [];
  for (let afterSeq = 0; ; ) {
    const views = await source.list({ selector, afterSeq, limit: SCAN_CHUNK });
    const resources = await source.load(views, names);
    for (const [index, view] of views.entries()) {
      const resource = resources[index];
      if (resource === undefined || (filter && !matches(filter, resource))) continue;
      hits.push({ seq: view.seq, key: sorting && toSortKey(resource, sorting) });
    }
    const last = views.at(-1);
    if (last === undefined || views.length < SCAN_CHUNK) break;
    afterSeq = last.seq;
    await nextTurn();
  }
  if (sorting) hits.sort((a, b) => compareSortKeys(a.key, b.key, sorting) || a.seq - b.seq);
  return hits;
}

async function renderHits<View extends ResourceView>(
  source: Source<View>,
  hits: readonly Hit[],
): Promise<string[]> {
  const seqs = hits.map(({ seq }) => seq);
  const views = await source.list({ selector: undefined, seqs, limit: seqs.length });
  // What was deleted since it was found is in no answer.
  const bySeq = new Map(views.map((view) => [view.seq, view]));
  const ordered = seqs.map((seq) => bySeq.get(seq)).filter((view) => view !== undefined);
  return source.render(ordered);
}

/** The attributes that a filter looks at, so that lists of people are loaded only when they matter. */
function listNames(filter: Filter): string[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(listNames);
    case 'not':
      return listNames(filter.part);
    case 'some':
      return [...filter.target.keys];
    case 'compare':
    case 'present':
      return [...filter.target.keys];
    default:
      return [];
  }
}
