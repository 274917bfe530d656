import { setTimeout as sleepFor } from 'node:timers/promises';

/** Where time comes from, passed in so that tests decide it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The real clock, for programs that use this client alone. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: (ms, signal) => sleepFor(ms, undefined, signal && { signal }),
};
