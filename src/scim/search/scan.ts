import { setImmediate as nextTurn } from 'node:timers/promises';
import { createFolds, foldCase } from '../../domain/fold.ts';
import type { JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import type { ResourceView } from '../../store/resources/views.ts';
import { badRequest } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import { assertFewOfUsers, countComparisons, type Filter } from '../filter/tree.ts';
import { compareSortKeys, type Sorting, type SortKey, toSortKey } from '../render/sorting.ts';
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
export async function scan<View extends ResourceView>(
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
export function compareHits(a: Hit, b: Hit, sorting: Sorting): number {
  return compareSortKeys(a.key, b.key, sorting) || a.seq - b.seq;
}

/** Reads the views of matches, in this order. A match that was deleted since is left out: it is in no answer. */
export async function readHits<View extends ResourceView>(
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
