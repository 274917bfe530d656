import type { Clock } from './clock.ts';

/** A sleep that others may end early. */
export interface WakeableSleep {
  /** From now on a `wake` ends the next sleep, also before it has begun. */
  arm(): void;
  wake(): void;
  /** Until the time is over, or somebody wakes it. Resolves in any case. */
  sleep(ms: number): Promise<void>;
  /** Until the time is over, whoever wakes it. */
  sleepThrough(ms: number): Promise<void>;
}

/** `closed` ends every sleep at once. */
export function createWakeableSleep(clock: Clock, closed: AbortSignal): WakeableSleep {
  let alarm = new AbortController();

  async function sleepUntil(ms: number, signal: AbortSignal): Promise<void> {
    await clock.sleep(ms, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
  }

  return {
    arm() {
      alarm = new AbortController();
    },
    wake: () => alarm.abort(),
    async sleep(ms) {
      if (!alarm.signal.aborted) await sleepUntil(ms, AbortSignal.any([alarm.signal, closed]));
    },
    sleepThrough: (ms) => sleepUntil(ms, closed),
  };
}
