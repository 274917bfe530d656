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
import { type Found, find } from './find.ts';
import { groupSource, userSource } from './sources.ts';

/** How deep a filter may be nested. */
const FILTER_DEPTH_MAX = 50;

/** The parameters of a list or search, as texts of a query or values of a search body. */
type SearchQuery = Readonly<Record<string, unknown>>;

/** GET /Users and POST /Users/.search. @throws ScimError 400. @see RFC 7644 §3.4.2, §3.4.3 */
export function listUsers(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    const query = toQuery(req);
    await sendPage(deps, res, { query, found: await findUsers(deps, query) });
  };
}

/** GET /Groups and POST /Groups/.search. @throws ScimError 400. @see RFC 7644 §3.4.2, §3.4.3 */
export function listGroups(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    const query = toQuery(req);
    await sendPage(deps, res, { query, found: await findGroups(deps, query) });
  };
}

/** POST /.search at the root: users, then groups. @throws ScimError 400. @see RFC 7644 §3.4.3 */
export function searchAll(deps: ScimDeps): RequestHandler {
  return async (req, res) => {
    assertOpen(deps, 'user');
    assertOpen(deps, 'group');
    const query = toQuery(req);
    const users = await findUsers(deps, query);
    const groups = await findGroups(deps, query);
    await sendPage(deps, res, { query, found: concatenate(users, groups) });
  };
}

function findUsers(deps: ScimDeps, query: SearchQuery): Promise<Found> {
  const source = userSource(deps, parseProjection(query, userSchema));
  return find(source, parseSearch(deps, query, userSchema));
}

function findGroups(deps: ScimDeps, query: SearchQuery): Promise<Found> {
  const source = groupSource(deps, parseProjection(query, groupSchema));
  return find(source, parseSearch(deps, query, groupSchema));
}

function parseSearch({ policy }: ScimDeps, query: SearchQuery, schema: ResourceSchema) {
  const limits = { depthMax: FILTER_DEPTH_MAX, lengthMax: policy.filterLengthMax };
  return {
    filter: query.filter === undefined ? undefined : parseFilter(query.filter, schema, limits),
    sorting: parseSorting(query, schema),
  };
}

/** Two results as one list, the second behind the first. */
function concatenate(first: Found, second: Found): Found {
  return {
    total: first.total + second.total,
    async page(offset, limit) {
      const head = offset < first.total ? await first.page(offset, limit) : [];
      const rest = limit - head.length;
      if (rest <= 0) return head;
      return [...head, ...(await second.page(Math.max(offset - first.total, 0), rest))];
    },
  };
}

/** `itemsPerPage` is the number returned, `startIndex` the one asked for. */
async function sendPage(
  { policy }: ScimDeps,
  res: Response,
  { query, found }: { query: SearchQuery; found: Found },
): Promise<void> {
  const limits = { countDefault: policy.pageSize, countMax: policy.pageSizeMax };
  const { startIndex, count } = parsePaging(query, limits);
  const resources = await found.page(startIndex - 1, count);
  sendText(res, 200, renderList({ totalResults: found.total, startIndex }, resources));
}

/** A GET has a query, a search a body. */
function toQuery(req: Request): SearchQuery {
  if (req.method !== 'POST') return req.query;
  const body: unknown = req.body;
  if (!isJsonObject(body)) throw invalidSyntax('A search needs a JSON object as its body.');
  return body;
}
