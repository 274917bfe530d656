import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Answerer, RequestDispatcher } from './exchange.ts';
import type { TransportOptions } from './transport-options.ts';

/** Options of the connection pool. */
interface DispatcherOptions {
  /** Address of the service. */
  readonly origin: string;
  /** URL of an HTTP proxy. */
  readonly proxy: string | undefined;
  readonly connectMs: number;
  /** Sockets at most; the budget never lets more calls out. */
  readonly connections: number;
}

/** Creates a pool of connections. HTTP/1.1, so that a lost connection loses one call. */
function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { origin, proxy, connectMs, connections } = options;
  const shared = { connections, allowH2: false, connectTimeout: connectMs };
  if (proxy === undefined) return new Pool(origin, shared);
  return new ProxyAgent({
    ...shared,
    uri: proxy,
    // The proxy may accept the connection and never open one to the service.
    clientFactory: (proxyOrigin, given) =>
      new Pool(proxyOrigin, { ...given, headersTimeout: connectMs }),
  });
}

/** Connections of a transport; a dispatcher of the caller stays open. */
interface Connections {
  readonly own: RequestDispatcher | Answerer;
  /** Waits for exchanges under way, then closes the connections of our own. */
  close(running: Iterable<Promise<unknown>>): Promise<void>;
}

/** Opens the connections of a transport to `origin`. */
export function openConnections(
  { dispatcher, proxy, inFlightMax: connections = 64 }: TransportOptions,
  { origin, connectMs }: { origin: string; connectMs: number },
): Connections {
  if (dispatcher !== undefined) {
    return { own: dispatcher, close: async () => undefined };
  }
  const own = createDispatcher({ origin, proxy, connectMs, connections });
  return {
    own,
    // Not closed: that would wait for connections that have no use any more.
    async close(running) {
      await Promise.all(running);
      await own.destroy();
    },
  };
}
