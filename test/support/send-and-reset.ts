import { once } from 'node:events';
import { connect } from 'node:net';
import type { JsonObject } from '../../src/domain/json.ts';

/** A request whose sender does not wait for the answer. */
export interface LostRequest {
  readonly method: string;
  /** The whole address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly body?: JsonObject | undefined;
}

/**
 * Sends a request and resets its connection, so that the bridge cannot answer. Another request on it was answered before:
 * of a connection that is reset before it is accepted, nothing is read.
 */
export async function sendAndReset({ method, url, headers, body }: LostRequest): Promise<void> {
  const { hostname, port, pathname, search } = new URL(url);
  const text = body === undefined ? '' : JSON.stringify(body);
  const all = { host: hostname, 'content-type': 'application/json', ...headers };
  const lines = Object.entries({ ...all, 'content-length': `${Buffer.byteLength(text)}` });
  const given = lines.flatMap(([name, value]) => (value ? [`${name}: ${value}\r\n`] : []));
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.write('GET /healthz HTTP/1.1\r\nhost: bridge\r\n\r\n');
  await once(socket, 'data');
  const sent = Promise.withResolvers<void>();
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${given.join('')}\r\n${text}`, () =>
    sent.resolve(),
  );
  await sent.promise;
  socket.resetAndDestroy();
}
