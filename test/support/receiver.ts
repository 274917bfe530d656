import { writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { forTest, makeFolder } from './lifetimes.ts';
import { serve } from './local-server.ts';

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
  const answer: RequestListener = async (req, res) => {
    const body = await text(req);
    const { status, headers } = reply;
    const list = status < 300 ? taken : refused;
    list.push({ headers: req.headers, body, json: JSON.parse(body) });
    res.writeHead(status, headers).end();
  };
  const { url: base } = await forTest(serve(answer));
  const secret = `whsec_${Buffer.from('a secret of twenty-four bytes').toString('base64')}`;
  const secretFile = join(makeFolder(), 'secret');
  writeFileSync(secretFile, `${secret}\n`);
  const url = `${base}/hook`;
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
