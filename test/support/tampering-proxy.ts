import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** Changes what the service answers to a GET: given the address and the parsed JSON. */
export type Tamper = (url: URL, body: unknown) => unknown;

/** A service whose answers a test can change on their way. */
export interface TamperedService {
  /** To be given to a bridge as its service. */
  readonly service: Sandbox;
  /** Undefined: nothing is changed. */
  setTamper(tamper: Tamper | undefined): void;
}

/** Puts itself between the bridge and a sandbox, until the test ends. */
export async function tamperWith(sandbox: Sandbox): Promise<TamperedService> {
  let tamper: Tamper | undefined;
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const { authorization = '', 'content-type': type = 'application/json' } = req.headers;
    const answer = await request(`${sandbox.url}${req.url}`, {
      method: req.method ?? 'GET',
      headers: { authorization, 'content-type': type },
      body: chunks.length === 0 ? null : Buffer.concat(chunks),
    });
    const text = await answer.body.text();
    const isRead = tamper !== undefined && req.method === 'GET' && answer.statusCode === 200;
    const url = new URL(req.url ?? '/', sandbox.url);
    res.writeHead(answer.statusCode, { 'content-type': 'application/json' });
    res.end(isRead ? JSON.stringify(tamper?.(url, JSON.parse(text))) : text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const service: Sandbox = Object.create(sandbox, {
    url: { value: `http://127.0.0.1:${address.port}` },
  });
  return {
    service,
    setTamper(next) {
      tamper = next;
    },
  };
}
