import { operationGroups } from '../../upstream/operations/all.ts';
import type { Operation, OperationGroup } from '../../upstream/operations/operation.ts';
import { isFormData, toTypes } from '../../upstream/operations/part.ts';
import type {
  AnswerHandler,
  DispatchController,
  DispatchedRequest,
  RequestDispatcher,
} from '../../upstream/request-dispatcher.ts';

/** A request as it arrived, with what its operation says about it. */
export interface SeenRequest {
  /** Undefined when no operation has this path. */
  readonly operation: Operation | undefined;
  readonly method: string;
  /** Path with query, as it was sent. */
  readonly url: string;
  readonly path: Readonly<Record<string, unknown>>;
  /** Numbers and booleans as such where the operation says so; lists as they travel. */
  readonly query: Readonly<Record<string, unknown>>;
  /** The parsed JSON, or the fields of a form. */
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** An answer of the mock; an undefined body is none. */
export interface MockAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Creates a sender that hands each request to a function instead of a network. */
export function createMockDispatcher(
  answer: (request: SeenRequest) => Promise<MockAnswer>,
): RequestDispatcher {
  return {
    dispatch(options, handler) {
      void exchange(options, handler, answer);
      return true;
    },
  };
}

async function exchange(
  options: DispatchedRequest,
  handler: AnswerHandler,
  answer: (request: SeenRequest) => Promise<MockAnswer>,
): Promise<void> {
  const aborting = new AbortController();
  const controller: DispatchController = {
    abort: (reason) => aborting.abort(reason),
    pause: () => undefined,
    resume: () => undefined,
  };
  try {
    handler.onRequestStart(controller, null);
    aborting.signal.throwIfAborted();
    const { status, headers, body } = await answer(readRequest(options));
    aborting.signal.throwIfAborted();
    handler.onResponseStart(controller, status, { ...headers });
    if (body !== undefined) handler.onResponseData(controller, Buffer.from(JSON.stringify(body)));
    handler.onResponseEnd(controller, {});
  } catch (error) {
    handler.onResponseError(controller, error instanceof Error ? error : new Error(String(error)));
  }
}

function readRequest({ method, path: url, headers, body }: DispatchedRequest): SeenRequest {
  const { pathname, searchParams } = new URL(url, 'http://mock');
  const route = ROUTES.find((each) => each.method === method && each.pattern.test(pathname));
  const { operation, pattern } = { operation: undefined, pattern: undefined, ...route };
  const query = [...searchParams].map(([name, text]) => [name.replace(/\[\]$/, ''), text] as const);
  return {
    method,
    url,
    headers: Object.fromEntries(Object.entries(Object(headers))),
    body: isFormData(body) ? toFields(body) : parseJson(body),
    path: toValues(
      Object.entries(pattern?.exec(pathname)?.groups ?? {}),
      operation?.pathParameters,
    ),
    query: toValues(query, operation?.query),
    operation,
  };
}

/** Operations by their paths. A word goes before a parameter: `/users/current` is no user. */
const ROUTES = Object.values(operationGroups)
  .flatMap((group: OperationGroup) => Object.values(group))
  .map((operation) => {
    const { api, method, path } = operation;
    const prefix = api === 'scim' ? '' : '/api/[^/]+';
    const pattern = new RegExp(`^${prefix}${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
    return { operation, method, pattern, braces: path.split('{').length };
  })
  .toSorted((a, b) => a.braces - b.braces);

function toValues(
  pairs: readonly (readonly [string, string])[],
  fields: Operation['query'] = {},
): Record<string, unknown> {
  const types = toTypes(fields);
  return Object.fromEntries(pairs.map(([name, text]) => [name, toValue(text, types.get(name))]));
}

function toValue(text: string, type = 'string'): unknown {
  const isOne = !type.includes('[') && /\b(integer|number)\b/.test(type);
  if (isOne && /^-?\d+(\.\d+)?$/.test(text)) return Number(text);
  return type === 'boolean' ? text === 'true' : decode(text);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseJson(body: unknown): unknown {
  return typeof body === 'string' ? JSON.parse(body) : undefined;
}

/** A name that came several times is a list. */
function toFields(form: FormData): Record<string, unknown> {
  const names = [...new Set(form.keys())];
  return Object.fromEntries(
    names.map((name) => {
      const [first, ...more] = form.getAll(name);
      return [name, more.length === 0 ? first : [first, ...more]];
    }),
  );
}
