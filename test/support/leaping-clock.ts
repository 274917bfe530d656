import { systemClock } from '../../src/telemetry/system-clock.ts';

/** A clock that goes faster than the machine's and can be moved on. */
export type LeapingClock = ReturnType<typeof createLeapingClock>;

interface Sleeper {
  readonly atMs: number;
  readonly wake: () => void;
}

const TIMER_MAX_MS = 2 ** 31 - 1;

/** @param speed how many of its milliseconds pass in one of the machine's. */
export function createLeapingClock(speed = 1) {
  const startedAt = Date.now();
  const sleepers = new Set<Sleeper>();
  let leaptMs = 0;

  const now = () => startedAt + (Date.now() - startedAt) * speed + leaptMs;

  return {
    now,
    sleep(ms: number, signal?: AbortSignal) {
      return new Promise<void>((resolve, reject) => {
        signal?.throwIfAborted();
        const end = (settle: () => void) => {
          clearTimeout(timer);
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', onAbort);
          settle();
        };
        const onAbort = () => end(() => reject(signal?.reason));
        const sleeper: Sleeper = { atMs: now() + ms, wake: () => end(resolve) };
        const timer = setTimeout(sleeper.wake, Math.min(ms / speed, TIMER_MAX_MS));
        signal?.addEventListener('abort', onAbort, { once: true });
        sleepers.add(sleeper);
      });
    },
    leap(ms: number) {
      leaptMs += ms;
      for (const { atMs, wake } of [...sleepers]) if (atMs <= now()) wake();
    },
    /** How many sleep: as many as before a leap once all whom it woke have done their work. */
    sleeping: () => sleepers.size,
    nextAt: () => Math.min(...Array.from(sleepers, ({ atMs }) => atMs)),
  };
}

/** The machine's clock, which tells a later time where a test says so; waits take as long as they take. */
export function createSetClock() {
  const state = { aheadMs: 0 };
  return { sleep: systemClock.sleep, state, now: () => systemClock.now() + state.aheadMs };
}
