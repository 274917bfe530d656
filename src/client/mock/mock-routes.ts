import type { Operation, OperationGroup } from '../../upstream/operations/operation.ts';
import { toTypes } from '../../upstream/operations/part.ts';

/** A request as the client sends it. */
export interface MockRequest {
  readonly method: string;
  /** Path with query. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** The operation that a request stands for. */
export interface Route {
  readonly operation: Operation;
}

/** A request, with what its operation says about it. */
export interface SeenCall extends MockRequest {
  /** Undefined when no operation has this path. */
  readonly route: Route | undefined;
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, unknown>>;
}

/** Finds the operation of a request, and reads the values of its path and query. */
export function findRoute(
  groups: Readonly<Record<string, OperationGroup>>,
  request: MockRequest,
): SeenCall {
  const { pathname, searchParams } = new URL(request.url, 'http://mock');
  const operations = Object.values(groups).flatMap((group) => Object.values(group));
  const fitting = operations
    .filter(({ method }) => method === request.method)
    .flatMap((operation) => {
      const match = toPattern(operation).exec(pathname);
      return match === null ? [] : [{ operation, found: match.groups ?? {} }];
    });
  // A word goes before a parameter: `/users/current` is no user.
  const [best] = fitting.toSorted((a, b) => countBraces(a.operation) - countBraces(b.operation));
  const pairs = [...searchParams].map(
    ([name, value]) => [name.replace(/\[\]$/, ''), value] as const,
  );
  if (best === undefined) {
    return { ...request, route: undefined, path: {}, query: Object.fromEntries(pairs) };
  }
  const { operation, found } = best;
  const values = (
    entries: Iterable<readonly [string, string]>,
    types: ReadonlyMap<string, string>,
  ) =>
    Object.fromEntries([...entries].map(([name, text]) => [name, toValue(text, types.get(name))]));
  return {
    ...request,
    route: { operation },
    path: values(Object.entries(found), toTypes(operation.pathParameters ?? {})),
    query: values(pairs, toTypes(operation.query ?? {})),
  };
}

function toPattern({ api, path }: Operation): RegExp {
  const prefix = api === 'scim' ? '' : '/api/[^/]+';
  return new RegExp(`^${prefix}${path.replace(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`);
}

function countBraces({ path }: Operation): number {
  return path.split('{').length;
}

function toValue(text: string, type = 'string'): unknown {
  const plain = decode(text);
  const isOne = !type.includes('[') && /\b(integer|number)\b/.test(type);
  const isNumber = isOne && /^-?\d+(\.\d+)?$/.test(plain);
  if (isNumber) return Number(plain);
  return type === 'boolean' ? plain === 'true' : plain;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
