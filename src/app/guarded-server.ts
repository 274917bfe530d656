import { once } from 'node:events';
import type {
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { toSource } from '../access/attempts.ts';
import { BridgeError } from '../domain/errors.ts';

/** Not imported: an import asks for every name of it, and three of them load the `fetch` of Node, 14 MB. */
const http = process.getBuiltinModule('node:http');

/** Limits of the connections of a listener. Times are in milliseconds. */
export interface ConnectionLimits {
  /** From the beginning of a request until all of it has come. */
  readonly requestMs: number;
  /** From the moment an answer is complete until its reader has taken it. */
  readonly answerMs: number;
  /** Time that an idle connection is kept. */
  readonly idleMs: number;
  readonly connectionsMax: number;
}

/** Limits of a listener. An idle connection is kept longer than a load balancer in front keeps its own. */
const LIMITS: ConnectionLimits = {
  requestMs: 60_000,
  answerMs: 60_000,
  idleMs: 75_000,
  connectionsMax: 10_000,
};

/** The headers of an honest request are there at once. */
const HEADERS_MS = 15_000;
/** Time until the first byte of a connection, in milliseconds. */
const SILENT_MS = 5_000;
/** Connections that one address may have in any case; beyond them at most half of all. */
const ADDRESS_MIN = 100;
/** A filter of 10,000 characters fits, each of them percent-encoded, beside the other headers. */
const HEADER_BYTES_MAX = 40_960;
/** Size up to which an unread body is taken to its end, so that its connection can be used again. */
const REST_BYTES_MAX = 1_048_576;
/** Time that the sender of a larger body, or of one without a length, has to read the answer, in milliseconds. */
const REST_MS = 1_000;
/** Limits of time are checked at least this often, in milliseconds. */
const CHECK_MS_MAX = 5_000;

/**
 * Creates a server that cuts off clients that send or read too slowly, send more than is read, or open too many
 * connections. A limit of time is exceeded by a quarter of it at most.
 */
export function createGuardedServer(limits = LIMITS): Server {
  const { requestMs, answerMs, idleMs, connectionsMax } = limits;
  const checkMs = Math.ceil(Math.min(requestMs / 4, answerMs / 4, CHECK_MS_MAX));
  const options = {
    headersTimeout: Math.min(HEADERS_MS, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
    maxHeaderSize: HEADER_BYTES_MAX,
  };
  const server = new GuardedServer(options, Math.max(ADDRESS_MIN, connectionsMax / 2));
  server.maxConnections = connectionsMax;
  server.on('request', leaveOutOrigin);
  server.on('request', limitRest);
  server.on('request', endAfterUpgrade);
  cutSlowReaders(server, { answerMs, checkMs });
  return server;
}

/**
 * Time that an idle connection is kept when its server closes: a request may be on its way already, in milliseconds.
 */
const LAST_REQUEST_MS = 250;

/**
 * Server that closes unused connections as well. To Node a connection on which nothing was ever sent is not idle, so
 * one would hold a close until its time is over; and it cuts one off on which a request comes at this moment.
 */
class GuardedServer extends http.Server {
  readonly #connections = new Set<Socket>();
  /** Open connections of each address. */
  readonly #counts = new Map<string, number>();
  /** Time from which idle connections may be closed, by a steady clock. */
  #cutsAtMs: number | undefined;

  constructor(options: ServerOptions, addressMax: number) {
    super(options);
    this.on('connection', (socket) => {
      // One that is lost already has no address, without which nothing can be recorded. The address is remembered.
      if (socket.remoteAddress === undefined) return socket.destroy();
      const source = toSource(socket.remoteAddress);
      if (this.#add(source, 1) > addressMax) socket.destroy();
      const silence = setTimeout(() => socket.bytesRead > 0 || socket.destroy(), SILENT_MS).unref();
      this.#connections.add(socket);
      socket.once('close', () => {
        clearTimeout(silence);
        this.#add(source, -1);
        this.#connections.delete(socket);
      });
    });
  }

  #add(source: string, more: number): number {
    const count = (this.#counts.get(source) ?? 0) + more;
    if (count === 0) this.#counts.delete(source);
    else this.#counts.set(source, count);
    return count;
  }

  override closeIdleConnections(): void {
    const now = performance.now();
    if (this.#cutsAtMs === undefined) {
      this.#cutsAtMs = now + LAST_REQUEST_MS;
      setTimeout(() => this.closeIdleConnections(), LAST_REQUEST_MS + 1).unref();
    }
    if (now < this.#cutsAtMs) return;
    super.closeIdleConnections();
    for (const socket of this.#connections) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** Scheme and authority in front of an address. */
const ORIGIN = /^https?:\/\/[^/?#]*/i;

/**
 * Makes an address that names its origin too, as a client sends it to a proxy, the path behind that, before any
 * application sees it. @see RFC 9112 §3.2.2
 */
function leaveOutOrigin(req: IncomingMessage): void {
  const address = req.url ?? '';
  if (address.startsWith('/')) return;
  const path = address.replace(ORIGIN, '');
  if (path !== address) req.url = path.startsWith('/') ? path : `/${path}`;
}

/** An answer may be there before the body of its request is: of what is left, Node would take any amount. */
function limitRest(req: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => {
    const declared = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (req.complete || declared <= REST_BYTES_MAX) return;
    const { socket } = req;
    const timeUp = setTimeout(() => socket.destroy(), REST_MS).unref();
    req.once('close', () => clearTimeout(timeUp));
  });
}

/**
 * Closes a connection whose request asked for another protocol, which is not offered here: Node reads nothing more of
 * it.
 */
function endAfterUpgrade({ headers }: IncomingMessage, res: ServerResponse): void {
  if (headers.upgrade !== undefined) res.shouldKeepAlive = false;
}

function cutSlowReaders(
  server: Server,
  { answerMs, checkMs }: { answerMs: number; checkMs: number },
): void {
  /** Answers under way, and the time of their completion, by a steady clock. */
  const answers = new Map<ServerResponse, number | undefined>();
  server.on('request', (_req, res) => {
    answers.set(res, undefined);
    res.once('close', () => answers.delete(res));
  });
  const check = setInterval(() => {
    const now = performance.now();
    for (const [res, completeAt] of answers) {
      if (!res.writableEnded) continue;
      if (completeAt === undefined) answers.set(res, now);
      else if (now - completeAt >= answerMs) res.socket?.destroy();
    }
  }, checkMs).unref();
  server.once('close', () => clearInterval(check));
}

/** Address to listen on, and what answers there. */
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Answers from the first request on, until another one does. */
  readonly app: RequestListener;
}

/** A port that is open, on which every request is answered. */
export interface Listener {
  readonly server: Server;
  /** Lets this application answer from now on. */
  serve(app: RequestListener): void;
}

/**
 * Takes a port before anything else runs, so that one in use is told at once. The server is added to those to be closed.
 * @throws BridgeError `listen-failed`
 */
export async function listen(
  { host, port, app }: ListenOptions,
  servers: Server[],
): Promise<Listener> {
  const server = createGuardedServer();
  servers.push(server);
  let current = app;
  server.on('request', app);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    const detail = why === 'EADDRINUSE' ? 'it is in use' : why;
    throw new BridgeError('listen-failed', `cannot listen on ${host}:${port}: ${detail}`, {
      cause,
    });
  }
  return {
    server,
    serve(next) {
      server.off('request', current).on('request', next);
      current = next;
    },
  };
}

/** The port that a listener got. */
export function toPort(server: Server): number {
  return parseAddress(server.address()).port;
}

function parseAddress(address: ReturnType<Server['address']>): AddressInfo {
  return address as AddressInfo;
}
