import { isDeepStrictEqual } from 'node:util';
import { request } from 'undici';
import { BridgeError } from '../../domain/errors.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { Expectation } from './gates.ts';

/** A provider waits a minute for an answer. */
const TIMEOUT_MS = 60_000;

/** An answer of the bridge, and what was looked at in it. */
export interface Answer {
  /** `GET /Users?filter=userName eq "…"`. */
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** null: no JSON. */
  readonly body: JsonValue;
  readonly durationMs: number;
  /** In words: no secret, and nothing of people whom the run did not make. */
  readonly parts: string[];
}

/** A request as a provider sends it. */
interface Sending {
  readonly method: string;
  readonly url: string;
  /** null: not sent. */
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body?: string | undefined;
}

/** Sends a request. @throws BridgeError `gallery-failed` when no answer came */
export async function send({ method, url, headers, body }: Sending): Promise<Answer> {
  const startedAt = performance.now();
  try {
    const answer = await request(url, {
      method,
      headers: Object.entries(headers).flatMap(([name, value]) => (value ? [name, value] : [])),
      body: body ?? null,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.body.text();
    const { pathname, search } = new URL(url);
    return {
      request: `${method} ${decodeURIComponent(pathname + search)}`,
      status: answer.statusCode,
      headers: answer.headers,
      body: parseBody(text),
      durationMs: Math.round(performance.now() - startedAt),
      parts: [],
    };
  } catch (cause) {
    throw new BridgeError('gallery-failed', `${url} does not answer`, { cause });
  }
}

/** Finds the part at a path with slashes; `*` lists that part of each entry, `@` is a header. */
export function findAt({ body, headers }: Pick<Answer, 'body' | 'headers'>, path: string): unknown {
  return path.startsWith('@') ? headers[path.slice(1)] : findIn(body, path.split('/'));
}

function findIn(body: JsonValue | undefined, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return body;
  if (step === '*') return (Array.isArray(body) ? body : []).map((entry) => findIn(entry, rest));
  if (Array.isArray(body)) return findIn(body[Number(step)], rest);
  return isJsonObject(body) ? findIn(body[step], rest) : undefined;
}

/** Compares a part with what is expected of it. */
export function isMet(expected: Expectation, found: unknown): boolean {
  if (typeof expected !== 'object') return isDeepStrictEqual(found, expected);
  const among = (id: string) => Array.isArray(found) && found.includes(id);
  if (Array.isArray(expected)) return expected.every(among);
  if ('matches' in expected) return new RegExp(expected.matches, 'i').test(String(found));
  if ('from' in expected) {
    return typeof found === 'number' && found >= expected.from && found <= expected.to;
  }
  if ('lacks' in expected) return expected.has.every(among) && !expected.lacks.some(among);
  if (expected.is === 'filled') return !isEmpty(found);
  return expected.is === 'empty' ? isEmpty(found) : typeof found === expected.is;
}

/** Says what is expected of a part: `totalResults: 0`, `id: is filled`. */
export function toWords(path: string, expected: Expectation): string {
  return `${path}: ${JSON.stringify(expected)
    .replaceAll(/["{}[\]]/g, ' ')
    .trim()}`;
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Text that is no JSON, such as the page of a proxy, is no answer of the bridge: its status says enough. */
function parseBody(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
