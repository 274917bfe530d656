import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { forTest } from './lifetimes.ts';
import { type Passed, passOn, serve } from './local-server.ts';

/**
 * Stands between bridges and a sandbox for the running test. `overlaps` has, as `POST /path`, each change that began
 * while another one of its resource had not ended.
 */
export async function watchOverlaps(sandbox: Sandbox) {
  const overlaps: string[] = [];
  const running = new Set<string>();

  async function watch(req: IncomingMessage): Promise<Passed> {
    const { method = 'GET', url = '/' } = req;
    const body = await text(req);
    const answer = () => passOn(req, `${sandbox.url}${url}`, body);
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

  const { url } = await forTest(
    serve((req, res) => {
      watch(req).then(
        ({ status, text: json }) =>
          res.writeHead(status, { 'content-type': 'application/json' }).end(json),
        () => res.destroy(),
      );
    }),
  );
  return { baseUrl: url, overlaps };
}

/** What a change is about: the group or the person that its path names, or what is created. */
function toResource(url: string, body: string): string {
  return /\/(?:groups|users)\/([^/?]+)/i.exec(url)?.[1] ?? body;
}
