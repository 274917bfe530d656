import { setTimeout as sleep } from 'node:timers/promises';
import { type Dispatcher, Pool, ProxyAgent } from 'undici';
import type { Answerer, RequestDispatcher } from './exchange.ts';
import type { TransportOptions } from './transport-options.ts';

/** Opens the connections of a transport, to each host when it is needed first; a dispatcher of the caller serves all. */
export function openConnections(
  { dispatcher, proxy, inFlightMax: connections = 64 }: TransportOptions,
  connectMs: number,
) {
  const opened = new Map<string, Dispatcher>();
  // HTTP/1.1, so that a lost connection loses one call.
  const shared = { connections, allowH2: false, connectTimeout: connectMs };

  function open(origin: string): Dispatcher {
    if (proxy === undefined) return new Pool(origin, shared);
    return new ProxyAgent({
      ...shared,
      uri: proxy,
      // The proxy may accept the connection and never open one to the service.
      clientFactory: (proxyOrigin, given) =>
        new Pool(proxyOrigin, { ...given, headersTimeout: connectMs }),
    });
  }

  return {
    to(origin: string): RequestDispatcher | Answerer {
      if (dispatcher !== undefined) return dispatcher;
      const known = opened.get(origin) ?? open(origin);
      opened.set(origin, known);
      return known;
    },
    /** Waits for exchanges under way, at most `graceMs`, then closes the connections; a dispatcher of the caller stays open. */
    async close(running: Iterable<Promise<unknown>>, graceMs?: number): Promise<void> {
      if (dispatcher !== undefined) return;
      const timeUp = graceMs === undefined ? [] : [sleep(graceMs, undefined, { ref: false })];
      await Promise.race([Promise.all(running), ...timeUp]);
      // Not closed: that would wait for connections that have no use any more.
      await Promise.all([...opened.values()].map((each) => each.destroy()));
    },
  };
}
