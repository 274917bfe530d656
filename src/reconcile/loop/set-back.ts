import { type Clock, readSteady } from '../../domain/clock.ts';
import { prioritiseInspections } from '../../store/inspections.ts';
import { retryResting } from '../../store/resources/retries.ts';
import type { Store } from '../../store/store.ts';

/** Longer than anything waits for its next attempt, in milliseconds. */
const REST_MAX_MS = 2 * 60 * 60_000;
/** Change of the clock, in milliseconds, that keeps something waiting for long. A smaller one is not worth the calls of all. */
const SET_MS = 60_000;

/** Finds out that the clock was set back, by which times in the store lie further ahead than was meant. */
export interface SetBack {
  /** Makes due now what would wait for the clock to be again where it was. @throws StoreError */
  endLateRests(): Promise<void>;
}

/** Watches a clock. Of the time before its first question, such as that of an earlier process, only long rests tell. */
export function createSetBack(store: Pick<Store, 'read' | 'write'>, clock: Clock): SetBack {
  let known: number | undefined;
  return {
    async endLateRests() {
      const aheadMs = clock.now() - readSteady(clock);
      const wasSetBack = known !== undefined && aheadMs < known - SET_MS;
      if (known === undefined || wasSetBack) {
        const now = clock.now();
        const moments = { now, beyond: wasSetBack ? now : now + REST_MAX_MS };
        await retryResting(store, moments, () => undefined);
        await store.write((tx) => prioritiseInspections(tx, moments));
      }
      known = aheadMs;
    },
  };
}
