import { Agent, type Dispatcher, Pool, ProxyAgent } from 'undici';

/** Options of the connection pool. */
export interface DispatcherOptions {
  readonly origin: string;
  /** URL of an HTTP proxy. */
  readonly proxy: string | undefined;
  readonly connectMs: number;
  /** Sockets at most; the budget never lets more calls out. */
  readonly connections: number;
}

/** Creates a pool of connections to the service. HTTP/1.1, so that a lost connection loses one call. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { origin, proxy, connectMs, connections } = options;
  const shared = { connections, allowH2: false, connectTimeout: connectMs };
  return proxy === undefined ? new Pool(origin, shared) : createProxied(proxy, shared, connectMs);
}

/** Creates a sender to any host, for contents that are not the service's. */
export function createOpenDispatcher(options: Omit<DispatcherOptions, 'origin'>): Dispatcher {
  const { proxy, connectMs, connections } = options;
  const shared = { connections, allowH2: false, connectTimeout: connectMs };
  return proxy === undefined ? new Agent(shared) : createProxied(proxy, shared, connectMs);
}

function createProxied(
  proxy: string,
  shared: { connections: number; allowH2: boolean; connectTimeout: number },
  connectMs: number,
): Dispatcher {
  return new ProxyAgent({
    ...shared,
    uri: proxy,
    // The proxy may accept the connection and never open one to the service.
    clientFactory: (proxyOrigin, given) =>
      new Pool(proxyOrigin, { ...given, headersTimeout: connectMs }),
  });
}
