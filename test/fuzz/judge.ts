import { connect } from 'node:net';
import { z } from 'zod';
import type { Attempt } from './attempts.ts';

/** What came back. `closed`: the connection ended without an answer; `silent`: it neither answered nor ended. */
export type Reply =
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly head: string;
      readonly body: string;
    }
  | { readonly kind: 'closed' }
  | { readonly kind: 'silent' };

/** An honest answer is there in milliseconds; a busy machine may add some. */
const PATIENCE_MS = 20_000;

/** Sends an attempt; again where the server closed the connection after a body that it does not read. */
export async function send(port: number, attempt: Attempt): Promise<Reply> {
  const reply = await sendOnce(port, attempt);
  if (reply.kind !== 'closed' || attempt.cutAfter !== undefined) return reply;
  return sendOnce(port, attempt);
}

/** Sends bytes as they are over a connection of their own, and reads one answer. */
function sendOnce(port: number, { title, bytes, cutAfter, piece }: Attempt): Promise<Reply> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1');
    const end = (otherwise: Reply) => {
      clearTimeout(timer);
      // Leaves no trace in the system, whose ports would be used up.
      socket.resetAndDestroy();
      resolve(parseReply(Buffer.concat(chunks)) ?? otherwise);
    };
    const timer = setTimeout(end, PATIENCE_MS, { kind: 'silent' });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      const reply = parseReply(Buffer.concat(chunks));
      if (reply !== undefined && (title.startsWith('HEAD') || isComplete(reply))) end(reply);
    });
    socket.on('error', () => undefined).on('close', () => end({ kind: 'closed' }));
    if (cutAfter !== undefined)
      socket.write(bytes.subarray(0, cutAfter), () => end({ kind: 'closed' }));
    else drip(bytes, piece ?? bytes.length);
    function drip(rest: Buffer, size: number): void {
      if (rest.length === 0 || socket.destroyed) return;
      socket.write(rest.subarray(0, size));
      setImmediate(() => drip(rest.subarray(size), size));
    }
  });
}

type Answer = Extract<Reply, { kind: 'answer' }>;

/** The answer behind those that only say to go on, as far as it has come. */
function parseReply(bytes: Buffer): Answer | undefined {
  const split = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, split).toString();
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1]);
  if (split < 0 || Number.isNaN(status)) return undefined;
  const rest = bytes.subarray(split + 4);
  if (status === 100) return parseReply(rest);
  return { kind: 'answer', status, head, body: rest.toString() };
}

function isComplete({ status, head, body }: Answer): boolean {
  if (status === 204 || status === 304) return true;
  if (/\r\ntransfer-encoding: chunked/i.test(head)) return LAST_CHUNK.test(body);
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return Buffer.byteLength(body) >= length;
}

const LAST_CHUNK = /(^|\r\n)0\r\n\r\n$/;

/** A frame of a stack, a file of ours or of a package, a statement. */
const INSIDES =
  /\bat [\w.<>]+ \(|node:internal|node_modules|\.[jt]s:\d+|SQLITE_|\bselect [\w, ]+ from /;

/** What is wrong with an answer, or undefined. */
export function findFault({ path, cutAfter }: Attempt, reply: Reply): string | undefined {
  if (reply.kind === 'silent') return 'no answer, and the connection stays open';
  if (reply.kind === 'closed')
    return cutAfter === undefined ? 'the connection ended without an answer' : undefined;
  const { status, head, body } = reply;
  const shown = body.slice(0, 200);
  if (status >= 500 && !isDocumented(path, status)) return `${status}: ${shown}`;
  if (INSIDES.test(body)) return `the answer shows its insides: ${shown}`;
  if (/<html/i.test(body)) return `an answer of the framework: ${shown}`;
  // To HEAD, and by Node itself to what it cannot read.
  if (!path.startsWith('/scim/v2/') || status < 400 || body.replace(LAST_CHUNK, '') === '')
    return undefined;
  if (!/\r\ncontent-type: application\/scim\+json/i.test(head)) return `no type of SCIM: ${shown}`;
  const error = ScimError.safeParse(JSON.parse(body));
  if (error.data?.status !== String(status)) return `no SCIM error with its status: ${shown}`;
  const hasWait = /\r\nretry-after: [1-9]\d*(\r|$)/i.test(head);
  const needsWait = status === 429 || status === 503;
  return needsWait && !hasWait ? `${status} without Retry-After` : undefined;
}

const ScimError = z.object({
  schemas: z.array(z.string()).refine((schemas) => schemas.includes(ERROR)),
  status: z.string(),
  detail: z.string().min(1),
});
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error';

function isDocumented(path: string, status: number): boolean {
  if (status === 501 || status === 503) return true;
  return path.startsWith('/ops/api/') && (status === 502 || status === 504);
}
