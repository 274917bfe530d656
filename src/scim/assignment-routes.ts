import type { RequestHandler } from 'express';
import { Router } from 'express';
import { LICENCES, ROLES } from '../domain/assignment.ts';
import type { JsonObject } from '../domain/values.ts';
import type { AssignedAccounts } from '../store/resources/backlog.ts';
import { countAssigned } from '../store/resources/backlog.ts';
import type { ScimDeps } from './deps.ts';
import { notFound } from './errors.ts';
import { matches } from './filter/matches.ts';
import { allowOnly, requireOpen } from './http/guards.ts';
import { getNotes } from './http/notes.ts';
import { sendJson, sendText } from './http/respond.ts';
import { parsePage, toSortKey } from './render/paging.ts';
import { parseProjection, project } from './render/projection.ts';
import { toRef } from './render/resources.ts';
import { assignmentsDescription } from './schema/descriptions.ts';
import { entitlementSchema, roleSchema } from './schema/resource-schemas.ts';
import { cutPage, parseSearch, toQuery } from './search/search.ts';

const KINDS = [
  {
    schema: roleSchema,
    all: ROLES,
    has: ({ role }: AssignedAccounts, number: number) => role === number,
  },
  {
    schema: entitlementSchema,
    all: LICENCES,
    has: ({ appsPermissions: held }: AssignedAccounts, bit: number) => ((held ?? 0) & bit) !== 0,
  },
] as const;

type AssignmentKind = (typeof KINDS)[number];

/** `/Roles` and `/Entitlements`: what governance assigns to users, and how often. They are the service's, so nobody writes them. */
export function assignmentRoutes(deps: ScimDeps, body: RequestHandler[]): Router {
  const router = Router();
  const open = requireOpen(deps, 'user');
  for (const kind of KINDS) {
    const path = `/${kind.schema.name}s` as const;
    const search = list(deps, kind);
    router.route(`${path}/.search`).post(open, body, search).all(allowOnly('POST'));
    router.route(path).get(open, search).all(allowOnly('GET'));
    router.route(`${path}/:id`).get(open, read(deps, kind)).all(allowOnly('GET'));
  }
  return router;
}

/** GET of a type and POST of a search in it. @throws ScimError 400. @see RFC 7644 §3.4.2, §3.4.3; RFC 9865 */
function list(deps: ScimDeps, kind: AssignmentKind): RequestHandler {
  const { schema } = kind;
  return async (req, res) => {
    const { repairs } = getNotes(res);
    const query = toQuery(req, repairs);
    const projection = parseProjection(query, schema);
    const { filter, sorting } = parseSearch(query, { schema, repairs });
    const { open, ...part } = parsePage(query, `${schema.name}s`);
    const all = await readAll(deps, kind);
    const found = filter === undefined ? all : all.filter((each) => matches(filter, each));
    const hits = found.map((each, seq) => {
      return { seq, key: sorting && toSortKey(each, sorting), shown: project(each, projection) };
    });
    const { page, next } = cutPage(hits, sorting, part);
    const opening = open({ total: hits.length, count: page.length, next });
    sendText(res, 200, `${opening}${page.map(({ shown }) => JSON.stringify(shown)).join(',')}]}`);
  };
}

function read(deps: ScimDeps, kind: AssignmentKind): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const projection = parseProjection(toQuery(req, getNotes(res).repairs), kind.schema);
    const all = await readAll(deps, kind);
    const found = all.find(({ id }) => id === req.params.id);
    if (found === undefined) throw notFound(kind.schema.name);
    sendJson(res, 200, project(found, projection));
  };
}

async function readAll(
  { store, baseUrl }: ScimDeps,
  { schema, all, has }: AssignmentKind,
): Promise<JsonObject[]> {
  const accounts = await countAssigned(store.read);
  const { name } = schema;
  return all.map((assignment) => {
    const { id, displayName, description } = assignment;
    const holders = accounts.filter((each) => has(each, assignment.number));
    return {
      schemas: [schema.core.urn, assignmentsDescription.id],
      id,
      displayName,
      type: name,
      description,
      [assignmentsDescription.id]: {
        totalAssignmentsUsed: holders.reduce((sum, { count }) => sum + Number(count), 0),
      },
      meta: { resourceType: name, location: toRef(baseUrl, name, id) },
    };
  });
}
