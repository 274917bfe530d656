import type { Request, RequestHandler } from 'express';
import type { GroupId } from '../../domain/ids.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { ResourceView, UserView } from '../../store/resources/views.ts';
import type { ScimDeps } from '../deps.ts';
import { countSchemas } from '../dialect/parse-json.ts';
import { badRequest, invalidSyntax, invalidValue } from '../errors.ts';
import { parseFilter } from '../filter/parse-filter.ts';
import { type QueryParameters, toParameters } from '../http/address.ts';
import { assertOpen } from '../http/guards.ts';
import { getNotes, toProviderDeps } from '../http/notes.ts';
import { sendListText } from '../http/respond.ts';
import { hasCursor, parsePage, parseSorting } from '../render/paging.ts';
import { parseProjection } from '../render/projection.ts';
import type { Repairs } from '../repairs.ts';
import { groupSchema, type ResourceSchema, userSchema } from '../schema/resource-schemas.ts';
import { find, type Search } from './find.ts';
import { createTotal, groupSource, type Source, userSource } from './sources.ts';

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
