import type { Request, RequestHandler, Response } from 'express';
import { Router } from 'express';
import type { Credential } from '../../domain/credential.ts';
import type { GivenKey } from '../../domain/values.ts';
import { isId } from '../../domain/values.ts';
import { listMeant } from '../../store/resources/find.ts';
import type { Db } from '../../store/store.ts';
import type { NewestPart } from '../../store/tables.ts';
import type { ListName } from '../lists/list.ts';
import { t } from '../schemas/kinds.ts';
import type { OpsJson, OpsSchemaName } from '../schemas/schemas.ts';
import { opsSchemas } from '../schemas/schemas.ts';
import type { OpsSources } from '../sources.ts';
import type { ActNotes } from './body.ts';
import { missing, Problem, parseBody, readJson, refuseBody } from './body.ts';
import type { Filters, ListAnswer, ListQuery, QueryOptions } from './list-query.ts';
import { NEWEST, OLDEST, parseCursor, parseQuery } from './list-query.ts';
import { getOperator, noteAct, requireRole } from './operator.ts';

/** A request below `/ops`, as the router serves it and as OpenAPI describes it. */
export interface OpsRoute extends QueryOptions {
  readonly role: 'reader' | 'operator';
  readonly serve: (sources: OpsSources) => RequestHandler[];
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly summary: string;
  /** The command that sends it. */
  readonly command?: string;
  readonly meanings?: Readonly<Record<string, string>>;
  readonly body?: OpsSchemaName | undefined;
  /** The body is a provider's export, which the handler reads. */
  readonly file?: 'required' | 'optional';
  /** By status. Every request may also be refused, with a `Problem`. */
  readonly answers: Answers;
}

type Answers = Readonly<Record<number, OpsSchemaName>>;

/** An answer: its JSON, and its status where that is not the first of the row. */
export interface Answer<Json, Status extends number = number> extends ActNotes {
  readonly status?: Status;
  readonly json: Json;
}

/** Paths of a request about a user, a group, and whichever of them has the key. */
export const listKeyedPaths = <Thing extends string>(thing: Thing) =>
  [
    { path: `/users/{key}/${thing}`, type: 'user', of: 'of a person' },
    { path: `/groups/{key}/${thing}`, type: 'group', of: 'of a group' },
    { path: `/${thing}/{key}`, type: 'any', of: 'of a person or a group' },
  ] as const;

/** The only one that fits. @throws Problem when nothing fits, or several do */
export function getOnly<Row extends GivenKey>(rows: readonly Row[]): Row {
  const [only = missing('Nothing has this id or name.'), second] = rows;
  if (second === undefined) return only;
  const found = rows.map(({ type, id }) => ({ type, id }));
  const list = found.map(({ type, id }) => `${type} ${id}`).join(', ');
  const message = `Several have this name, ask for one by its id: ${list}.`;
  throw new Problem(409, 'ambiguous', message, { more: { found } });
}

/** The id of the user or group that a filter means; an id stands for itself, as its row may be gone. @throws Problem when nothing has the name, or several do */
export async function toMeantId(db: Db, meant: string | undefined): Promise<string | undefined> {
  if (meant === undefined || isId(meant)) return meant;
  return getOnly(await listMeant(db, meant)).id;
}

type AnswerOf<A extends Answers> = {
  [Status in keyof A & number]: Answer<OpsJson<A[Status]>, Status>;
}[keyof A & number];

interface Call<Path extends string, F extends Filters, Body> {
  readonly params: { readonly [Name in ParameterOf<Path>]: string };
  readonly query: ListQuery<F>;
  readonly body: Body;
  readonly operator: Credential;
  readonly req: Request;
  readonly res: Response;
}

type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

type BodyOf<Body> = Body extends OpsSchemaName ? OpsJson<Body> : undefined;

interface Row<Path extends string, F extends Filters, Body, A extends Answers>
  extends Omit<OpsRoute, 'role' | 'serve' | 'body' | 'method'> {
  readonly method?: 'get' | 'post';
  /** The least role; without it a reader may `get`, and an operator do the rest. */
  readonly role?: OpsRoute['role'];
  readonly path: Path;
  readonly filters?: F;
  readonly parameters?: F;
  readonly body?: Body;
  readonly answers: A;
  /** Reads the body instead of the common reader, and leaves parsing to the handler. */
  readonly readers?: readonly RequestHandler[];
}

