import type { TransportOptions } from '../upstream/transport-options.ts';
import type { ClientHooks } from './client-hooks.ts';

/** What a client is made of: what the bridge's own transport takes, with the service's usual rate. */
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
  /** Never more than this leave in any second; 5 by default, which is what the service allows. 0 means no limit. */
  readonly requestsPerSecond?: number | undefined;
  /** Milliseconds that a call may take once its first turn has come, over all attempts; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  readonly hooks?: ClientHooks | undefined;
}
