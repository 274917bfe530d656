import type { Request, RequestHandler, Response } from 'express';
import type { GroupId } from '../../domain/ids.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { ResourceView, UserView } from '../../store/resources/views.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { countSchemas } from '../dialect/parse-body.ts';
import { invalidSyntax, invalidValue } from '../errors.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { type QueryParameters, toParameters } from '../http/address.ts';
import { getNotes, toProviderDeps } from '../http/notes.ts';
import { sendListText } from '../http/respond.ts';
import { parseCursorCount, parsePaging } from '../render/paging.ts';
import { type Projection, parseProjection } from '../render/projection.ts';
import { openList, type Pieces } from '../render/resource-text.ts';
import { parseSorting } from '../render/sorting.ts';
import type { Repairs } from '../repairs.ts';
import { groupSchema, type ResourceSchema, userSchema } from '../schema/resource-schemas.ts';
import { parseCursor, toCursor } from './cursor.ts';
import { find, findAfter, type Part } from './find.ts';
import { createPlaceCache, type PlaceCache, withPlaces } from './places.ts';
import { groupSource, type Search, type Source, userSource } from './sources.ts';

/** One type of resource as it is searched. */
interface SearchKind<View extends ResourceView> {
  readonly endpoint: 'Users' | 'Groups';
  readonly schema: ResourceSchema;
  readonly toSource: (deps: ProviderDeps, projection: Projection) => Source<View>;
}

/** Users, as they are searched. */
export const USERS: SearchKind<UserView> = {
  ...({ endpoint: 'Users', schema: userSchema } as const),
  toSource: userSource,
};

/** Groups, as they are searched. */
export const GROUPS: SearchKind<ResourceView<GroupId>> = {
  ...({ endpoint: 'Groups', schema: groupSchema } as const),
  toSource: groupSource,
};

/** GET of a list and POST of its .search. @throws ScimError 400. @see RFC 7644 §3.4.2, §3.4.3; RFC 9865 */
export function listResources<View extends ResourceView>(
  deps: ScimDeps,
  kind: SearchKind<View>,
): RequestHandler {
  const places = createPlaceCache(deps.store);
  return async (req, res) => {
    const { repairs } = getNotes(res);
    const asked = toProviderDeps(deps, res);
    const call = { deps: asked, query: toQuery(req, repairs), places, repairs };
    await sendList(call, res, { ...toSearch(kind, call), endpoint: kind.endpoint });
  };
}

/** One request for a list or search. */
interface SearchCall {
  readonly deps: ProviderDeps;
  readonly query: QueryParameters;
  readonly places: PlaceCache;
  readonly repairs: Repairs;
  /** True where the same query searches the other type too. */
  readonly isForOthers?: boolean;
}

/** A search of one type, ready to be performed. */
export interface TypedSearch<View extends ResourceView> {
  readonly source: Source<View>;
  readonly search: Search;
}

/** Search that a request asks for. @throws ScimError 400 */
export function toSearch<View extends ResourceView>(
  { schema, toSource }: SearchKind<View>,
  { deps, query, places, ...reading }: SearchCall,
): TypedSearch<View> {
  return {
    source: withPlaces(toSource(deps, parseProjection(query, schema)), places),
    search: parseSearch(query, { ...reading, schema }),
  };
}

/** The filter and the order that a request asks for. @throws ScimError 400 */
export function parseSearch(
  query: QueryParameters,
  {
    schema,
    repairs,
    isForOthers = false,
  }: { readonly schema: ResourceSchema } & Pick<SearchCall, 'repairs' | 'isForOthers'>,
): Search {
  const reading = { repairs, isForOthers };
  return {
    // A filter that is blank is a mistake: it must not find everybody.
    filter:
      (query.filter ?? null) === null ? undefined : parseFilter(query.filter, schema, reading),
    sorting: parseSorting(query, schema),
  };
}

/** Sends a page: by cursor where the query has one, even an empty one, else by number. */
async function sendList<View extends ResourceView>(
  { query }: SearchCall,
  res: Response,
  { source, search, endpoint }: TypedSearch<View> & { endpoint: string },
): Promise<void> {
  if (!hasCursor(query)) {
    const paging = parsePage(query);
    const { total, views } = await find(source, search, paging);
    const page = { ...paging, total, count: views.length };
    return sendPage(res, page, source.render(views));
  }
  const limit = parseCursorCount(query.count);
  const after = parseCursor(query.cursor, { ...query, endpoint });
  const { total, views, next } = await findAfter(source, search, { after, limit });
  const nextCursor = next && toCursor(next, { ...query, endpoint });
  const opening = openList({ totalResults: total, itemsPerPage: views.length, nextCursor });
  await sendListText(res, { opening, resources: source.render(views) });
}

/** True when the request asks for pages by cursor, even by an empty one. */
export function hasCursor({ cursor }: QueryParameters): boolean {
  return cursor !== undefined && cursor !== null;
}

/** Page by number that a request asks for. @throws ScimError 400 */
export function parsePage(query: QueryParameters): Part & { startIndex: number } {
  const { startIndex, count } = parsePaging(query);
  return { startIndex, offset: startIndex - 1, limit: count };
}

/** Page by number. */
interface NumberedPage {
  /** Place of its first resource, as it was asked for, from 1. */
  readonly startIndex: number;
  /** Number of all matches. */
  readonly total: number;
  /** Number of resources of this page. */
  readonly count: number;
}

/** Sends a page by number. */
export function sendPage(
  res: Response,
  { startIndex, total, count }: NumberedPage,
  resources: AsyncIterable<readonly Pieces[]>,
): Promise<void> {
  const opening = openList({ totalResults: total, startIndex, itemsPerPage: count });
  return sendListText(res, { opening, resources });
}

/** True for text with the character that decoding puts in the place of bytes that are not UTF-8. */
function isBroken(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\uFFFD');
}

/** The parameters of a GET or of a search body. */
export function toQuery(req: Request, repairs: Repairs): QueryParameters {
  if (req.method !== 'POST') {
    if (Object.values(req.query).some(isBroken)) throw invalidValue('A parameter is not UTF-8.');
    return toParameters(req.query, repairs);
  }
  const body: unknown = req.body;
  if (!isJsonObject(body)) throw invalidSyntax('A search needs a JSON object as its body.');
  countSchemas(body, ['urn:ietf:params:scim:api:messages:2.0:SearchRequest'], repairs);
  return toParameters(body, repairs);
}
