import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import { GROUP_EXTENSION } from '../../domain/extensions.ts';
import type { JsonObject, ResourceKey } from '../../domain/values.ts';
import { createFolds, foldCase, isJsonObject } from '../../domain/values.ts';
import type { Selector, ViewQuery } from '../../store/resources/views.ts';
import { countViews, listSeqs, listViews } from '../../store/resources/views.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { countSchemas } from '../dialect/parse-json.ts';
import { badRequest, invalidSyntax, invalidValue } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import { findTarget, parseFilter } from '../filter/parse-filter.ts';
import { toSelector } from '../filter/to-selector.ts';
import type { Filter } from '../filter/tree.ts';
import { assertFewOfUsers, countComparisons } from '../filter/tree.ts';
import type { QueryParameters } from '../http/address.ts';
import { toParameters } from '../http/address.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, toProviderDeps } from '../http/notes.ts';
import { sendPieces } from '../http/respond.ts';
import type { Part, Place, Sorting } from '../render/paging.ts';
import {
  compareSortKeys,
  hasCursor,
  parsePage,
  parseSorting,
  toSortKey,
} from '../render/paging.ts';
import type { Projection } from '../render/projection.ts';
import { EVERYTHING, parseProjection } from '../render/projection.ts';
import type { Shown, View } from '../render/resources.ts';
import { load, renderAll, show } from '../render/resources.ts';
import type { Repairs } from '../repairs.ts';
import type { ResourceSchema } from '../schema/resource-schemas.ts';

/** The resources of one type, as one request finds them. */
export interface Source {
  readonly deps: ProviderDeps;
  readonly type: ResourceKey['type'];
}

type Query = Omit<ViewQuery, 'provider'>;

/** Rows that are read and compared at once; between two pages others are served. Of the largest users they are 32 MB. */
const PAGE_ROWS = 128;

/** Reads rows page by page. Each page begins behind the last row of the one before. */
async function listFound({ deps, type }: Source, query: Query) {
  const { provider, store } = deps;
  const asked = { ...query, provider };
  const views: View[] = [];
  let length = 0;
  for (;;) {
    const last = views.at(-1);
    const limit = Math.min(query.limit - views.length, PAGE_ROWS);
    const behind = last && { offset: 0, afterSeq: last.seq };
    const page: View[] = await listViews(store.read, type, { ...asked, limit, ...behind });
    views.push(...page);
    length += page.reduce((sum, { document }) => sum + document.length, 0);
    deps.hold?.(length);
    if (page.length < limit || views.length >= query.limit) return views;
    await nextTurn();
  }
}

/** Shows what a query finds, in order of creation. Cached users are not read. */
async function showFound(source: Source, query: Query): Promise<Shown[]> {
  const { deps, type } = source;
  if (type === 'group' || deps.userCache === undefined)
    return (await listFound(source, query)).map((view) => show(deps, view));
  const { provider, store } = deps;
  return showEach(source, await listSeqs(store.read, type, { ...query, provider }));
}

/** Shows these in their order. One that was deleted since is left out: it is in no answer. */
async function showEach(source: Source, seqs: readonly number[]): Promise<Shown[]> {
  const { userCache, provider } = source.deps;
  const bySeq = new Map<number, Shown>();
  for (const user of seqs.flatMap((seq) => userCache?.find(seq, provider) ?? []))
    bySeq.set(user.seq, user);
  const missing = seqs.filter((seq) => !bySeq.has(seq));
  const cache = userCache?.beginRead();
  const query = { selector: undefined, seqs: missing, limit: missing.length };
  const views = missing.length === 0 ? [] : await listFound(source, query);
  for (const view of views) bySeq.set(view.seq, show(source.deps, view, cache));
  return seqs.flatMap((seq) => bySeq.get(seq) ?? []);
}

function toOwnIds({ deps, type }: Source, selector: Selector): Selector {
  if (selector.kind === 'and' || selector.kind === 'or') {
    return { ...selector, parts: selector.parts.map((part) => toOwnIds({ deps, type }, part)) };
  }
  if (selector.kind !== 'id' && selector.kind !== 'member') return selector;
  const other = type === 'user' ? 'group' : 'user';
  const of = selector.kind === 'id' ? type : other;
  return { ...selector, value: deps.toOwnId(of, selector.value) };
}

