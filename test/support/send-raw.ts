import { Readable } from 'node:stream';
import { request } from 'undici';
import type { JsonObject } from '../../src/domain/values.ts';
import type { Provider, TestAnswer } from './provider.ts';
import { toProvider } from './provider.ts';

/** A request of which nothing has to be right. */
export interface RawRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  /** Beside a valid token and the SCIM content type; undefined leaves one of them out. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly body?: string | Buffer | AsyncIterable<Buffer>;
  readonly signal?: AbortSignal;
}

/** Where a bridge listens, in this process or in its own. */
export interface Address {
  readonly baseUrl: string;
  readonly token: string;
}

/** Sends a body as it is. */
export async function sendRaw(bridge: Address, raw: RawRequest): Promise<TestAnswer> {
  const { method, path, headers, body, signal } = raw;
  const isStream = typeof body === 'object' && !Buffer.isBuffer(body);
  const answer = await request(path.startsWith('/') ? `${bridge.baseUrl}${path}` : path, {
    method,
    headers: {
      authorization: `Bearer ${bridge.token}`,
      ...(body === undefined ? {} : { 'content-type': 'application/scim+json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isStream ? Readable.from(body) : body }),
    ...(signal && { signal }),
  });
  const text = await answer.body.text();
  return { status: answer.statusCode, headers: answer.headers, text, body: parseObject(text) };
}

function parseObject(text: string): JsonObject {
  return text.startsWith('{') ? (JSON.parse(text) as JsonObject) : {};
}

/** A provider of a bridge in any process. */
export function toRequester(bridge: Address): Provider {
  return toProvider((method, path, body, headers = {}) =>
    sendRaw(bridge, {
      method: method as RawRequest['method'],
      path,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
}
