import { InvalidRequest } from './invalid-request.ts';

/**
 * The body of a request as an object with these members and no others; none is an empty one.
 * @throws InvalidRequest that says what the body may be
 */
export function parseBody<Name extends string>(
  body: unknown,
  names: readonly Name[],
  allowed: string,
): { readonly [N in Name]?: unknown } {
  if (body === undefined) return {};
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const known: ReadonlySet<string> = new Set(names);
  if (isObject && Object.keys(body).every((name) => known.has(name))) return body;
  throw new InvalidRequest(`The body may be ${allowed}, and nothing else.`);
}
