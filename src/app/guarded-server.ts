import { once } from 'node:events';
import type {
  IncomingMessage,
  RequestListener,
  Server,
  ServerOptions,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex, Stream } from 'node:stream';
import { toSource } from '../access/attempts.ts';
import { BridgeError } from '../domain/values.ts';

/** Not imported: an import asks for every name of it, and three of them load the `fetch` of Node, 14 MB. */
const http = process.getBuiltinModule('node:http');

/** Limits of the connections of a listener. Times are in milliseconds. */
const LIMITS = {
  /** From the beginning of a request until all of it has come. */
  requestMs: 60_000,
  /** From the moment an answer is complete until its reader has taken it. */
  answerMs: 60_000,
  /** An idle connection is kept longer than a load balancer in front keeps its own. */
  idleMs: 75_000,
  connectionsMax: 10_000,
};
export type ConnectionLimits = typeof LIMITS;

/** The headers of an honest request are there at once. */
const HEADERS_MS = 15_000;
/** Time until the first byte of a connection, in milliseconds. After a stall, what came meanwhile is read first. */
const SILENT_MS = 5_000;
/** Connections that one address may have in any case; beyond them at most half of all. */
const ADDRESS_MIN = 100;
/** A filter of 10,000 characters fits, each of them percent-encoded, beside the other headers. */
const HEADER_BYTES_MAX = 40_960;
/** Size up to which an unread body is taken to its end, so that its connection can be used again. */
const REST_BYTES_MAX = 1_048_576;
/** Time that the sender of a larger body, or of one without a length, has to read the answer, in milliseconds. */
const REST_MS = 1_000;
/** Interval at which Node checks limits of time, in milliseconds, at most. */
const CHECK_MS_MAX = 5_000;

/** Creates a server that cuts off slow clients, too large requests and too many connections. */
export function createGuardedServer(limits = LIMITS): Server {
  const { requestMs, answerMs, idleMs, connectionsMax } = limits;
  const options = {
    headersTimeout: Math.min(HEADERS_MS, requestMs),
    requestTimeout: requestMs,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: Math.ceil(Math.min(requestMs / 4, CHECK_MS_MAX)),
    maxHeaderSize: HEADER_BYTES_MAX,
  };
  const server = new GuardedServer(options, Math.max(ADDRESS_MIN, connectionsMax / 2));
  server.maxConnections = connectionsMax;
  const answers = new WeakMap<Duplex, ServerResponse>();
  server.on('clientError', (error, socket) => refuse(error, socket, answers.get(socket)));
  return server.on('request', (req, res) => {
    answers.set(req.socket, res);
    // An old connection would keep each of its answers in memory until the next full collection.
    res.once('close', () => answers.delete(req.socket));
    leaveOutOrigin(req);
    limitRest(req, res);
    // Another protocol is not offered here, and Node reads nothing more of a connection that asks for one.
    if (req.headers.upgrade !== undefined) res.shouldKeepAlive = false;
    res.once('prefinish', () => cutOffAfter(answerMs, req.socket, res));
  });
}

/** Time that an idle connection is kept when its server closes, in milliseconds: a request may be on its way. */
const LAST_REQUEST_MS = 250;

/** Server that closes unused connections as well: to Node one on which nothing was ever sent is not idle. */
class GuardedServer extends http.Server {
  /** Open connections of each address. */
  readonly #connections = new Map<string, Set<Socket>>();

  constructor(options: ServerOptions, addressMax: number) {
    super(options);
    this.on('connection', (socket) => {
      // One that is lost already has no address, without which nothing can be recorded. The address is remembered.
      if (socket.remoteAddress === undefined) return socket.destroy();
      const source = toSource(socket.remoteAddress);
      const others = this.#connections.get(source) ?? new Set();
      this.#connections.set(source, others.add(socket));
      if (others.size > addressMax) socket.destroy();
      // What Node calls after the last answer.
      socket.destroySoon = () => closeSoon(socket);
      const judge = () => socket.bytesRead > 0 || socket.destroy();
      const silence = setTimeout(setImmediate, SILENT_MS, judge).unref();
      socket.once('close', () => {
        clearTimeout(silence);
        others.delete(socket);
        if (others.size === 0) this.#connections.delete(source);
      });
    });
  }

