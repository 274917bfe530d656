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
}
