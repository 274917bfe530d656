import { type FileInput, isFileInput } from './operations/file-input.ts';
import type { Operation, QueryStyle } from './operations/operation.ts';
import { isNamed } from './operations/part.ts';
import { type PreparedRequest, toQuery } from './operations/prepare.ts';

/** A request that no row describes. */
export interface RawRequest {
  readonly method: Operation['method'];
  /** `/cards/7` is below `/api/<version>`; a path with `/api/` or `/scim/` in front follows the base URL. Percent-encoded. */
  readonly path: string;
  /** Lists are joined with commas unless `queryStyle` says otherwise. */
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly queryStyle?: Readonly<Record<string, QueryStyle>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Replaces the body: the fields of a form, in which a file from a path is `{ content: 'path' }`. */
  readonly form?: Readonly<Record<string, unknown>> | undefined;
  /** True: a redirect is an answer, `{ url, status }`. It is never followed. */
  readonly redirect?: boolean | undefined;
  /** `safe` when a lost answer may be repeated blindly: the default of GET, PUT and DELETE; the others are `unsafe`. */
  readonly repeat?: 'safe' | 'unsafe' | undefined;
}

/** A content to be handed on as it arrives. */
export type DownloadRequest = Pick<RawRequest, 'path' | 'query' | 'queryStyle'>;

/** Prefixes of the paths. */
export interface PathPrefixes {
  /** The path of the base URL, without a slash at its end. */
  readonly scim: string;
  readonly rest: string;
}

/** A request with its row, which for a raw one is made up. */
export interface PreparedRaw {
  readonly operation: Operation;
  readonly request: PreparedRequest;
}

const METHODS: readonly unknown[] = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ID = 'client.request';

/**
 * Turns a request without a row into one with it.
 * @throws TypeError for a path that is not written as it will be sent, or that leads out of the base URL.
 */
export function prepareRaw(raw: RawRequest, prefixes: PathPrefixes): PreparedRaw {
  const { method, query, queryStyle, redirect = false } = raw;
  if (!METHODS.includes(method)) throw new TypeError(`${ID}: method must be one of ${METHODS}`);
  if (query !== undefined && !isNamed(query)) throw new TypeError(`${ID}: query must be an object`);
  const isRepeatable = method === 'GET' || method === 'PUT' || method === 'DELETE';
  const operation: Operation = {
    id: ID,
    api: 'rest',
    method,
    path: '/',
    response: { kind: redirect ? 'redirect' : 'object', fields: [] },
    repeat: raw.repeat ?? (isRepeatable ? 'safe' : 'unsafe'),
    about: 'A request of the caller.',
    source: 'caller',
  };
  const path = toPath(raw.path, prefixes) + toQuery(ID, query, queryStyle);
  return { operation, request: { path, ...toBody(raw) } };
}

function toPath(path: unknown, { scim, rest }: PathPrefixes): string {
  const text = typeof path === 'string' ? path : '';
  const fullPath = /^\/(api|scim)\//.test(text) ? scim + text : rest + text;
  // A URL would read it in another way: ways up, queries, characters that are not encoded.
  const isAsWritten = URL.parse(fullPath, 'http://base')?.href === `http://base${fullPath}`;
  const isPath = /^\/(?!\/)[^?#]*$/.test(text) && isAsWritten;
  if (!isPath || text.split('/').some(hidesWayUp)) {
    throw new TypeError(`${ID}: path must begin with a slash, be encoded and lead nowhere else`);
  }
  return fullPath;
}

/** Servers that decode twice would see a way up in it. */
function hidesWayUp(segment: string): boolean {
  try {
    return /(^|[\\/])\.\.?($|[\\/])/.test(decodeURIComponent(segment));
  } catch {
    return true; // No percent-encoding, so no path either.
  }
}

function toBody({ body, form: fields }: RawRequest): Omit<PreparedRequest, 'path'> {
  if (body instanceof FormData) throw new TypeError(`${ID}: the fields of a form belong into form`);
  if (fields === undefined) return { body: body === undefined ? undefined : JSON.stringify(body) };
  if (body !== undefined) throw new TypeError(`${ID}: body and form are two`);
  if (!isNamed(fields)) throw new TypeError(`${ID}: form must be an object`);
  return { body: undefined, form: { id: ID, part: 'form', fields, findFile } };
}

/** Text is text here: it is never a path unless the caller says so. */
function findFile(_name: string, value: unknown): FileInput | undefined {
  return typeof value !== 'string' && isFileInput(value) ? value : undefined;
}
