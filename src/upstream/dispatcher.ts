import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';

/** Options of the connection pool. */
export interface DispatcherOptions {
  /** Address of the service; undefined: any host, for contents that are not the service's. */
  readonly origin: string | undefined;
  /** URL of an HTTP proxy. */
  readonly proxy: string | undefined;
  readonly connectMs: number;
  /** Sockets at most; the budget never lets more calls out. */
  readonly connections: number;
}

/** Creates a pool of connections. HTTP/1.1, so that a lost connection loses one call. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { origin, proxy, connectMs, connections } = options;
  const shared = { connections, allowH2: false, connectTimeout: connectMs };
  if (proxy === undefined)
    return origin === undefined ? new Agent(shared) : new Pool(origin, shared);
  return new ProxyAgent({
    ...shared,
    uri: proxy,
    // The proxy may accept the connection and never open one to the service.
    clientFactory: (proxyOrigin, given) =>
      new Pool(proxyOrigin, { ...given, headersTimeout: connectMs }),
  });
}
