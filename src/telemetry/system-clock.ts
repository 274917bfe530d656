import type { Clock } from '../domain/clock.ts';

/** Node's timers hold no more than this; a longer one would fire at once. */
const timerMsMax = 2 ** 31 - 1;

/** The machine's own time. */
export const systemClock: Clock = {
  now: () => Date.now(),
  steady: () => performance.now(),
  sleep,
};

/** Written with the timer itself: `timers/promises` makes an error with a stack for each sleep that is ended early. */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    let timer: NodeJS.Timeout | undefined;
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const goOn = (leftMs: number) => {
      if (leftMs > 0) {
        timer = setTimeout(goOn, Math.min(leftMs, timerMsMax), leftMs - timerMsMax);
        return;
      }
      signal?.removeEventListener('abort', end);
      resolve();
    };
    signal?.addEventListener('abort', end, { once: true });
    goOn(ms);
  });
}
