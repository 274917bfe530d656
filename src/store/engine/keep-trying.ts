import { setTimeout as sleep } from 'node:timers/promises';
import type { StoreDeadline } from '../store.ts';
import { StoreError } from './store-error.ts';

/** Interval between two attempts, in milliseconds. */
const TRY_AGAIN_MS = 500;

/**
 * Opens a store that cannot be opened yet: tries again until it works, the deadline is over or its signal ends the wait.
 * @param isPassing true of an error that ends by itself. @throws StoreError of the last attempt
 */
export async function keepTrying<T>(
  open: () => T | Promise<T>,
  deadline: StoreDeadline | undefined,
  isPassing: (error: StoreError) => boolean,
): Promise<T> {
  const until = performance.now() + (deadline?.ms ?? 0);
  for (;;) {
    try {
      return await open();
    } catch (error) {
      const isInTime = performance.now() < until && deadline?.signal.aborted === false;
      if (!isInTime || !(error instanceof StoreError && isPassing(error))) throw error;
      deadline.onWait(error);
      await sleep(TRY_AGAIN_MS, undefined, { signal: deadline.signal }).catch(() => {});
    }
  }
}
