import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/domain/json.ts';
import type { Address } from '../support/send-raw.ts';
import type { Trace } from './trace.ts';

/** How long a client waits after it was told to come back, in milliseconds. */
const BUSY_MS = 20;
/** A bridge that lives answers within this time, in milliseconds. */
const ANSWER_MAX_MS = 30_000;

/** One request as it is sent. */
export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  /** The sender hangs up after so many milliseconds. */
  readonly hangsUpAfterMs?: number | undefined;
}

/** An answer of a bridge that was open for requests. */
export interface Answer {
  readonly status: number;
  readonly etag: string | undefined;
  readonly body: JsonObject;
}

/** A provider that goes on whatever becomes of the bridge. */
export interface Client {
  /** Undefined: nobody answered, or with "not now", so it may have happened or not. */
  send(sent: SentRequest): Promise<Answer | undefined>;
  readonly counts: Counts;
}

/** What was sent and what became of it. */
export interface Counts {
  sent: number;
  acknowledged: number;
  unanswered: number;
  /** What nobody expected. */
  readonly findings: string[];
}

/** A client of whichever process lives; `pick` resolves with one of them. */
export function createClient(pick: () => Promise<Address>, trace: Trace): Client {
  const counts: Counts = { sent: 0, acknowledged: 0, unanswered: 0, findings: [] };

  async function send(sent: SentRequest): Promise<Answer | undefined> {
    const bridge = await pick();
    counts.sent += 1;
    const n = counts.sent;
    const { method, path, body } = sent;
    trace.note('request', { n, to: bridge.baseUrl, method, path, body });
    const answer = await ask(bridge, sent).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      trace.note('no answer', { n, why });
      if (
        error instanceof Error &&
        error.name === 'TimeoutError' &&
        sent.hangsUpAfterMs === undefined
      )
        counts.findings.push(`${method} ${path} was not answered within ${ANSWER_MAX_MS} ms`);
      return undefined;
    });
    if (answer !== undefined) trace.note('answer', { n, status: answer.status, body: answer.body });
    if (answer === undefined || answer.status >= 500 || answer.status === 429) {
      counts.unanswered += 1;
      await sleep(BUSY_MS);
      if (answer?.status === 500)
        counts.findings.push(`${method} ${path}: 500 ${JSON.stringify(answer.body)}`);
      return undefined;
    }
    if (answer.status < 300) counts.acknowledged += 1;
    return answer;
  }

  return { send, counts };
}

async function ask(bridge: Address, sent: SentRequest): Promise<Answer> {
  const { method, path, body, headers, hangsUpAfterMs = ANSWER_MAX_MS } = sent;
  const answer = await request(`${bridge.baseUrl}${path}`, {
    method,
    signal: AbortSignal.timeout(Math.ceil(hangsUpAfterMs)),
    headers: {
      authorization: `Bearer ${bridge.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  const parsed: unknown = text.startsWith('{') ? JSON.parse(text) : {};
  const { etag } = answer.headers;
  return {
    status: answer.statusCode,
    etag: typeof etag === 'string' ? etag : undefined,
    body: isJsonObject(parsed) ? parsed : {},
  };
}
