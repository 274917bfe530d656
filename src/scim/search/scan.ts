import type { JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import type { Turns } from '../../domain/turns.ts';
import type { ResourceView } from '../../store/views.ts';
import { matches, matchesInPieces } from '../filter/matches.ts';
import { assertFewOfPeople, countComparisons, type Filter } from '../filter/tree.ts';
import { compareSortKeys, type Sorting, type SortKey, toSortKey } from '../render/sorting.ts';
import type { Search, Source } from './sources.ts';

/** Resources read at once. */
const SCAN_CHUNK = 200;
/** Characters of a resource, each as often as it is compared, that are looked at without a pause. */
const AT_ONCE_MAX = 300_000;

/** What is looked at, and how far. */
export interface ScanQuery {
  /** What an index narrows it down to. */
  readonly selector: Selector | undefined;
  /** What the index could not answer; undefined: everything that is looked at matches. */
  readonly filter: Filter | undefined;
  readonly sorting: Sorting | undefined;
  /** Only those created after this one. */
  readonly afterSeq?: number;
  /** Stops soon after so many matches. */
  readonly hitsMax?: number;
  /** Stops soon after so many resources were looked at. */
  readonly looksMax?: number;
}

/** What is kept of a match while the rest is looked at: enough to sort it and to find it again. */
export interface Hit {
  readonly seq: number;
  readonly key: SortKey;
}

/** What a scan found. */
export interface Scanned {
  /** In order of creation. */
  readonly hits: Hit[];
  /** The last one that was looked at, where there may be more; undefined: there are no more. */
  readonly stoppedAt: number | undefined;
}

/**
 * Looks at every candidate, a few at a time so that others are served in between.
 * @throws ScimError 400 `tooMany`: people are compared too often; 503: nobody waits for the answer
 */
export async function scan<View extends ResourceView>(
  source: Source<View>,
  query: ScanQuery,
): Promise<Scanned> {
  const { filter } = query;
  if (filter && source.hasPeople(toNames(query))) assertFewOfPeople(countComparisons(filter));
  return source.pace.run((turns) => look(source, query, turns));
}

async function look<View extends ResourceView>(
  source: Source<View>,
  { selector, afterSeq: startSeq = 0, ...query }: ScanQuery,
  turns: Turns,
): Promise<Scanned> {
  const { hitsMax = Number.POSITIVE_INFINITY, looksMax = Number.POSITIVE_INFINITY } = query;
  const names = toNames(query);
  const hasPeople = source.hasPeople(names);
  const limit = hasPeople ? 1 : SCAN_CHUNK;
  const hits: Hit[] = [];
  let afterSeq = startSeq;
  for (let looks = 0; ; ) {
    const views = await source.list({ selector, afterSeq, limit });
    const found = toHits(views, await source.load(views, names), { ...query, hasPeople });
    await pushAll(hits, found, turns);
    const last = views.at(-1);
    if (last === undefined || views.length < limit) return { hits, stoppedAt: undefined };
    afterSeq = last.seq;
    looks += views.length;
    if (hits.length >= hitsMax || looks >= looksMax) return { hits, stoppedAt: afterSeq };
  }
}

async function pushAll(hits: Hit[], found: Iterable<Hit | undefined>, turns: Turns): Promise<void> {
  for (const hit of found) {
    if (hit) hits.push(hit);
    const pause = turns();
    if (pause) await pause;
  }
}

/** What is looked at. */
function toNames({ filter, sorting }: Search): Set<string> {
  return new Set([...(filter ? listNames(filter) : []), ...(sorting?.keys ?? [])]);
}

/** One after the other, as they are asked for; undefined: no match, or not yet. */
function* toHits(
  views: readonly ResourceView[],
  resources: Iterable<JsonObject>,
  { filter, sorting, hasPeople }: Search & { readonly hasPeople: boolean },
): Generator<Hit | undefined> {
  const rest = views.values();
  for (const resource of resources) {
    const view = rest.next().value;
    if (view === undefined) return;
    const length = hasPeople ? Number.POSITIVE_INFINITY : view.attributes.length;
    const isHit = yield* test(filter, resource, length);
    const { seq } = view;
    yield isHit ? { seq, key: sorting && toSortKey(resource, sorting) } : undefined;
  }
}

/** In pieces where the filter asks a large resource for much; each of them is no match yet. */
function* test(
  filter: Filter | undefined,
  resource: JsonObject,
  length: number,
): Generator<undefined, boolean> {
  if (filter === undefined) return true;
  if (countComparisons(filter) * length <= AT_ONCE_MAX) return matches(filter, resource);
  const work = matchesInPieces(filter, resource);
  for (let piece = work.next(); ; piece = work.next()) {
    if (piece.done) return piece.value;
    yield undefined;
  }
}

/** In which order two matches are shown; of equal ones the older first. */
export function compareHits(a: Hit, b: Hit, sorting: Sorting): number {
  return compareSortKeys(a.key, b.key, sorting) || a.seq - b.seq;
}

/** The matches as the request wants to see them, in this order. */
export async function renderHits<View extends ResourceView>(
  source: Source<View>,
  hits: readonly Hit[],
): Promise<string[]> {
  if (hits.length === 0) return [];
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
    case 'compare':
    case 'present':
      return [...filter.target.keys];
    default:
      return [];
  }
}
