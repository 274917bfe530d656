import type { Clock } from '../../src/domain/clock.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';

/** The machine's clock, which tells a later time where a test says so; waits take as long as they take. */
export interface SetClock extends Clock {
  readonly state: { aheadMs: number };
}

/** A clock that is right until it is set. */
export function createSetClock(): SetClock {
  const state = { aheadMs: 0 };
  return { sleep: systemClock.sleep, state, now: () => systemClock.now() + state.aheadMs };
}
