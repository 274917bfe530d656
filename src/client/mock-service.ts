import type { Answer, RequestContext, WireRequest } from '../upstream/exchange.ts';
import { operationGroups } from '../upstream/operations/all.ts';
import type { Operation, OperationGroup, Paging } from '../upstream/operations/operation.ts';
import { isNamed, type Named } from '../upstream/operations/part.ts';
import type { Call, ListCall, PositionedListCall, RedirectCall } from './client-types.ts';
import type { ClientOptions } from './create-client.ts';
import type { OperationClient } from './operations.ts';

/** Service that answers from functions of a test, without a network. */
export interface MockService {
  /** Options of a client that calls it: `createClient(service.options)`, or with others beside them. */
  readonly options: ClientOptions;
  /** Calls that arrived, in their order; each attempt counts. */
  readonly calls: readonly MockCall[];
  /** Replaces or adds answers. */
  on(handlers: MockHandlers): void;
}

/** Answers by group and operation. */
export type MockHandlers = {
  readonly [G in keyof OperationClient]?: {
    readonly [N in keyof OperationClient[G]]?: MockHandler<OperationClient[G][N]>;
  };
};

/** Function that answers one operation. What it throws is the answer: a `MockFailure`, or a refusal with its message. */
type MockHandler<Operation> =
  Operation extends ListCall<infer Args, infer Content>
    ? Handler<Args, MockContent<Content>>
    : Operation extends PositionedListCall<infer Args, infer Entry>
      ? Handler<Args, MockContent<Entry[]>>
      : Operation extends RedirectCall<infer Args, infer Content>
        ? Handler<Args, MockContent<Content>>
        : Operation extends Call<infer Args, infer Content>
          ? Handler<Args, MockContent<Content>>
          : never;

type Handler<Args, Content> = (call: MockCallOf<Args>) => Content | Promise<Content>;

/** Content of an answer, of which a test gives the fields that it needs; of a list all entries, for every page. */
export type MockContent<Content> = Content extends readonly (infer Entry)[]
  ? readonly Partial<Entry>[]
  : Content extends { readonly Resources: readonly (infer Entry)[] }
    ? { readonly Resources: readonly Partial<Entry>[] }
    : Content extends undefined
      ? undefined
      : Partial<Content>;

/** A call as it arrived. */
export interface MockCall {
  /** `group.operation`, or `client.request` for what no operation describes. */
  readonly operation: string;
  readonly method: string;
  /** Path with query, as it was sent. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The parts of the arguments. */
  readonly path: Named;
  readonly query: Named;
  readonly body: unknown;
}

type MockCallOf<Args> = Omit<MockCall, keyof Args> & {
  readonly [Part in keyof Args]-?: NonNullable<Args[Part]>;
};

/** Answer other than 2xx, to be thrown by a function of a mock. */
export class MockFailure extends Error {
  override readonly name = 'MockFailure';
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`the mock answers ${status}`);
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/**
 * Creates a service for tests. The client that calls it is the real one: arguments are checked, failures repeated,
 * lists read page by page. A call that no function answers is refused, with its name in the message.
 */
export function createMockService(handlers: MockHandlers = {}): MockService {
  const calls: MockCall[] = [];
  const known = new Map<string, UntypedHandler>();
  const add = (added: MockHandlers) => {
    for (const [id, handler] of listHandlers(added)) known.set(id, handler);
  };
  add(handlers);

  async function answer(call: MockCall): Promise<Answer> {
    calls.push(call);
    const handler = known.get(call.operation);
    if (handler === undefined) return refuse(`the mock has no answer for ${call.operation}`);
    try {
      const content = await handler(call);
      return toAnswer(content === undefined ? 204 : 200, cutPage(call, content));
    } catch (error) {
      if (error instanceof MockFailure) return toAnswer(error.status, error.body, error.headers);
      return refuse(error instanceof Error ? error.message : String(error));
    }
  }

  const options: ClientOptions = {
    baseUrl: 'http://mock-service.invalid',
    token: 'token-of-the-mock',
    requestsPerSecond: 0,
    dispatcher: { answer: (request, call) => answer(toMockCall(request, call)) },
  };
  return { options, calls, on: add };
}

type UntypedHandler = (call: MockCall) => unknown;

function toMockCall(
  { method, path: url, headers }: WireRequest,
  { operation, args }: RequestContext,
): MockCall {
  const { path, query, body } = isNamed(args) ? args : {};
  return {
    method,
    url,
    headers,
    body,
    path: isNamed(path) ? path : {},
    query: isNamed(query) ? query : {},
    operation: operation.id,
  };
}

/** A refusal is not repeated, so that a test fails at once. */
function refuse(message: string): Answer {
  return toAnswer(400, { message });
}

function toAnswer(status: number, body: unknown, headers: Answer['headers'] = {}): Answer {
  return { status, headers, text: body === undefined ? '' : JSON.stringify(body) };
}

/** Rows of the service by their ids. */
const ROWS: ReadonlyMap<string, Operation> = new Map(
  Object.values(operationGroups)
    .flatMap((group: OperationGroup) => Object.values(group))
    .map((row) => [row.id, row]),
);

/** @throws TypeError for an operation that does not exist, which only JavaScript can name. */
function listHandlers(handlers: object): [id: string, handler: UntypedHandler][] {
  return Object.entries(handlers).flatMap(([group, operations]: [string, unknown]) =>
    Object.entries(isNamed(operations) ? operations : {}).map(
      ([name, handler]): [string, UntypedHandler] => {
        const id = `${group}.${name}`;
        if (!ROWS.has(id) || typeof handler !== 'function') {
          throw new TypeError(`createMockService: there is no operation ${id}`);
        }
        return [id, (call) => Reflect.apply(handler, undefined, [call])];
      },
    ),
  );
}

/** Most entries of a page when none is asked for, as the service has it. */
const PAGE_SIZE = 100;

/** Cuts the asked page out of all entries of a list; any other content stays as it is. */
function cutPage({ operation, query }: MockCall, content: unknown): unknown {
  const paging = ROWS.get(operation)?.paging;
  const list = paging === 'start-index' && isNamed(content) ? content.Resources : content;
  if (paging === undefined || !Array.isArray(list)) return content;
  const start = findStart(paging, query, list);
  const page = list.slice(start, start + Number(query.count ?? query.limit ?? PAGE_SIZE));
  if (paging === 'start-index') {
    const counts = { totalResults: list.length, startIndex: start + 1, itemsPerPage: page.length };
    return { ...counts, ...Object(content), Resources: page };
  }
  if (paging !== 'start-position' || query.version !== 2) return page;
  return { result: page, position: page.length === 0 ? null : String(start + page.length) };
}

function findStart(paging: Paging, query: Named, list: readonly unknown[]): number {
  switch (paging) {
    case 'start-index':
      return Number(query.startIndex ?? 1) - 1;
    case 'last-user-id':
      return list.findIndex((entry) => isNamed(entry) && entry.id === query.last_user_id) + 1;
    default:
      return Number(query.start_position ?? query.offset ?? 0);
  }
}
