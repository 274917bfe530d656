import type { Author, Directory } from '../directory.ts';
import { Refusal } from '../refusal.ts';

/** One authorised call, as its operation sees it. */
export interface Call {
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
  /** Parsed JSON; undefined when there is no body. */
  readonly body: unknown;
  /** Beginning of `$ref` and `meta.location`. */
  readonly baseUrl: string;
  readonly author: Author;
}

/** Answer of an operation; `body` goes out as JSON, undefined as nothing. */
export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Carries a call out, at once and completely, or throws a Refusal and has changed nothing. */
export type Handler = (directory: Directory, call: Call) => Answer;

/** True for a JSON object: neither null nor an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The body as an object. @throws Refusal 400 for anything else. */
export function parseBody({ body }: Call): Record<string, unknown> {
  if (!isObject(body)) throw new Refusal('bad-request', 'Body should be an object');
  return body;
}

/** A path parameter of the operation's path. */
export function getParam({ params }: Call, name: string): string {
  return params[name] ?? '';
}

/** A numeric path parameter. @throws Refusal 404 when it is no number: no resource has such an id. */
export function getId(call: Call, name: string): number {
  const text = getParam(call, name);
  if (!/^\d{1,15}$/.test(text)) throw new Refusal('not-found', `no ${name} ${text}`);
  return Number(text);
}
