import { expect, test } from 'vitest';
import { describePostgres, describeSqlite } from '../../../test/support/stores.ts';
import { systemClock } from '../../telemetry/system-clock.ts';
import { openStoreClock } from './database.ts';
import { execute } from './dialect.ts';

const MINUTES_MS = 60_000;
const HOURS_MS = 60 * MINUTES_MS;

describePostgres('the clock of a store that hosts share', ({ makeStore }) => {
  test('does not mind a host whose clock is wrong, or set while it runs, forward or back, nor a slow answer', async () => {
    const store = await makeStore();
    let setMs = -5 * MINUTES_MS;
    const host = { ...systemClock, now: () => Date.now() + setMs };
    const clock = await openStoreClock(store, host);
    // The server of the tests runs on this machine, so its clock is ours.
    const times: number[] = [Date.now() - 2_000, clock.now()];

    for (setMs of [3 * HOURS_MS, -3 * HOURS_MS, 0]) {
      times.push(clock.now());
      // A caller during a comparison of the clocks waits for its end.
      await execute(store.read)`select pg_sleep(0.02)`;
      times.push(clock.now());
    }

    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(Math.abs(clock.now() - Date.now())).toBeLessThan(2_000);
  });
});

describeSqlite('the clock of a store', ({ makeStore }) => {
  test('that one process has is that of the host', async () => {
    const store = await makeStore();
    const host = { ...systemClock, now: () => Date.now() + 5 * MINUTES_MS };
    const clock = await openStoreClock(store, host);

    expect(clock.now() - Date.now()).toBeGreaterThan(4 * MINUTES_MS);
  });
});
