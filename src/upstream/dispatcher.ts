import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { RequestDispatcher } from './request-dispatcher.ts';

/** How to reach the service. */
export interface DispatcherOptions {
  readonly origin: string;
  /** URL of an HTTP proxy. */
  readonly proxy: string | undefined;
  readonly connectMs: number;
  /** Sockets at most; the budget never lets more calls out than that. */
  readonly connections: number;
}

/** One pool of connections to the service. HTTP/1.1, so that a lost connection loses one call. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { origin, proxy, connectMs, connections } = options;
  const shared = { connections, allowH2: false };
  if (proxy === undefined) return new Pool(origin, { ...shared, connect: { timeout: connectMs } });
  return new ProxyAgent({ uri: proxy, ...shared, connect: { timeout: connectMs } });
}

/** Tells the failures to connect from those after it. */
export interface ConnectFailures {
  /** True when the call that failed with this error was certainly never sent. */
  neverLeft(error: unknown): boolean;
}

/** Codes that only the making of a connection ends with; needed where a dispatcher does not report its connections. */
const connectCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Listens to the dispatcher, which reports a failed connection with the very error that the call then ends with. */
export function watchConnectFailures(dispatcher: RequestDispatcher): ConnectFailures {
  const reported = new WeakSet<Error>();
  dispatcher.on('connectionError', (_origin, _targets, error) => reported.add(error));
  return {
    neverLeft: (error) =>
      error instanceof Error &&
      (reported.has(error) || ('code' in error && connectCodes.has(error.code))),
  };
}
