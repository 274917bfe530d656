import { once } from 'node:events';
import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { Server, Socket } from 'node:net';
import { createServer as createPlainServer } from 'node:net';
import type { Dispatcher } from 'undici';
import { request } from 'undici';

/** A server on a free port of this machine. */
export interface LocalServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

/** Has a server listen. */
export async function listenLocally(server: Server): Promise<LocalServer> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket.on('close', () => sockets.delete(socket)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port }: { port: number } = Object(server.address());
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Serves HTTP. */
export function serve(answer: RequestListener): Promise<LocalServer> {
  return listenLocally(createServer(answer));
}

/** Takes connections and never says anything. */
export function serveNothing(): Promise<LocalServer> {
  return listenLocally(
    createPlainServer((socket) => void socket.on('error', () => undefined).resume()),
  );
}

/** An answer that is passed back. */
export interface Passed {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

/** Sends a request on to another address. @param sent its body, as it is read already */
export async function passOn(
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  url: string | URL,
  sent: string | Buffer,
  dispatcher?: Dispatcher,
): Promise<Passed> {
  const names = ['authorization', 'content-type', 'if-match'] as const;
  const passed = names.flatMap((name) => {
    const value = headers[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  const answer = await request(url, {
    method: method as Dispatcher.HttpMethod,
    headers: Object.fromEntries(passed),
    body: sent.length === 0 ? null : sent,
    ...(dispatcher && { dispatcher }),
  });
  return { status: answer.statusCode, headers: answer.headers, text: await answer.body.text() };
}
