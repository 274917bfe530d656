import { systemClock } from '../../src/telemetry/system-clock.ts';

/** A clock that goes faster than the machine's and can be moved on. */
export type LeapingClock = ReturnType<typeof createLeapingClock>;

const TIMER_MAX_MS = 2 ** 31 - 1;

/** @param speed how many of its milliseconds pass in one of the machine's. */
export function createLeapingClock(speed = 1) {
  const startedAt = Date.now();
  const sleepers = new Set<{ readonly atMs: number; readonly wake: () => void }>();
  let leaptMs = 0;

  const now = () => startedAt + (Date.now() - startedAt) * speed + leaptMs;

  return {
    now,
    async sleep(ms: number, signal?: AbortSignal) {
      signal?.throwIfAborted();
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const sleeper = { atMs: now() + ms, wake: resolve };
      const timer = setTimeout(resolve, Math.min(ms / speed, TIMER_MAX_MS));
      const onAbort = () => reject(signal?.reason);
      signal?.addEventListener('abort', onAbort, { once: true });
      sleepers.add(sleeper);
      await promise.finally(() => {
        clearTimeout(timer);
        sleepers.delete(sleeper);
        signal?.removeEventListener('abort', onAbort);
      });
    },
    leap(ms: number) {
      leaptMs += ms;
      for (const { atMs, wake } of [...sleepers]) if (atMs <= now()) wake();
    },
  };
}

/** The machine's clock, which tells a later time where a test says so; waits take as long as they take. */
export function createSetClock() {
  const state = { aheadMs: 0 };
  return { sleep: systemClock.sleep, state, now: () => systemClock.now() + state.aheadMs };
}
