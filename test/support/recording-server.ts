import type { IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { serve } from './local-server.ts';

/** What the server was asked. */
export interface Recorded {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A server that keeps what it was asked. */
export type RecordingServer = Awaited<ReturnType<typeof startRecording>>;

/** A server on a free port of loopback that answers everything with `{}` and keeps what it was asked. */
export async function startRecording() {
  const recorded: Recorded[] = [];
  const server = await serve(async (req, res) => {
    const { method = '', url = '', headers } = req;
    recorded.push({ method, url, headers, body: await buffer(req) });
    res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  return { ...server, recorded };
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
