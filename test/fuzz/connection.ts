import { connect, type Socket } from 'node:net';

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

/** What is sent over one connection, and how. */
export interface Sending {
  readonly bytes: Buffer;
  readonly isHead: boolean;
  /** Cut the connection after so many bytes. */
  readonly cutAfter?: number;
  /** Send it in pieces of this size, one a turn of the event loop. */
  readonly piece?: number;
}

/** An answer behind which its connection is not used again: where it ends is not looked for. */
const ENDS = /\r\n(?:connection: close|transfer-encoding: chunked)/i;
/** An honest answer is there in milliseconds; a busy machine may add some. */
const PATIENCE_MS = 20_000;

/** Connections that are used again where nothing went wrong, because a machine has only so many ports. */
export class Connections {
  readonly #port: number;
  readonly #idle: Socket[] = [];
  constructor(port: number) {
    this.#port = port;
  }

  /** Sends bytes as they are, and reads one answer. */
  async send(sending: Sending): Promise<Reply> {
    const used = this.#idle.pop();
    const reply = used && (await this.#exchange(used, sending));
    // The server may have closed it meanwhile, as it may after a body that nobody read.
    if (reply && reply.kind !== 'closed') return reply;
    return this.#exchange(await this.#open(), sending);
  }

  async #exchange(socket: Socket, sending: Sending): Promise<Reply> {
    const reply = await exchange(socket, sending);
    if (reply.kind === 'answer' && !ENDS.test(reply.head) && sending.cutAfter === undefined) {
      this.#idle.push(socket);
    } else socket.destroy();
    return reply;
  }

  close(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy();
  }

  #open(): Promise<Socket> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#port, '127.0.0.1');
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject).on('error', () => undefined);
        resolve(socket);
      });
    });
  }
}

function exchange(socket: Socket, { bytes, isHead, cutAfter, piece }: Sending): Promise<Reply> {
  return new Promise((resolve) => {
    let text = '';
    const timer = setTimeout(() => end({ kind: 'silent' }), PATIENCE_MS);
    const onData = (chunk: Buffer) => {
      text += chunk.toString('latin1');
      const answer = parseAnswer(text, isHead);
      if (answer) end(answer);
    };
    const onClose = () => end(parseAnswer(`${text}`, true) ?? { kind: 'closed' });
    const end = (reply: Reply) => {
      clearTimeout(timer);
      socket.off('data', onData).off('close', onClose);
      resolve(reply);
    };
    socket.on('data', onData).on('close', onClose);
    if (socket.destroyed) return end({ kind: 'closed' });
    if (cutAfter !== undefined) {
      socket.write(bytes.subarray(0, cutAfter), () => socket.destroy());
    } else if (piece === undefined) socket.write(bytes);
    else drip(socket, bytes, piece);
  });
}

function drip(socket: Socket, bytes: Buffer, piece: number): void {
  if (bytes.length === 0 || socket.destroyed) return;
  socket.write(bytes.subarray(0, piece));
  setImmediate(() => drip(socket, bytes.subarray(piece), piece));
}

/** undefined while it is not complete. */
function parseAnswer(text: string, isHead: boolean): Reply | undefined {
  const split = text.indexOf('\r\n\r\n');
  if (split < 0) return undefined;
  const head = text.slice(0, split);
  const rest = text.slice(split + 4);
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0);
  if (status === 100) return parseAnswer(rest, isHead);
  const toAnswer = (body: string): Reply => ({ kind: 'answer', status, head, body: toUtf8(body) });
  if (isHead || status === 204 || status === 304) return toAnswer('');
  if (/\r\ntransfer-encoding: chunked/i.test(head)) {
    return /(?:^|\r\n)0\r\n\r\n$/.test(rest) ? toAnswer(rest.replace(/0\r\n\r\n$/, '')) : undefined;
  }
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(head)?.[1] ?? 0);
  return rest.length < length ? undefined : toAnswer(rest.slice(0, length));
}

function toUtf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
