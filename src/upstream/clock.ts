/** Source of time, passed in so that tests control it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}
