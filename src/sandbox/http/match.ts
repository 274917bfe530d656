import { isOperationName, type OperationName, operations } from '../operations.ts';

/** Match of a method and a path. */
export type Match =
  | {
      readonly kind: 'operation';
      readonly operation: OperationName;
      readonly params: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'wrong-method' }
  | { readonly kind: 'unknown-path' };

interface Route {
  readonly operation: OperationName;
  readonly method: string;
  readonly segments: readonly string[];
}

const routes: readonly Route[] = Object.entries(operations).flatMap(([name, { method, path }]) =>
  isOperationName(name) ? [{ operation: name, method, segments: path.split('/') }] : [],
);

/** Finds the operation. `v1` and `latest` are the same version. Pure. */
export function matchOperation(method: string, path: string): Match {
  const canonical = path.startsWith('/api/v1/') ? `/api/latest/${path.slice(8)}` : path;
  const segments = canonical.split('/');
  let pathIsKnown = false;
  for (const route of routes) {
    const params = matchSegments(route.segments, segments);
    if (params === undefined) continue;
    if (route.method === method) return { kind: 'operation', operation: route.operation, params };
    pathIsKnown = true;
  }
  return { kind: pathIsKnown ? 'wrong-method' : 'unknown-path' };
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index] ?? '';
    if (expected.startsWith('{')) {
      const value = decode(segment);
      if (!value) return undefined;
      params[expected.slice(1, -1)] = value;
    } else if (segment !== expected) return undefined;
  }
  return params;
}

/** Undefined for a malformed escape: no resource has such a path. */
function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment;
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
