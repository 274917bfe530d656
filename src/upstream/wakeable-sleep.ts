import type { Clock } from './clock.ts';

/** A sleep that `wake` can end early. */
export interface WakeableSleep {
  /** Makes a later `wake` end the next sleep, also before it has begun. */
  arm(): void;
  wake(): void;
  /** Sleeps until the time is over, or until `wake`. Always resolves. */
  sleep(ms: number): Promise<void>;
  /** Sleeps until the time is over, whatever wakes. */
  sleepThrough(ms: number): Promise<void>;
}

/** Creates the sleep. `closed` ends every sleep at once. */
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
