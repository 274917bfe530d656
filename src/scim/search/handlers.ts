import type { Request, RequestHandler, Response } from 'express';
import { isJsonObject } from '../../domain/json.ts';
import type { ScimDeps } from '../deps.ts';
import { invalidSyntax } from '../errors.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { assertOpen } from '../http/assert-open.ts';
import { sendText } from '../http/respond.ts';
import { parsePaging } from '../render/paging.ts';
import { parseProjection } from '../render/projection.ts';
import { renderList } from '../render/resource-text.ts';
import { parseSorting } from '../render/sorting.ts';
import { groupSchema, type ResourceSchema, userSchema } from '../schema/resource-schemas.ts';
import { type Found, find, type Part } from './find.ts';
import { createPlaceBook, type PlaceBook, withPlaces } from './places.ts';
import { groupSource, userSource } from './sources.ts';

/** How deep a filter may be nested. */
const FILTER_DEPTH_MAX = 50;

/** The parameters of a list or search, as texts of a query or values of a search body. */
type SearchQuery = Readonly<Record<string, unknown>>;

/** GET /Users and POST /Users/.search. @throws ScimError 400. @see RFC 7644 §3.4.2, §3.4.3 */
export function listUsers(deps: ScimDeps): RequestHandler {
  const places = createPlaceBook(deps.store);
  return async (req, res) => {
    const query = toQuery(req);
    const paging = parsePage(deps, query);
    const found = await findUsers({ deps, query, places }, paging);
    sendPage(res, paging, found);
  };
}

/** GET /Groups and POST /Groups/.search. @throws ScimError 400. @see RFC 7644 §3.4.2, §3.4.3 */
export function listGroups(deps: ScimDeps): RequestHandler {
  const places = createPlaceBook(deps.store);
  return async (req, res) => {
    const query = toQuery(req);
    const paging = parsePage(deps, query);
    const found = await findGroups({ deps, query, places }, paging);
    sendPage(res, paging, found);
  };
}

/** POST /.search at the root: users, then groups. @throws ScimError 400. @see RFC 7644 §3.4.3 */
export function searchAll(deps: ScimDeps): RequestHandler {
  const places = { users: createPlaceBook(deps.store), groups: createPlaceBook(deps.store) };
  return async (req, res) => {
    assertOpen(deps, 'user');
    assertOpen(deps, 'group');
    const query = toQuery(req);
    const paging = parsePage(deps, query);
    const users = await findUsers({ deps, query, places: places.users }, paging);
    const rest = {
      offset: Math.max(paging.offset - users.total, 0),
      limit: paging.limit - users.resources.length,
    };
    const groups = await findGroups({ deps, query, places: places.groups }, rest);
    sendPage(res, paging, {
      total: users.total + groups.total,
      resources: [...users.resources, ...groups.resources],
    });
  };
}

interface SearchCall {
  readonly deps: ScimDeps;
  readonly query: SearchQuery;
  readonly places: PlaceBook;
}

function findUsers({ deps, query, places }: SearchCall, part: Part): Promise<Found> {
  const source = withPlaces(userSource(deps, parseProjection(query, userSchema)), places);
  return find(source, parseSearch(deps, query, userSchema), part);
}

function findGroups({ deps, query, places }: SearchCall, part: Part): Promise<Found> {
  const source = withPlaces(groupSource(deps, parseProjection(query, groupSchema)), places);
  return find(source, parseSearch(deps, query, groupSchema), part);
}

function parseSearch({ policy }: ScimDeps, query: SearchQuery, schema: ResourceSchema) {
  const limits = { depthMax: FILTER_DEPTH_MAX, lengthMax: policy.filterLengthMax };
  return {
    filter: query.filter === undefined ? undefined : parseFilter(query.filter, schema, limits),
    sorting: parseSorting(query, schema),
  };
}

function parsePage({ policy }: ScimDeps, query: SearchQuery): Part & { startIndex: number } {
  const limits = { countDefault: policy.pageSize, countMax: policy.pageSizeMax };
  const { startIndex, count } = parsePaging(query, limits);
  return { startIndex, offset: startIndex - 1, limit: count };
}

/** `itemsPerPage` is the number returned, `startIndex` the one asked for. */
function sendPage(
  res: Response,
  { startIndex }: { startIndex: number },
  { total, resources }: Found,
): void {
  sendText(res, 200, renderList({ totalResults: total, startIndex }, resources));
}

/** A GET has a query, a search a body. */
function toQuery(req: Request): SearchQuery {
  if (req.method !== 'POST') return req.query;
  const body: unknown = req.body;
  if (!isJsonObject(body)) throw invalidSyntax('A search needs a JSON object as its body.');
  return body;
}
