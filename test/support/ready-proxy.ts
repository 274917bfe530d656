import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { passOn, serve } from './local-server.ts';

const ASK_EVERY_MS = 100;

/** A proxy that keeps connections. Requests go round between those that are ready. Nothing is sent twice: what fails is the caller's to see, as 502. */
export async function startReadyProxy() {
  const agent = new Agent({ keepAliveTimeout: 60_000 });
  const stopping = new AbortController();
  let bridges: readonly string[] = [];
  let ready: readonly string[] = [];
  let turn = 0;

  async function isReady(origin: string): Promise<boolean> {
    try {
      const { statusCode, body } = await request(`${origin}/readyz`, { dispatcher: agent });
      await body.dump();
      return statusCode === 200;
    } catch {
      return false;
    }
  }

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      const asked = bridges;
      const answers = await Promise.all(asked.map(isReady));
      ready = asked.filter((_, index) => answers[index]);
      await sleep(ASK_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  const server = await serve(async (req, res) => {
    const sent = await buffer(req);
    turn += 1;
    const { status, text } = await passOn(
      req,
      `${ready[turn % ready.length]}${req.url}`,
      sent,
      agent,
    ).catch((error) => ({ status: 502, text: JSON.stringify({ detail: String(error) }) }));
    res.writeHead(status, { 'content-type': 'application/scim+json' }).end(text);
  });
  const watching = watch();
  return {
    url: server.url,
    /** Which bridges there are from now on, by their origins. */
    setBridges(origins: readonly string[]) {
      bridges = origins;
    },
    /** Resolves when so many say that they are ready. */
    async untilReady(count: number) {
      while (ready.length !== count) await sleep(ASK_EVERY_MS);
    },
    async stop() {
      stopping.abort();
      await watching;
      await server.stop();
      await agent.close();
    },
  };
}
