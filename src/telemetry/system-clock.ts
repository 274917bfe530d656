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
  if (signal?.aborted) return Promise.reject(signal.reason);
  if (ms <= 0) return Promise.resolve();
  if (ms > timerMsMax) {
    return sleep(timerMsMax, signal).then(() => sleep(ms - timerMsMax, signal));
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const timer = setTimeout(() => {
    signal?.removeEventListener('abort', end);
    resolve();
  }, ms);
  const end = () => {
    clearTimeout(timer);
    reject(signal?.reason);
  };
  signal?.addEventListener('abort', end, { once: true });
  return promise;
}
