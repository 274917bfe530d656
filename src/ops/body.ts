import express from 'express';
import { isStorable } from '../domain/storable.ts';
import { assertUtf8 } from '../domain/utf8.ts';
import { InvalidRequest } from './invalid-request.ts';

/** Reads JSON that is taken as it was written, or refused: as options of `express.json`. */
export const EXACT_JSON = { verify: assertUtf8, reviver: assertExact } as const;

/**
 * Reads the JSON body of an operator's request, whatever type it says it is: a body that is left unread would
 * make a dry run a real one.
 */
export const jsonBody: ReturnType<typeof express.json> = express.json({
  limit: '16kb',
  type: () => true,
  ...EXACT_JSON,
});

function assertExact(name: string, value: unknown): unknown {
  const isText = typeof value === 'string';
  if (!isStorable(name) || (isText && !isStorable(value))) {
    throw new InvalidRequest('The body holds a NUL character or half of a surrogate pair.');
  }
  if (typeof value !== 'number' || Math.abs(value) <= Number.MAX_SAFE_INTEGER) return value;
  throw new InvalidRequest('The body holds a number of more digits than can be kept.');
}

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

/** The hash of the plan that a decision is about, as the body `{ hash }` names it. @throws InvalidRequest */
export function parseHash(body: unknown): string {
  const { hash } = parseBody(body, ['hash'], '{"hash": "…"}');
  if (typeof hash === 'string') return hash;
  throw new InvalidRequest('The body has to be {"hash": "…"}.');
}
