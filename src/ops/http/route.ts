import { pipeline } from 'node:stream/promises';
import { type Request, type RequestHandler, type Response, Router } from 'express';
import type { Credential } from '../../domain/credential.ts';
import type { List } from '../lists/list.ts';
import { object } from '../schemas/kinds.ts';
import { type OpsJson, type OpsSchemaName, opsSchemas } from '../schemas/schemas.ts';
import { jsonBody, parseBody, refuseBody } from './body.ts';
import {
  assertNoParameters,
  type Filters,
  type ListQuery,
  parseListQuery,
  parseNewest,
  parseParameters,
} from './list-query.ts';
import { getOperator, requireRole } from './operator.ts';
import { type ActNotes, noteAct } from './operator-acts.ts';

/** A request below `/ops`, as the router serves it and as OpenAPI describes it. */
export interface OpsRoute<Needs> extends Described {
  /** A reader may only read. */
  readonly role: 'reader' | 'operator';
  /** Middleware behind the check of the role. */
  readonly serve: (needs: Needs) => RequestHandler[];
}

interface Described {
  readonly method: 'get' | 'post';
  /** Below `/ops`, with parameters in braces. */
  readonly path: string;
  /** The heading in the description. */
  readonly tag: string;
  /** A sentence. */
  readonly summary: string;
  /** A list: with these filters, `limit` and `cursor`. */
  readonly filters?: Filters;
  /** Descriptions of filters that mean something else than in other lists. */
  readonly meanings?: Readonly<Record<string, string>>;
  /** Parameters of the address where the answer is no page of a list. */
  readonly parameters?: Filters;
  /** The newest of a list: with `limit`, and without a cursor. */
  readonly newest?: true;
  readonly body?: OpsSchemaName;
  /** Media type of a body that is a file; the handler reads it. */
  readonly file?: string;
  /** By status. Every request may also be answered 400 `invalid`, 401, 403 and 429. */
  readonly answers: Answers;
  /** Of a list: as each face shows it. */
  readonly columns?: List<unknown>['columns'];
  readonly command?: List<unknown>['command'];
}

type Answers = Readonly<Record<number, OpsSchemaName>>;

/** An answer: its status and its JSON. */
export interface Answer<Status extends number, Json> extends ActNotes {
  readonly status: Status;
  readonly json: Json;
  /** The same JSON as text, where it is long and made once. */
  readonly text?: string;
}

/** The JSON of every answer that something did not work. */
export type Problem = OpsJson<'Problem'>;

/** An answer whose JSON is long: its text is written piece by piece, as it is made. */
export interface AnswerInParts extends Pick<ActNotes, 'acts'> {
  readonly status: 200;
  /** A failure cuts the connection, so that no reader takes half of it for the whole. */
  readonly parts: AsyncIterable<string>;
}

type AnswerOf<A extends Answers> =
  | AnswerInParts
  | { [Status in keyof A & number]: Answer<Status, OpsJson<A[Status]>> }[keyof A & number]
  | Answer<400, Problem>;

/** A request as a handler is given it: parsed. */
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

interface Row<Path extends string, F extends Filters, Body, A extends Answers, Needs>
  extends Omit<Described, 'body'> {
  readonly path: Path;
  readonly filters?: F;
  readonly parameters?: F;
  readonly body?: Body;
  readonly answers: A;
  /** Reads the body instead of the common reader, and leaves parsing to `handle`. */
  readonly readers?: readonly RequestHandler[];
  readonly handle: (needs: Needs, call: Call<Path, F, BodyOf<Body>>) => Promise<AnswerOf<A>>;
}

/** One row of the table: what `handle` is given and answers has the types of the row's schemas. */
export function route<
  const Path extends string,
  const A extends Answers,
  Needs,
  const Body extends OpsSchemaName | undefined = undefined,
  const F extends Filters = Record<never, never>,
