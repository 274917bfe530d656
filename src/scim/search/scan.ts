import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFolds, foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import { badRequest } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import { toSelector } from '../filter/to-selector.ts';
import { assertFewOfUsers, countComparisons, type Filter } from '../filter/tree.ts';
import { compareSortKeys, type Sorting, type SortKey, toSortKey } from '../render/paging.ts';
import { PAGE_ROWS, type Search, type Source } from './sources.ts';

/** Most resources that one scan looks at. */
const LOOKS_MAX = 100_000;
const TOO_MANY = `The search would look at more than ${LOOKS_MAX} resources; filter by id, userName, externalId or emails with "eq".`;
/** Comparisons that may be made with any number of resources; a provider's filter has a few. */
const ALWAYS_ALLOWED = 20;
/** Most comparisons of one scan by more than that; one with a resource counts once more for every 1,000 characters of it. */
const COMPARISONS_MAX = 20_000_000;
/** Comparisons after which others are served. */
const COMPARISONS_AT_ONCE = 100_000;

/** Candidates of a scan. `filter` is what the index could not answer; undefined: every candidate matches. */
interface ScanQuery extends Search {
  /** Candidates by an index; undefined: all resources. */
  readonly selector: Selector | undefined;
}

/** Match of a scan: enough to sort it and to find it again. */
export interface Hit {
  readonly seq: number;
  readonly key: SortKey;
}

/**
 * Looks at every candidate, page by page so that other requests are served in between.
 * @returns the matches in order of creation
 * @throws ScimError 400 `tooMany`: users of groups, or all resources, are compared too often; or there are too many of them
 */
async function scan<View extends ResourceView>(
  source: Source<View>,
  query: ScanQuery,
): Promise<Hit[]> {
  const { filter } = query;
  if (filter && source.hasUsers(toNames(query))) {
    assertFewOfUsers(countComparisons(filter), 'tooMany');
  }
  const foresee = createBudget(filter);
  if (foresee) foresee(await source.count(query.selector));
  return look(source, query);
}

async function look<View extends ResourceView>(
  source: Source<View>,
  { selector, ...query }: ScanQuery,
): Promise<Hit[]> {
  const { filter } = query;
  const names = toNames(query);
  const limit = source.hasUsers(names) ? 1 : PAGE_ROWS;
  const hits: Hit[] = [];
  const spend = createBudget(filter);
  let afterSeq = 0;
  for (let looks = 0; ; ) {
    const views = await source.list({ selector, afterSeq, limit });
    spend?.(views.reduce((sum, view) => sum + weigh(view), 0));
    await collect(hits, { views, resources: await source.load(views, names, filter) }, query);
    const last = views.at(-1);
    if (last === undefined || views.length < limit) return hits;
    afterSeq = last.seq;
    looks += views.length;
    if (looks >= LOOKS_MAX) throw badRequest('tooMany', TOO_MANY);
    await nextTurn();
  }
}

/** Adds the matches of a page. Where their comparisons take long, others are served in between. */
async function collect(
  hits: Hit[],
  page: { readonly views: readonly ResourceView[]; readonly resources: Iterable<JsonObject> },
  { filter, sorting }: Search,
): Promise<void> {
  const comparisons = filter === undefined ? 0 : countComparisons(filter);
  const rest = page.views.values();
  let compared = 0;
  for (const resource of page.resources) {
    const view = rest.next().value;
    if (view === undefined) return;
    // Each text of the resource is folded once for all comparisons.
    const fold = comparisons > 1 ? createFolds() : foldCase;
    if (filter === undefined || matches(filter, resource, fold)) {
      hits.push({ seq: view.seq, key: sorting && toSortKey(resource, sorting) });
    }
    compared += comparisons * weigh(view);
    if (compared < COMPARISONS_AT_ONCE) continue;
    compared = 0;
    await nextTurn();
  }
}

/**
 * Budget of a filter of many comparisons; undefined: it needs none. Each call spends a number of comparisons with the
 * whole filter.
 * @throws ScimError 400 `tooMany`, out of the call
 */
function createBudget(filter: Filter | undefined): ((looks: number) => void) | undefined {
  const comparisons = filter === undefined ? 0 : countComparisons(filter);
  if (comparisons <= ALWAYS_ALLOWED) return undefined;
  let spent = 0;
  return (looks) => {
    spent += comparisons * looks;
    if (spent <= COMPARISONS_MAX) return;
    const detail = `The filter compares each resource with ${comparisons} values, which is more than ${COMPARISONS_MAX} comparisons in all; compare with ${ALWAYS_ALLOWED}, or name resources by id, userName, externalId or emails with "eq".`;
    throw badRequest('tooMany', detail);
  };
}

/** Looks that one at this resource counts as. */
function weigh({ attributes }: ResourceView): number {
  return 1 + Math.floor(attributes.length / 1_000);
}

/** Attributes that the filter and the order look at. */
function toNames({ filter, sorting }: Search): Set<string> {
  return new Set([...(filter ? listNames(filter) : []), ...(sorting?.keys ?? [])]);
}

/** Compares two matches for `Array.sort`; of equal ones the older comes first. */
function compareHits(a: Hit, b: Hit, sorting: Sorting): number {
  return compareSortKeys(a.key, b.key, sorting) || a.seq - b.seq;
}

/** Reads the views of matches, in this order. A match that was deleted since is left out: it is in no answer. */
async function readHits<View extends ResourceView>(
  source: Pick<Source<View>, 'list'>,
  hits: readonly Hit[],
): Promise<View[]> {
  if (hits.length === 0) return [];
  const seqs = hits.map(({ seq }) => seq);
  const views = await source.list({ selector: undefined, seqs, limit: seqs.length });
  const bySeq = new Map(views.map((view) => [view.seq, view]));
  return seqs.map((seq) => bySeq.get(seq)).filter((view) => view !== undefined);
}

/** The attributes that a filter looks at, so that lists of users are loaded only when they matter. */
function listNames(filter: Filter): string[] {
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(listNames);
    case 'not':
      return listNames(filter.part);
    case 'some':
    case 'compare':
    case 'present':
      return [...filter.target.keys];
    default:
      return [];
  }
}

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
