import type { Clock } from '../clock.ts';

/** A clock that stands still until the test moves it. */
export interface FakeClock extends Clock {
  advance(ms: number): Promise<void>;
  readonly nextAt: number | undefined;
}

/** A clock at a fixed time in 2026. */
export function createFakeClock(): FakeClock {
  let nowMs = Date.UTC(2026, 0, 1);
  const sleepers = new Set<{ atMs: number; wake: () => void }>();

  function findFirst() {
    const [first] = [...sleepers].sort((a, b) => a.atMs - b.atMs);
    return first;
  }

  function findNext(endMs: number) {
    const next = findFirst();
    return next && next.atMs <= endMs ? next : undefined;
  }

  return {
    now: () => nowMs,
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        const sleeper = { atMs: nowMs + ms, wake: resolve };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', () => {
          sleepers.delete(sleeper);
          reject(signal.reason);
        });
      });
    },
    async advance(ms) {
      const endMs = nowMs + ms;
      await runReady();
      for (let next = findNext(endMs); next; next = findNext(endMs)) {
        nowMs = next.atMs;
        sleepers.delete(next);
        next.wake();
        await runReady();
      }
      nowMs = endMs;
      await runReady();
    },
    get nextAt() {
      return findFirst()?.atMs;
    },
  };
}

/** A clock on which every sleep ends at once and has taken its time. */
export function createEagerClock(): Clock & { readonly sleeps: number[] } {
  let nowMs = Date.UTC(2026, 0, 1);
  const sleeps: number[] = [];
  return {
    sleeps,
    now: () => nowMs,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      sleeps.push(ms);
      nowMs += ms;
    },
  };
}

/** Runs everything that is ready to run. */
export function runReady(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
