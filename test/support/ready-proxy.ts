import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, request } from 'undici';

/** A proxy as it stands in front of several bridges: it keeps connections and asks each whether it is ready. */
export interface ReadyProxy {
  readonly url: string;
  /** Which bridges there are from now on, by their origins. */
  setBridges(origins: readonly string[]): void;
  /** Resolves when so many say that they are ready. */
  untilReady(count: number): Promise<void>;
  stop(): Promise<void>;
}

const ASK_EVERY_MS = 100;

/** Requests go round between those that are ready. Nothing is sent twice: what fails is the caller's to see, as 502. */
export async function startReadyProxy(): Promise<ReadyProxy> {
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

  async function passOn(req: IncomingMessage): Promise<{ status: number; text: string }> {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    turn += 1;
    const { authorization = '', 'content-type': type = '' } = req.headers;
    try {
      const { statusCode, body } = await request(`${ready[turn % ready.length]}${req.url}`, {
        dispatcher: agent,
        method: req.method ?? 'GET',
        headers: { authorization, ...(type === '' ? {} : { 'content-type': type }) },
        body: chunks.length === 0 ? null : Buffer.concat(chunks),
      });
      return { status: statusCode, text: await body.text() };
    } catch (error) {
      return { status: 502, text: JSON.stringify({ detail: String(error) }) };
    }
  }

  const server = createServer(async (req, res) => {
    const { status, text } = await passOn(req);
    res.writeHead(status, { 'content-type': 'application/scim+json' }).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const watching = watch();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    setBridges(origins) {
      bridges = origins;
    },
    async untilReady(count) {
      while (ready.length !== count) await sleep(ASK_EVERY_MS);
    },
    async stop() {
      stopping.abort();
      await watching;
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
      await agent.close();
    },
  };
}
