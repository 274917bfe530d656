import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Request, RequestHandler } from 'express';
import { createFolds, foldCase } from '../../domain/fold.ts';
import type { GroupId } from '../../domain/ids.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';
import type { Selector } from '../../domain/selector.ts';
import type { ResourceView, UserView } from '../../store/resources/views.ts';
import type { ScimDeps } from '../deps.ts';
import { countSchemas } from '../dialect/parse-json.ts';
import { badRequest, invalidSyntax, invalidValue } from '../errors.ts';
import { matches } from '../filter/matches.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { toSelector } from '../filter/to-selector.ts';
import { assertFewOfUsers, countComparisons, type Filter } from '../filter/tree.ts';
import { type QueryParameters, toParameters } from '../http/address.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, toProviderDeps } from '../http/notes.ts';
import { sendListText } from '../http/respond.ts';
import {
  compareSortKeys,
  hasCursor,
  type Part,
  type Place,
  parsePage,
  parseSorting,
  type Sorting,
  toSortKey,
} from '../render/paging.ts';
import { parseProjection } from '../render/projection.ts';
import type { Repairs } from '../repairs.ts';
import { groupSchema, type ResourceSchema, userSchema } from '../schema/resource-schemas.ts';
import { createTotal, groupSource, PAGE_ROWS, type Source, userSource } from './sources.ts';

/** One type of resource as it is searched. */
interface SearchKind<View extends ResourceView> {
  readonly schema: ResourceSchema;
  readonly toSource: (request: Parameters<typeof userSource>[0]) => Source<View>;
}

/** Users, as they are searched. */
export const USERS: SearchKind<UserView> = { schema: userSchema, toSource: userSource };

/** Groups, as they are searched. */
export const GROUPS: SearchKind<ResourceView<GroupId>> = {
  schema: groupSchema,
  toSource: groupSource,
};

/** GET of a list and POST of its .search. @throws ScimError 400. @see RFC 7644 §3.4.2, §3.4.3; RFC 9865 */
export function listResources<View extends ResourceView>(
  deps: ScimDeps,
  { schema, toSource }: SearchKind<View>,
): RequestHandler {
  const countAll = createTotal(deps.store);
  return async (req, res) => {
    const { repairs } = getNotes(res);
    const query = toQuery(req, repairs);
    const projection = parseProjection(query, schema);
    const source = toSource({ deps: toProviderDeps(deps, res), projection, countAll });
    const search = parseSearch(query, { schema, repairs });
    const page = parsePage(query, `${schema.name}s`);
    const found = await find(source, search, page);
    const opening = page.open({ ...found, count: found.views.length });
    await sendListText(res, { opening, resources: source.render(found.views) });
  };
}

/** How the filter and the order of a request are read. */
interface SearchReading {
  readonly schema: ResourceSchema;
  readonly repairs: Repairs;
  /** True where the same query searches the other type too. */
  readonly isForOthers?: boolean;
}

/** The filter and the order that a request asks for. @throws ScimError 400 */
export function parseSearch(query: QueryParameters, { schema, ...reading }: SearchReading): Search {
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

/**
 * POST /.search at the root, and GET there: users, then groups, each in the order that the request asks for.
 * @throws ScimError 400. @see RFC 7644 §3.4.2.1, §3.4.3
 */
export function searchAll(deps: ScimDeps): RequestHandler {
  const totals = { users: createTotal(deps.store), groups: createTotal(deps.store) };
  return async (req, res) => {
    assertOpen(deps, 'user');
    assertOpen(deps, 'group');
    const { repairs } = getNotes(res);
    const query = toQuery(req, repairs);
    if (hasCursor(query)) {
      const detail = 'A cursor leads through Users or through Groups, not both.';
      throw badRequest('invalidCursor', detail);
    }
    const asked = toProviderDeps(deps, res);
    const [ofUsers, ofGroups] = [keepUnknown(repairs), keepUnknown(repairs)];
    const toSource = <View extends ResourceView>(kind: SearchKind<View>, countAll = totals.users) =>
      kind.toSource({ deps: asked, projection: parseProjection(query, kind.schema), countAll });
    const users = toSource(USERS);
    const groups = toSource(GROUPS, totals.groups);
    const reading = { isForOthers: true };
    const userSearch = parseSearch(query, { ...reading, schema: userSchema, repairs: ofUsers });
    const groupSearch = parseSearch(query, { ...reading, schema: groupSchema, repairs: ofGroups });
    for (const name of ofUsers.unknown.intersection(ofGroups.unknown)) {
      repairs.count('filter-unknown', name);
    }
    const page = parsePage(query, '');
    const first = await find(users, userSearch, page);
    const then = await find(groups, groupSearch, {
      offset: Math.max(page.offset - first.total, 0),
      after: undefined,
      limit: page.limit - first.views.length,
    });
    const opening = page.open({
      total: first.total + then.total,
      count: first.views.length + then.views.length,
      next: undefined,
    });
    const resources = concat(users.render(first.views), groups.render(then.views));
    await sendListText(res, { opening, resources });
  };
}

/** Keeps the names that a type lacks apart, because the other one may have them. */
function keepUnknown(repairs: Repairs): Repairs & { readonly unknown: ReadonlySet<string> } {
  const unknown = new Set<string>();
  return {
    count(kind, name = '') {
      if (kind === 'filter-unknown') unknown.add(name.toLowerCase());
      else repairs.count(kind, name);
    },
    unknown,
  };
}

async function* concat<Item>(first: AsyncIterable<Item>, then: AsyncIterable<Item>) {
  yield* first;
  yield* then;
}

/** Filter and order of a request. */
interface Search {
  readonly filter: Filter | undefined;
  readonly sorting: Sorting | undefined;
}

/** One page of the matches. */
interface Found<View> {
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
async function find<View extends ResourceView>(
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
