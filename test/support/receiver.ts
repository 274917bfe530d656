import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { listenLocally } from './listen.ts';

/** A notification as it arrived. */
export interface Arrived {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  /** The body as JSON. */
  readonly json: { readonly type: string; readonly data: Readonly<Record<string, unknown>> };
}

/** A program that is told of what happens. */
export interface TestReceiver {
  readonly url: string;
  /** What it took, in order. */
  readonly taken: Arrived[];
  /** What it refused. */
  readonly refused: Arrived[];
  /** Answers with this from now on. */
  answer(status: number, headers?: Readonly<Record<string, string>>): void;
  readonly secret: string;
  readonly secretFile: string;
  /** The settings that name it; `more` are further keys of the receiver. */
  settings(more?: object): Record<string, string>;
}

/** Starts a receiver that ends with the test. */
export async function startReceiver(): Promise<TestReceiver> {
  let reply: { status: number; headers: Readonly<Record<string, string>> } = {
    status: 204,
    headers: {},
  };
  const [taken, refused]: [Arrived[], Arrived[]] = [[], []];
  const server = createServer(async (req, res) => {
    const body = await text(req);
    const { status, headers } = reply;
    const list = status < 300 ? taken : refused;
    list.push({ headers: req.headers, body, json: JSON.parse(body) });
    res.writeHead(status, headers).end();
  });
  const port = await listenLocally(server);
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-receiver-'));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    rmSync(folder, { recursive: true });
  });
  const secret = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`;
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, `${secret}\n`);
  const url = `http://127.0.0.1:${port}/hook`;
  return {
    url,
    taken,
    refused,
    secret,
    secretFile,
    answer(status, headers = {}) {
      reply = { status, headers };
    },
    settings: (more = {}) => ({
      NOTIFY_RECEIVERS: JSON.stringify([{ name: 'ops', url, secretFile, ...more }]),
      NOTIFY_HOSTS: '127.0.0.1',
      NOTIFY_PRIVATE_ADDRESSES: 'allow',
    }),
  };
}
