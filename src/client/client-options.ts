import type { TransportOptions } from '../upstream/transport-options.ts';
import type { ClientHooks } from './client-hooks.ts';

/** Options of a client: those of the bridge's own transport, with the service's usual rate. */
export interface ClientOptions
  extends Pick<
    TransportOptions,
    | 'baseUrl'
    | 'token'
    | 'apiVersion'
    | 'inFlightMax'
    | 'queueMax'
    | 'attemptsMax'
    | 'responseBytesMax'
    | 'proxy'
    | 'dispatcher'
    | 'userAgent'
  > {
  /** Most calls that leave in any second; 5 by default, which is what the service allows. 0 means no limit. */
  readonly requestsPerSecond?: number | undefined;
  /** Milliseconds that a call may take after its first turn, over all attempts; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  readonly hooks?: ClientHooks | undefined;
}
