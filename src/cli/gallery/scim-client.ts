import { request } from 'undici';
import { z } from 'zod';
import { BridgeError } from '../../domain/errors.ts';
import { isJsonObject, type JsonValue } from '../../domain/json.ts';
import type { Expectation } from './gates.ts';

/** A provider waits a minute for an answer. */
const TIMEOUT_MS = 60_000;

/** What was seen of an answer: no secret, and nothing of people whom the run did not make. */
export interface Seen {
  /** `GET /Users?filter=userName eq "…"`. */
  readonly request: string;
  readonly status: number;
  readonly durationMs: number;
  /** What was looked at, in words. */
  readonly parts: string[];
}

/** An answer of the bridge. */
export interface Answer {
  readonly seen: Seen;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** null: no JSON. */
  readonly body: JsonValue;
}

/** A request as a provider sends it; a header without a value is not sent. */
interface Sending {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string | null | undefined>>;
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
    // Text that is no JSON, such as the page of a proxy, is no answer of the bridge: its status says enough.
    const json = await answer.body.json().catch(() => null);
    const { pathname, search } = new URL(url);
    const seen = {
      request: `${method} ${decodeURIComponent(pathname + search)}`,
      status: answer.statusCode,
      durationMs: Math.round(performance.now() - startedAt),
      parts: [],
    };
    return { seen, headers: answer.headers, body: z.json().parse(json) };
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
  if (typeof expected !== 'object') return found === expected;
  const { is, matches = '', from = -Infinity, to = Infinity, has = [], lacks = [] } = expected;
  const among = (id: string) => Array.isArray(found) && found.includes(id);
  if (from > -Infinity && !(Number(found) >= from && Number(found) <= to)) return false;
  if (is === 'filled' || is === 'empty') return isEmpty(found) === (is === 'empty');
  if (is !== undefined) return typeof found === is;
  return new RegExp(matches, 'i').test(`${found}`) && has.every(among) && !lacks.some(among);
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
