import type { RequestDispatcher } from '../upstream/request-dispatcher.ts';
import type { ClientHooks } from './client-hooks.ts';

/** What a client is made of. */
export interface ClientOptions {
  /** `https://company.example`, with a path where the service lives below one. */
  readonly baseUrl: string;
  /** Sent as the bearer token of every call. */
  readonly token: string;
  /** Prefix of REST paths: `/api/latest` (the default) or `/api/v1`. */
  readonly apiVersion?: 'latest' | 'v1' | undefined;
  /** Never more than this leave in any second; 5 by default, which is what the service allows. 0 means no limit. */
  readonly requestsPerSecond?: number | undefined;
  /** Requests on their way at the same time; 64 by default. */
  readonly inFlightMax?: number | undefined;
  /** Calls that may wait for their turn; 10,000 by default, then the error `overloaded`. */
  readonly queueMax?: number | undefined;
  /** Attempts of one call, the first included; 3 by default. */
  readonly attemptsMax?: number | undefined;
  /** Milliseconds that a call may take once its first turn has come, over all attempts; 30,000 by default. */
  readonly timeoutMs?: number | undefined;
  /** Bytes of one answer at most; 32 MiB by default. */
  readonly responseBytesMax?: number | undefined;
  /** URL of an HTTP proxy. */
  readonly proxy?: string | undefined;
  /** Sends instead of connections of the client's own (`Agent`, `Pool`, `MockAgent`, … of undici 7 or newer); stays yours to close. */
  readonly dispatcher?: RequestDispatcher | undefined;
  readonly userAgent?: string | undefined;
  readonly hooks?: ClientHooks | undefined;
}
