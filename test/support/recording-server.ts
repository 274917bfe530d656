import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** What the server was asked. */
export interface Recorded {
  readonly method: string;
  /** Path and query as they were sent. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A server that answers everything with `{}` and keeps what it was asked. */
export interface RecordingServer {
  readonly baseUrl: string;
  readonly recorded: Recorded[];
  stop(): void;
}

/** Listens on a free port of loopback. */
export async function startRecording(): Promise<RecordingServer> {
  const recorded: Recorded[] = [];
  const server = createServer(async (req, res) => {
    const { method = '', url = '', headers } = req;
    recorded.push({ method, url, headers, body: await buffer(req) });
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    baseUrl: `http://127.0.0.1:${toPort(server)}`,
    recorded,
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The pairs of a form: files as their text. */
export async function readForm({ headers, body }: Recorded): Promise<[string, string][]> {
  const type = headers['content-type'] ?? '';
  const form = await new Response(new Uint8Array(body), {
    headers: { 'content-type': type },
  }).formData();
  const pairs = [...form].map(
    async ([name, value]): Promise<[string, string]> => [
      name,
      typeof value === 'string' ? value : await value.text(),
    ],
  );
  return Promise.all(pairs);
}

function toPort(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
