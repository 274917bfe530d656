import { setTimeout as delay } from 'node:timers/promises';

/** Where time comes from, passed in so that tests decide it. */
export interface Clock {
  /** Milliseconds since 1970 (UTC). */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when `signal` aborts first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own time, for programs that use this client alone. */
export const systemClock: Clock = { now: () => Date.now(), sleep };

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await delay(ms, undefined, { signal });
  } catch (error) {
    // Node wraps the reason into an AbortError; the caller wants its own reason back.
    signal?.throwIfAborted();
    throw error;
  }
}