/** One row of the table: what `handle` is given and answers has the types of the row's schemas. */
export function route<
  const Path extends string,
  const A extends Answers,
  const Body extends OpsSchemaName | undefined = undefined,
  const F extends Filters = Record<never, never>,
>(
  { readers, ...described }: Row<Path, F, Body, A>,
  handle: (sources: OpsSources, call: Call<Path, F, BodyOf<Body>>) => Promise<AnswerOf<A>>,
): OpsRoute {
  const { method = 'get', body, filters, parameters, newest } = described;
  const { role = method === 'get' ? 'reader' : 'operator' } = described;
  const [first = 200] = Object.keys(described.answers).map(Number);
  const serve = (sources: OpsSources): RequestHandler[] => [
    ...(method === 'get' ? [refuseBody] : (readers ?? [readJson('32kb')])),
    async (req, res) => {
      // Express forgets the parameters of a request that is refused.
      const { id, provider = id, from = provider } = req.params;
      if (typeof from === 'string') noteAct(res, { id: from });
      if (body === undefined && readers === undefined) parseBody(NO_BODY, req.body);
      const call = {
        params: parseParams<Path>(req),
        query: parseQuery<F>(req.query, { filters, parameters, newest }),
        body: readers ? req.body : body && parseBody(opsSchemas[body], req.body),
        operator: getOperator(res),
        req,
        res,
      };
      const { status = first, json, ...notes }: Answer<unknown> = await handle(sources, call);
      noteAct(res, notes);
      res.status(status).set('Cache-Control', 'no-store').json(json);
    },
  ];
  return { ...described, method, serve, role };
}

const NO_BODY = t.object({});

/** The row of a list whose entries are rows of the store; the newest first, unless it or its filter `order` says otherwise. */
export function listRoute<
  const Path extends string,
  const Name extends ListName,
  Stored extends { readonly seq: number },
  const F extends Filters,
>(
  {
    oldestFirst,
    ...list
  }: Row<Path, F, undefined, { readonly 200: Name }> & {
    readonly filters: F;
    readonly oldestFirst?: true;
  },
  read: (
    sources: OpsSources,
    filters: ListQuery<F>['filters'],
    part: NewestPart,
    params: { readonly [Name in ParameterOf<Path>]: string },
  ) => Promise<readonly Stored[]>,
  toItem: (row: Stored, sources: OpsSources) => OpsJson<Name>['items'][number],
): OpsRoute {
  return route(list, async (sources: OpsSources, { query, params }) => {
    const { filters, limit, cursor } = query;
    const isOldest = oldestFirst ?? ('order' in filters && filters.order === 'oldest');
    const [from = isOldest ? OLDEST : NEWEST] = parseCursor(cursor);
    const rows = await read(sources, filters, { from, limit }, params);
    const last = rows.length < limit ? undefined : rows.at(-1);
    const items = rows.map((row) => toItem(row, sources));
    return ok(parsePage<Name>({ items, nextCursor: last === undefined ? null : String(last.seq) }));
  });
}

/** A list has nothing beside its page. */
function parsePage<Name extends ListName>(page: ListAnswer<unknown>): OpsJson<Name> {
  return page as OpsJson<Name>;
}

/** Serves rows of the table: what is written out goes before what has a parameter. */
export function createRouteRouter(
  routes: readonly OpsRoute[],
  sources: OpsSources,
  limit: RequestHandler,
): Router {
  const router = Router();
  const countParameters = ({ path }: OpsRoute) => path.split('{').length;
  const sorted = routes.toSorted((a, b) => countParameters(a) - countParameters(b));
  for (const { method, path, role, serve, parameters, command = path.slice(1) } of sorted) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    // A dry run only shows.
    const mayShow = parameters?.dryRun !== undefined;
    const act = command.replace(/[ /][<[{].*?[>\]}]/g, '').replaceAll('/', ' ');
    const letIn: RequestHandler = (req, res, next) => {
      noteAct(res, { act });
      requireRole(mayShow && req.query.dryRun === 'true' ? 'reader' : role)(req, res, next);
    };
    router[method](pattern, letIn, limit, ...serve(sources));
  }
  return router;
}

/** An answer without notes. */
export function ok<Json>(json: Json) {
  return { json };
}

/** The router has matched the path, so its parameters are there. */
function parseParams<Path extends string>({ params }: Request) {
  return params as { readonly [Name in ParameterOf<Path>]: string };
}