/** Lists of users, which may be long. */
const USER_LISTS = ['members', GROUP_EXTENSION] as const;

/** Projection without the lists of users that a search does not look at. */
function toNeeded(names: ReadonlySet<string>): Projection {
  const others = USER_LISTS.filter((list) => !names.has(list));
  return { ...EVERYTHING, except: new Map(others.map((list) => [list, 'whole'])) };
}

/** GET of a list and POST of its .search: of one type or, at the root, of users and then groups. @throws ScimError 400 @see RFC 7644 §3.4.2, §3.4.3; RFC 9865 */
export function searchResources(deps: ScimDeps, ...types: ResourceKey['type'][]): RequestHandler {
  const isForOthers = types.length > 1;
  const isKnown = (type: ResourceKey['type'], name: string) =>
    findTarget(deps.schemas[type], name) !== undefined;
  const endpoint = isForOthers ? '' : types.map((type) => `${deps.schemas[type].name}s`).join();
  return async (req, res) => {
    for (const type of types) assertOpen(deps, type);
    const { repairs } = getNotes(res);
    const query = toQuery(req, repairs);
    if (isForOthers && hasCursor(query)) {
      const detail = 'A cursor leads through Users or through Groups, not both.';
      throw badRequest('invalidCursor', detail);
    }
    const asked = toProviderDeps(deps, res);
    const read = types.map((type) => {
      const schema = deps.schemas[type];
      const count: Repairs['count'] = (kind, name = '') => {
        // A name that one type lacks may be the other one's. One that both lack counts once.
        const isUnknown = type === types[0] && !types.some((one) => isKnown(one, name));
        if (kind !== 'filter-unknown' || isUnknown) repairs.count(kind, name);
      };
      const search = parseSearch(query, { schema, repairs: { count }, isForOthers });
      const source: Source = { deps: asked, type };
      return { source, search, projection: parseProjection(query, schema) };
    });
    const { open, ...page } = parsePage(query, endpoint);
    let [total, count] = [0, 0];
    let next: Place | undefined;
    const texts: AsyncIterable<string>[] = [];
    for (const { source, search, projection } of read) {
      const offset = Math.max(page.offset - total, 0);
      const found = await find(source, search, { ...page, offset, limit: page.limit - count });
      const { shown } = found;
      if (shown.length > 0) texts.push(renderAll(asked, shown, projection));
      total += found.total;
      count += shown.length;
      next = found.next;
    }
    await sendPieces(res, 200, join(open({ total, count, next }), texts));
  };
}

async function* join(opening: string, texts: AsyncIterable<string>[]): AsyncGenerator<string> {
  yield opening;
  for (const [index, text] of texts.entries()) {
    if (index > 0) yield ',';
    yield* text;
  }
  yield ']}';
}

type Search = ReturnType<typeof parseSearch>;

/** The filter and the order that a request asks for. @throws ScimError 400 */
export function parseSearch(
  query: QueryParameters,
  { schema, ...reading }: { schema: ResourceSchema; repairs: Repairs; isForOthers?: boolean },
) {
  // A filter that is blank is a mistake: it must not find everybody.
  const hasFilter = query.filter !== undefined && query.filter !== null;
  return {
    filter: hasFilter ? parseFilter(query.filter, schema, reading) : undefined,
    sorting: parseSorting(query, schema),
  };
}

/** The parameters of a GET or of a search body. @throws ScimError 400 */
export function toQuery(req: Request, repairs: Repairs): QueryParameters {
  if (req.method !== 'POST') {
    // Decoding puts this character in the place of bytes that are not UTF-8.
    const isBroken = (value: unknown) => typeof value === 'string' && value.includes('\uFFFD');
    if (Object.values(req.query).some(isBroken)) throw invalidValue('A parameter is not UTF-8.');
    return toParameters(req.query, repairs);
  }
  const body: unknown = req.body;
  if (!isJsonObject(body)) throw invalidSyntax('A search needs a JSON object as its body.');
  countSchemas(body, ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], repairs);
  return toParameters(body, repairs);
}

