import { request } from 'undici';
import { BridgeError } from '../../domain/errors.ts';
import type { JsonObject, JsonValue } from '../../domain/json.ts';
import type { Answer } from './answer.ts';

/** A provider waits a minute for an answer. */
const TIMEOUT_MS = 60_000;

/** Request to the bridge as a provider sends it. */
export interface Sending {
  /** JSON, or a form. */
  readonly body?: JsonObject | URLSearchParams;
  /** A header that is undefined is not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** Talks to the bridge as a provider, and keeps every answer as evidence. */
export interface Talk {
  /**
   * Sends a request. `path` is below the SCIM base URL, or a whole URL.
   * @throws Stopped when the run is to end; BridgeError `gallery-failed` when no answer came
   */
  send(method: Method, path: string, sending?: Sending): Promise<Answer>;
  /** Gives the answers since it was asked last. */
  takeAnswers(): Answer[];
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The run is to end; nothing more is sent. */
export class Stopped extends Error {
  override readonly name = 'Stopped';
}

/** Parts of a talk. */
interface TalkParts {
  /** The SCIM base URL without a slash at its end. */
  readonly baseUrl: string;
  readonly token: string;
  /** Aborted: nothing more is sent; a request that has left is waited for. */
  readonly stopped: AbortSignal;
}

/** Creates a talk with a bridge. */
export function createTalk({ baseUrl, token, stopped }: TalkParts): Talk {
  let answers: Answer[] = [];
  return {
    async send(method, path, sending = {}) {
      if (stopped.aborted) throw new Stopped();
      const url = path.startsWith('/') ? `${baseUrl}${path}` : path;
      const answer = await exchange(method, { url, path, token, sending });
      answers.push(answer);
      return answer;
    },
    takeAnswers() {
      const taken = answers;
      answers = [];
      return taken;
    },
  };
}

/** Address of everybody whom a filter finds. */
export function toSearch(type: 'Users' | 'Groups', filter: string, rest = ''): string {
  return `/${type}?filter=${encodeURIComponent(filter)}${rest}`;
}

interface Exchange {
  readonly url: string;
  readonly path: string;
  readonly token: string;
  readonly sending: Sending;
}

async function exchange(
  method: Method,
  { url, path, token, sending: { body, headers } }: Exchange,
): Promise<Answer> {
  const isForm = body instanceof URLSearchParams;
  const type = isForm ? 'application/x-www-form-urlencoded' : 'application/scim+json';
  const sent = {
    authorization: `Bearer ${token}`,
    accept: 'application/scim+json, application/json',
    'user-agent': 'scim-bridge gallery',
    ...(body !== undefined && { 'content-type': type }),
    ...headers,
  };
  const startedAt = performance.now();
  try {
    const answer = await request(url, {
      method,
      headers: sent,
      body: body === undefined ? null : isForm ? `${body}` : JSON.stringify(body),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const text = await answer.body.text();
    return {
      request: `${method} ${toShown(path)}`,
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

/** An address as people read it, without the host. */
function toShown(path: string): string {
  const shown = path.startsWith('/') ? path : new URL(path).pathname;
  try {
    return decodeURIComponent(shown);
  } catch {
    return shown;
  }
}

/**
 * Parses an answer. Text that is no JSON, such as the page of a proxy, is no answer of the bridge: its status says
 * enough.
 */
function parseBody(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
