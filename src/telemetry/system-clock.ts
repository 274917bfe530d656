import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../domain/clock.ts';

/** Node's timers hold no more than this; a longer one would fire at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  async sleep(ms, signal) {
    signal?.throwIfAborted();
    for (let left = ms; left > 0; left -= TIMER_MS_MAX)
      await setTimeout(Math.min(left, TIMER_MS_MAX), undefined, { signal }).catch(() =>
        signal?.throwIfAborted(),
      );
  },
};