/** Finds resources by an index where one answers the whole search, else by looking at every candidate; in order of creation unless sorted. @throws ScimError 400 `tooMany` */
async function find(source: Source, { filter, sorting }: Search, part: Part) {
  const { selector: asked, exact } = toSelector(filter);
  const selector = asked && toOwnIds(source, asked);
  if (exact && sorting === undefined) return findByIndex(source, selector, part);
  const unanswered = exact ? undefined : filter;
  const hits = await scan(source, selector, { filter: unanswered, sorting });
  const { page, next } = cutPage(hits, sorting, part);
  const seqs = page.map(({ seq }) => seq);
  return { total: hits.length, shown: await showEach(source, seqs), next };
}

/** Sorts what was found, in order of creation where its keys are the same, and cuts the part out that is asked for. */
export function cutPage<Hit extends Place>(
  hits: Hit[],
  sorting: Sorting | undefined,
  { after, offset, limit }: Part,
) {
  const compare = (a: Place, b: Place) =>
    (sorting && compareSortKeys(a.key, b.key, sorting)) || a.seq - b.seq;
  hits.sort(compare);
  const rest = after ? hits.filter((hit) => compare(hit, after) > 0) : hits.slice(offset);
  const page = rest.slice(0, limit);
  return { page, next: rest.length > limit ? page.at(-1) : undefined };
}

async function findByIndex(
  source: Source,
  selector: Selector | undefined,
  { after, offset, limit }: Part,
) {
  const afterSeq = after?.seq ?? 0;
  // One more tells whether there is another page.
  const query = { selector, offset, afterSeq, limit: limit + 1 };
  const found = limit === 0 ? [] : await showFound(source, query);
  const isLast = found.length <= limit;
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  // A first or last page tells the total by itself.
  const isCounted = isLast && limit > 0 && !after && (offset === 0 || last !== undefined);
  const { store, provider } = source.deps;
  const total = isCounted
    ? offset + shown.length
    : await countViews(store.read, source.type, { selector, provider });
  return { total, shown, next: isLast || !last ? undefined : { seq: last.seq } };
}

const LOOKS_MAX = 100_000;
const TOO_MANY = `The search would look at more than ${LOOKS_MAX} resources; filter by id, userName, externalId or emails with "eq".`;
/** Comparisons that may be made with any number of resources; a provider's filter has a few. */
const ALWAYS_ALLOWED = 20;
/** Most comparisons of one scan by more than that; one with a resource counts once more for every 1,000 characters of it. */
const COMPARISONS_MAX = 20_000_000;
const COMPARISONS_AT_ONCE = 100_000;

/** Looks at every candidate, some at a time, with the filter that the index could not answer. @throws ScimError 400 `tooMany` */
async function scan(source: Source, selector: Selector | undefined, { filter, sorting }: Search) {
  const names = new Set([...listNames(filter), ...(sorting?.keys ?? [])]);
  const isOfUsers = source.type === 'group' && USER_LISTS.some((list) => names.has(list));
  const comparisons = filter ? countComparisons(filter) : 0;
  if (isOfUsers) assertFewOfUsers(comparisons, 'tooMany');
  const pause = createPause(comparisons);
  const needed = toNeeded(names);
  const limit = isOfUsers ? 1 : PAGE_ROWS;
  const hits: Place[] = [];
  let afterSeq = 0;
  for (let looks = 0; looks < LOOKS_MAX; looks += limit) {
    const views = await listFound(source, { selector, afterSeq, limit });
    for (const view of views) {
      const resource = await load(source.deps, view, needed);
      const key = sorting && toSortKey(resource, sorting);
      if (fits(resource, filter, comparisons)) hits.push({ seq: view.seq, key });
      afterSeq = view.seq;
      await pause(view.document);
    }
    if (views.length < limit) return hits;
    await nextTurn();
  }
  throw badRequest('tooMany', TOO_MANY);
}

/** True when the resource fulfils the filter, each text of it folded once for all comparisons. */
function fits(resource: JsonObject, filter: Filter | undefined, comparisons: number): boolean {
  return !filter || matches(filter, resource, comparisons > 1 ? createFolds() : foldCase);
}

/** Counts the comparisons of a scan, once more for every 1,000 characters of a resource, and serves others in between. @throws ScimError 400 `tooMany`, out of the call */
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