  override closeIdleConnections(): void {
    const close = () => {
      super.closeIdleConnections();
      for (const sockets of this.#connections.values())
        for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    };
    setTimeout(setImmediate, LAST_REQUEST_MS, close).unref();
  }
}

/** Makes an address that names its origin the path behind that, as for a proxy. @see RFC 9112 §3.2.2 */
function leaveOutOrigin(req: IncomingMessage): void {
  const address = req.url ?? '';
  const path = address.replace(/^https?:\/\/[^/?#]*/i, '');
  if (path !== address) req.url = path.startsWith('/') ? path : `/${path}`;
}

/** An answer may be there before the body of its request is: of what is left, Node would take any amount. */
function limitRest(req: IncomingMessage, res: ServerResponse): void {
  res.once('finish', () => {
    const declared = Number(req.headers['content-length'] ?? Number.POSITIVE_INFINITY);
    if (!req.complete && declared > REST_BYTES_MAX) cutOffAfter(REST_MS, req.socket, req);
  });
}

/** Statuses of what Node itself does not read; of anything else it is 400. */
const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Payload Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
};

/** Refuses a request that Node cannot read. */
function refuse({ code = '' }: NodeJS.ErrnoException, socket: Duplex, last?: ServerResponse): void {
  if (!socket.writable) return;
  if (last?.headersSent && !last.writableFinished) return void socket.destroy();
  const status = STATUSES[code] ?? '400 Bad Request';
  socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\n\r\n`);
  // What was too slow could become a request after all.
  closeSoon(socket, code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 0 : REST_MS);
}

/** Closes a connection once its sender could read the answer: with bytes unread, a close would take that along. */
function closeSoon(socket: Duplex, ms = REST_MS): void {
  socket.end(() => cutOffAfter(ms, socket, socket));
}

/** Cuts a connection off unless this part of it ends in time. */
function cutOffAfter(ms: number, socket: Duplex, part: Stream): void {
  const timeUp = setTimeout(() => socket.destroy(), ms).unref();
  part.once('close', () => clearTimeout(timeUp));
}

/** A port that is open, on which every request is answered. */
export type Listener = Awaited<ReturnType<typeof listen>>;

/** Takes a port before anything else runs, and adds the server to those to be closed. @throws BridgeError `listen-failed` */
export async function listen(
  { host, port }: { readonly host: string; readonly port: number },
  servers: Server[],
) {
  const server = createGuardedServer();
  servers.push(server);
  let current: RequestListener = answerStarting;
  server.on('request', (req, res) => current(req, res));
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code = 'unknown' } = Object(cause);
    const detail = code === 'EADDRINUSE' ? 'it is in use' : String(code);
    const message = `cannot listen on ${host}:${port}: ${detail}`;
    throw new BridgeError('listen-failed', message, { cause });
  }
  return {
    server,
    /** Lets this application answer from now on. */
    serve(app: RequestListener): void {
      current = app;
    },
  };
}

const DETAIL = 'The bridge is starting.';
const STARTING_REASON = {
  code: 'starting',
  detail: 'The process is starting and serves nothing yet.',
  remedy: 'Wait a few seconds. When it does not end, the log says what the start waits for.',
};
/** What is answered before the bridge can answer. The last form is read by providers and by operators. */
const STARTING = {
  '/healthz': { status: 'ok' },
  '/readyz': { status: 'unavailable', reasons: [STARTING_REASON], leader: null },
  others: {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '503',
    code: 'starting',
    detail: DETAIL,
    message: DETAIL,
  },
} as const;

/** A start takes a second or two; providers wait longer by themselves. */
const answerStarting: RequestListener = ({ url }, res) => {
  const path = url === '/healthz' || url === '/readyz' ? url : 'others';
  const type = url?.startsWith('/scim/') ? 'application/scim+json' : 'application/json';
  const headers = { 'Content-Type': type, 'Cache-Control': 'no-store', 'Retry-After': '2' };
  res.writeHead(path === '/healthz' ? 200 : 503, headers).end(JSON.stringify(STARTING[path]));
};

/** The port that a listener got. */
export function toPort(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}
