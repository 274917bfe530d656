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

/** Starts a program that is told of what happens; it ends with the test. */
export async function startReceiver() {
  let reply = { status: 204, headers: {} };
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
    /** What it took, in order. */
    taken,
    /** What it refused. */
    refused,
    secret,
    secretFile,
    /** Answers with this from now on. */
    answer(status: number, headers: Readonly<Record<string, string>> = {}) {
      reply = { status, headers };
    },
    /** The settings that name it; `more` are further keys of the receiver. */
    settings: (more: object = {}): Record<string, string> => ({
      NOTIFY_RECEIVERS: JSON.stringify([{ name: 'ops', url, secretFile, ...more }]),
      NOTIFY_HOSTS: '127.0.0.1',
      NOTIFY_PRIVATE_ADDRESSES: 'allow',
    }),
  };
}
