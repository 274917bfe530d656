import { systemClock } from '../../src/telemetry/system-clock.ts';

/** The machine's clock, which tells a later time where a test says so; waits take as long as they take. */
export function createSetClock() {
  const state = { aheadMs: 0 };
  return { sleep: systemClock.sleep, state, now: () => systemClock.now() + state.aheadMs };
}
