import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { request } from 'undici';
import { onTestFinished } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';

/** A way to a sandbox that sees whether two changes of the same resource are ever under way at once. */
export interface OverlapWatch {
  readonly baseUrl: string;
  /** Each time a change began while another one of its resource had not ended, as `POST /path`. */
  readonly overlaps: readonly string[];
}

/** Stands between bridges and a sandbox for the running test. */
export async function watchOverlaps(sandbox: Sandbox): Promise<OverlapWatch> {
  const overlaps: string[] = [];
  const running = new Set<string>();

  async function watch(req: IncomingMessage): Promise<Answer> {
    const { method = 'GET', url = '/' } = req;
    const body = await text(req);
    const answer = () => forward(sandbox, { method, url, body, token: req.headers.authorization });
    if (method === 'GET') return answer();
    const resource = toResource(url, body);
    if (running.has(resource)) overlaps.push(`${method} ${url}`);
    running.add(resource);
    try {
      return await answer();
    } finally {
      running.delete(resource);
    }
  }

  const server = createServer((req, res) => {
    watch(req).then(
      ({ status, body }) => res.writeHead(status, { 'content-type': 'application/json' }).end(body),
      () => res.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return { baseUrl: `http://127.0.0.1:${address.port}`, overlaps };
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Forwarded {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  readonly token: string | undefined;
}

async function forward(
  sandbox: Sandbox,
  { method, url, body, token = '' }: Forwarded,
): Promise<Answer> {
  const answer = await request(`${sandbox.url}${url}`, {
    method,
    headers: { authorization: token },
    body: body === '' ? null : body,
  });
  return { status: answer.statusCode, body: await answer.body.text() };
}

/** What a change is about: the group or the person that its path names, or what is created. */
function toResource(url: string, body: string): string {
  const named = /\/(?:groups|users)\/([^/?]+)/i.exec(url)?.[1];
  return named ?? body;
}
