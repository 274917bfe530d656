import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';

/** Node's timers hold no more than this; a longer one would fire at once. */
const timerMsMax = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  sleep,
};

async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  try {
    for (let leftMs = ms; leftMs > 0; leftMs -= timerMsMax) {
      await delay(Math.min(leftMs, timerMsMax), undefined, { signal });
    }
  } catch (error) {
    // Node wraps the reason into an AbortError; a caller expects its own reason.
    signal?.throwIfAborted();
    throw error;
  }
}
