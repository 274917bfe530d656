import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFolds, foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import { badRequest } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import { toSelector } from '../filter/to-selector.ts';
import { assertFewOfUsers, countComparisons, type Filter } from '../filter/tree.ts';
import {
  compareSortKeys,
  type Part,
  type Place,
  type Sorting,
  toSortKey,
} from '../render/paging.ts';
import { PAGE_ROWS, type Source } from './sources.ts';

/** Filter and order of a request. */
export interface Search {
  readonly filter: Filter | undefined;
  readonly sorting: Sorting | undefined;
}

/** One page of the matches. */
export interface Found<View> {
  /** Number of all matches. */
  readonly total: number;
  readonly views: readonly View[];
  /** The place behind which the next page begins; undefined: this is the last one. */
  readonly next: Place | undefined;
}

/**
 * Finds resources by an index where one answers the whole search, else by looking at every candidate. They are in the
 * order of the request, or in that of creation, which creates and deletes in between do not disturb.
 * @throws ScimError 400 `tooMany`
 */
export async function find<View extends ResourceView>(
  source: Source<View>,
  { filter, sorting }: Search,
  part: Part,
): Promise<Found<View>> {
  const { selector, exact } = toSelector(filter);
  if (exact && sorting === undefined) return findByIndex(source, selector, part);
  const unanswered = exact ? undefined : filter;
  const hits = await scan(source, selector, { filter: unanswered, sorting });
  const compare = (a: Place, b: Place) =>
    (sorting && compareSortKeys(a.key, b.key, sorting)) || a.seq - b.seq;
  hits.sort(compare);
  const { after, offset, limit } = part;
  const rest = after ? hits.filter((hit) => compare(hit, after) > 0) : hits.slice(offset);
  const shown = rest.slice(0, limit);
  const next = rest.length > limit ? shown.at(-1) : undefined;
  return { total: hits.length, views: await readHits(source, shown), next };
}

async function findByIndex<View extends ResourceView>(
  source: Source<View>,
  selector: Selector | undefined,
  { after, offset, limit }: Part,
): Promise<Found<View>> {
  const afterSeq = after?.seq ?? 0;
  // One more tells whether there is another page.
  const views =
    limit === 0 ? [] : await source.list({ selector, offset, afterSeq, limit: limit + 1 });
  const isLast = views.length <= limit;
  const shown = views.slice(0, limit);
  const last = shown.at(-1);
  // A first or last page tells the total by itself.
  const isCounted = isLast && limit > 0 && !after && (offset === 0 || last !== undefined);
  const total = isCounted ? offset + shown.length : await source.count(selector);
  return { total, views: shown, next: isLast || !last ? undefined : { seq: last.seq } };
}

/** Reads the views of matches, in this order. A match that was deleted since is left out: it is in no answer. */
async function readHits<View extends ResourceView>(
  source: Source<View>,
  hits: readonly Place[],
): Promise<View[]> {
  if (hits.length === 0) return [];
  const seqs = hits.map(({ seq }) => seq);
  const views = await source.list({ selector: undefined, seqs, limit: seqs.length });
  const bySeq = new Map(views.map((view) => [view.seq, view]));
  return seqs.map((seq) => bySeq.get(seq)).filter((view) => view !== undefined);
}

/** Most resources that one scan looks at. */
const LOOKS_MAX = 100_000;
const TOO_MANY = `The search would look at more than ${LOOKS_MAX} resources; filter by id, userName, externalId or emails with "eq".`;
/** Comparisons that may be made with any number of resources; a provider's filter has a few. */
const ALWAYS_ALLOWED = 20;
/** Most comparisons of one scan by more than that; one with a resource counts once more for every 1,000 characters of it. */
const COMPARISONS_MAX = 20_000_000;
/** Comparisons after which others are served. */
const COMPARISONS_AT_ONCE = 100_000;

/**
 * Looks at every candidate, some at a time so that other requests are served in between.
 * @param search its filter is what the index could not answer
 * @throws ScimError 400 `tooMany`: users of groups, or all resources, are compared too often; or there are too many of them
 */
async function scan<View extends ResourceView>(
  source: Source<View>,
  selector: Selector | undefined,
  { filter, sorting }: Search,
): Promise<Place[]> {
  const names = new Set([...listNames(filter), ...(sorting?.keys ?? [])]);
  const hasUsers = source.hasUsers(names);
  const comparisons = filter === undefined ? 0 : countComparisons(filter);
  if (hasUsers) assertFewOfUsers(comparisons, 'tooMany');
  const pause = createPause(comparisons);
  const limit = hasUsers ? 1 : PAGE_ROWS;
  const hits: Place[] = [];
  let afterSeq = 0;
  for (let looks = 0; ; looks += limit) {
    if (looks >= LOOKS_MAX) throw badRequest('tooMany', TOO_MANY);
    const views = await source.list({ selector, afterSeq, limit });
    const resources = Iterator.from(await source.load(views, names, filter));
    for (const { seq, attributes } of views) {
      const { value: resource = {} } = resources.next();
      const key = sorting && toSortKey(resource, sorting);
      if (fits(resource, filter, comparisons)) hits.push({ seq, key });
      afterSeq = seq;
      await pause(attributes);
    }
    if (views.length < limit) return hits;
    await nextTurn();
  }
}

/** True when the resource fulfils the filter. Each text of it is folded once for all comparisons. */
function fits(resource: JsonObject, filter: Filter | undefined, comparisons: number): boolean {
  return (
    filter === undefined || matches(filter, resource, comparisons > 1 ? createFolds() : foldCase)
  );
}

/**
 * Counts the comparisons of a scan, each with a resource once more for every 1,000 characters of it. Serves others after
 * many of them. @throws ScimError 400 `tooMany`, out of the call
 */
function createPause(comparisons: number): (attributes: string) => Promise<void> | undefined {
  let spent = 0;
  let pausedAt = 0;
  return (attributes) => {
    spent += comparisons * (1 + Math.floor(attributes.length / 1_000));
    if (comparisons > ALWAYS_ALLOWED && spent > COMPARISONS_MAX) {
      const detail = `The filter compares each resource with ${comparisons} values, which is more than ${COMPARISONS_MAX} comparisons in all; compare with ${ALWAYS_ALLOWED}, or name resources by id, userName, externalId or emails with "eq".`;
      throw badRequest('tooMany', detail);
    }
    if (spent - pausedAt < COMPARISONS_AT_ONCE) return undefined;
    pausedAt = spent;
    return nextTurn();
  };
}

/** The attributes that a filter looks at, so that lists of users are loaded only when they matter. */
function listNames(filter: Filter | undefined): string[] {
  if (filter === undefined) return [];
  switch (filter.kind) {
    case 'and':
    case 'or':
      return filter.parts.flatMap(listNames);
    case 'not':
      return listNames(filter.part);
    case 'nothing':
      return [];
    default:
      return [...filter.target.keys];
  }
}
