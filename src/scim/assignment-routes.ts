import type { RequestHandler } from 'express';
import { Router } from 'express';
import type { Assignment } from '../domain/assignment.ts';
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
import { compareSortKeys, parsePage, toSortKey } from './render/paging.ts';
import { parseProjection, project } from './render/projection.ts';
import { toRef } from './render/resources.ts';
import { assignmentsDescription } from './schema/descriptions.ts';
import { entitlementSchema, roleSchema } from './schema/resource-schemas.ts';
import { parseSearch, toQuery } from './search/search.ts';

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

type AssignmentKind = Omit<(typeof KINDS)[number], 'all'> & { readonly all: readonly Assignment[] };

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
    const { open, limit, ...part } = parsePage(query, `${schema.name}s`);
    const all = await readAll(deps, kind);
    const found = filter === undefined ? all : all.filter((each) => matches(filter, each));
    if (sorting !== undefined) {
      found.sort((a, b) => compareSortKeys(toSortKey(a, sorting), toSortKey(b, sorting), sorting));
    }
    const { length: total } = found;
    // The place of a cursor is the last one that was shown.
    const offset = part.after ? part.after.seq + 1 : part.offset;
    const end = offset + limit;
    const page = found.slice(offset, end).map((each) => project(each, projection));
    const next = end < total ? { seq: end - 1 } : undefined;
    const opening = open({ total, count: page.length, next });
    sendText(res, 200, `${opening}${page.map((each) => JSON.stringify(each)).join(',')}]}`);
  };
}

function read(deps: ScimDeps, kind: AssignmentKind): RequestHandler<{ id: string }> {
  return async (req, res) => {
    const projection = parseProjection(toQuery(req, getNotes(res).repairs), kind.schema);
    // Known before anything is counted: a guess costs nothing.
    const all = kind.all.filter(({ id }) => id === req.params.id);
    const [found] = all.length === 0 ? [] : await readAll(deps, { ...kind, all });
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
