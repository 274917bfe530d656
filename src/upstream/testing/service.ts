import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A request to the service. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
  readonly bytes: Buffer<ArrayBuffer>;
}

/** A test's own service over real HTTP. */
export interface TestService {
  readonly baseUrl: string;
  readonly seen: SeenRequest[];
}

/** Answers the n-th request, beginning with 0. */
export type Answering = (res: ServerResponse, request: SeenRequest, n: number) => void;

/** Starts a service on a free port of loopback; it ends with the test. */
export async function startService(answer: Answering): Promise<TestService> {
  const seen: SeenRequest[] = [];
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { method = '', url = '', headers } = req;
      const bytes = Buffer.concat(chunks);
      const request = { method, url, headers, body: bytes.toString(), bytes };
      seen.push(request);
      answer(res, request, seen.length - 1);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { baseUrl: `http://127.0.0.1:${portOf(server.address())}`, seen };
}

/** An answer in JSON. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(JSON.stringify(body));
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address !== null) return address.port;
  throw new Error('the service has no port');
}