>({ handle, readers, ...described }: Row<Path, F, Body, A, Needs>): OpsRoute<Needs> {
  const { method, body, filters, parameters, newest, ...others } = described;
  const serve = (needs: Needs): RequestHandler[] => [
    ...(method === 'get' ? [refuseBody] : (readers ?? [jsonBody])),
    async (req, res) => {
      if (body === undefined) parseBody(NO_BODY, req.body);
      const call = {
        params: parseParams<Path>(req),
        query: parseQuery(req.query, { filters, parameters, newest }),
        body: readers ? req.body : body && parseBody(opsSchemas[body], req.body),
        ...{ operator: getOperator(res), req, res },
      };
      const answer = await handle(needs, call);
      if ('parts' in answer) await sendParts(res, answer);
      else send(res, answer);
    },
  ];
  return {
    ...{ ...others, method, serve },
    role: method === 'get' ? 'reader' : 'operator',
    ...(body && { body }),
    ...(filters && { filters }),
    ...(parameters && { parameters }),
    ...(newest && { newest }),
  };
}

const NO_BODY = object({});

/** Parameters of the address that a request reads. */
interface Read<F extends Filters> {
  readonly filters: F | undefined;
  readonly parameters: F | undefined;
  readonly newest: true | undefined;
}

/** @throws InvalidRequest for a parameter that the request does not read */
function parseQuery<F extends Filters>(
  query: Request['query'],
  { filters, parameters, newest }: Read<F>,
): ListQuery<F> {
  if (newest) return parseNewest(query);
  if (parameters !== undefined) return parseParameters(query, parameters);
  if (filters === undefined) assertNoParameters(query);
  return parseListQuery(query, filters);
}

/** Serves rows of the table: what is written out goes before what has a parameter. */
export function createRouteRouter<Needs>(
  routes: readonly OpsRoute<Needs>[],
  needs: Needs,
  limit: RequestHandler,
): Router {
  const router = Router();
  const read = new Set(routes.filter(({ method }) => method === 'get').map(({ path }) => path));
  for (const { method, path, role, serve } of routes.toSorted(compareParameters)) {
    const pattern = path.replace(/\{(\w+)\}/g, ':$1');
    // Metrics and logs name what is read without a parameter by this slash; it is matched without one too.
    const isWhole = pattern === path && read.has(path);
    router[method](isWhole ? `${path}/` : pattern, requireRole(role), limit, ...serve(needs));
  }
  return router;
}

/** An answer with 200. */
export function ok<Json>(json: Json): Answer<200, Json> {
  return { status: 200, json };
}

/** An answer that something did not work. `code` is stable. */
export function problem<Status extends number>(
  status: Status,
  code: string,
  message: string,
  others: Readonly<Record<string, unknown>> = {},
): Answer<Status, Problem> {
  return { status, json: { code, message, ...others } };
}

/** Length of one part of an answer. */
const PART_LENGTH = 16_384;

/** The JSON of a long list, piece by piece as it is made. @param toRest its other members, which may be known last */
export async function* toItemsJson(
  items: AsyncIterable<object> | Iterable<object>,
  toRest: () => object,
): AsyncGenerator<string> {
  let text = '{"items":[';
  let separator = '';
  for await (const item of items) {
    text += `${separator}${JSON.stringify(item)}`;
    separator = ',';
    if (text.length < PART_LENGTH) continue;
    yield text;
    text = '';
  }
  yield `${text}],${JSON.stringify(toRest()).slice(1)}`;
}

async function sendParts(res: Response, { status, parts, ...notes }: AnswerInParts): Promise<void> {
  noteAct(res, notes);
  res.status(status).set('Cache-Control', 'no-store').type('application/json');
  try {
    await pipeline(parts, res);
  } catch (error) {
    // Who asked does not wait for the rest any more.
    if (!(error instanceof Error && 'code' in error && error.code === CLOSED)) throw error;
  }
}

const CLOSED = 'ERR_STREAM_PREMATURE_CLOSE';

function send(res: Response, { status, json, text, ...notes }: Answer<number, unknown>): void {
  noteAct(res, notes);
  res.status(status).set('Cache-Control', 'no-store').type('application/json');
  res.send(text ?? JSON.stringify(json));
}

/** The router has matched the path, so its parameters are there. */
function parseParams<Path extends string>({ params }: Request) {
  return params as { readonly [Name in ParameterOf<Path>]: string };
}

function compareParameters(a: Described, b: Described): number {
  return a.path.split('{').length - b.path.split('{').length;
}
