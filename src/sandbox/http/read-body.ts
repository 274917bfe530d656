import type { IncomingMessage } from 'node:http';
import { Refusal } from '../refusal.ts';

const bodyBytesMax = 10_000_000;

/** The body as text. @throws Refusal 413 above ten megabytes. @throws Error when the caller hangs up. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > bodyBytesMax) throw new Refusal('too-large', 'body too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A JSON body; empty is undefined. @throws Refusal 400 when it is not JSON. */
export function parseJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Refusal('bad-request', 'Body should be JSON', { cause });
  }
}
