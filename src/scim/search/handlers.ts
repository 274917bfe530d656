import { createHash } from 'node:crypto';
import type { Request, RequestHandler, Response } from 'express';
import type { GroupId } from '../../domain/ids.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { ResourceView, UserView } from '../../store/resources/views.ts';
import type { ProviderDeps, ScimDeps } from '../deps.ts';
import { countSchemas } from '../dialect/parse-json.ts';
import { badRequest, invalidSyntax, invalidValue } from '../errors.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { type QueryParameters, toParameters } from '../http/address.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, toProviderDeps } from '../http/notes.ts';
import { sendListText } from '../http/respond.ts';
import { parseCursorCount, parsePaging, parseSorting } from '../render/paging.ts';
import { type Projection, parseProjection } from '../render/projection.ts';
import { openList, type Pieces } from '../render/resource-text.ts';
import type { Repairs } from '../repairs.ts';
import { groupSchema, type ResourceSchema, userSchema } from '../schema/resource-schemas.ts';
import { find, findAfter, type Hit, type Part } from './scan.ts';
import {
  createPlaceCache,
  groupSource,
  type PlaceCache,
  type Search,
  type Source,
  userSource,
  withPlaces,
} from './sources.ts';

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
interface TypedSearch<View extends ResourceView> {
  readonly source: Source<View>;
  readonly search: Search;
}

/** Search that a request asks for. @throws ScimError 400 */
function toSearch<View extends ResourceView>(
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
function sendPage(
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

/**
 * POST /.search at the root, and GET there: users, then groups, each in the order that the request asks for. @throws ScimError 400. @see RFC 7644 §3.4.2.1, §3.4.3
 */
export function searchAll(deps: ScimDeps): RequestHandler {
  const places = { users: createPlaceCache(deps.store), groups: createPlaceCache(deps.store) };
  return async (req, res) => {
    assertOpen(deps, 'user');
    assertOpen(deps, 'group');
    const { repairs } = getNotes(res);
    const query = toQuery(req, repairs);
    if (hasCursor(query)) {
      throw badRequest(
        'invalidCursor',
        'A cursor leads through Users or through Groups, not both.',
      );
    }
    const call = { deps: toProviderDeps(deps, res), query, isForOthers: true };
    const [ofUsers, ofGroups] = [keepUnknown(repairs), keepUnknown(repairs)];
    const users = toSearch(USERS, { ...call, repairs: ofUsers, places: places.users });
    const groups = toSearch(GROUPS, { ...call, repairs: ofGroups, places: places.groups });
    for (const name of ofUsers.unknown.intersection(ofGroups.unknown)) {
      repairs.count('filter-unknown', name);
    }
    const paging = parsePage(query);
    const first = await find(users.source, users.search, paging);
    const then = await find(groups.source, groups.search, {
      offset: Math.max(paging.offset - first.total, 0),
      limit: paging.limit - first.views.length,
    });
    const total = first.total + then.total;
    const count = first.views.length + then.views.length;
    const resources = concat(users.source.render(first.views), groups.source.render(then.views));
    await sendPage(res, { ...paging, total, count }, resources);
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

async function* concat(
  first: AsyncIterable<readonly Pieces[]>,
  then: AsyncIterable<readonly Pieces[]>,
) {
  yield* first;
  yield* then;
}

/** Query that a cursor belongs to; with another query its place means nothing. */
type CursorQuery = Readonly<Record<string, unknown>> & { readonly endpoint: string };

/** Most characters of a cursor; ours are shorter. */
const CURSOR_LENGTH_MAX = 4_096;

/**
 * A place in a list as text, of characters that need no escaping in an address. It holds everything that the next
 * page needs, so it does not expire and any process on the store can follow it.
 * @see RFC 9865 §2
 */
export function toCursor({ seq, key }: Hit, query: CursorQuery): string {
  const parts = key === undefined ? [toMark(query), seq] : [toMark(query), seq, key];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/**
 * The place that a cursor points at; undefined for the empty one, which asks for the first page.
 * @throws ScimError 400 `invalidCursor`: not one of ours, or one of another query
 */
export function parseCursor(cursor: unknown, query: CursorQuery): Hit | undefined {
  if (cursor === '') return undefined;
  if (typeof cursor !== 'string' || cursor.length > CURSOR_LENGTH_MAX) throw invalidCursor();
  const parts = parseParts(cursor);
  const [mark, seq, key] = parts;
  const isPlace = typeof seq === 'number' && Number.isSafeInteger(seq) && seq >= 0;
  if (!isPlace || parts.length > 3 || mark !== toMark(query)) throw invalidCursor();
  if (key === undefined || typeof key === 'string' || typeof key === 'number') return { seq, key };
  throw invalidCursor();
}

function parseParts(cursor: string): unknown[] {
  if (!/^[\w-]+$/.test(cursor)) throw invalidCursor();
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    if (Array.isArray(parts)) return parts;
  } catch (error) {
    throw invalidCursor(error);
  }
  throw invalidCursor();
}

/** Mark of the list and its order. The size of a page is left out, so that it may change on the way. */
function toMark({ endpoint, filter, sortBy, sortOrder }: CursorQuery): string {
  const text = JSON.stringify([endpoint, filter ?? '', sortBy ?? '', sortOrder ?? '']);
  return createHash('sha256').update(text).digest('base64url').slice(0, 12);
}

function invalidCursor(cause?: unknown) {
  const detail =
    'The cursor is none that this list has given out: leave it empty for the first page, then send nextCursor with the same query.';
  return badRequest('invalidCursor', detail, cause);
}
