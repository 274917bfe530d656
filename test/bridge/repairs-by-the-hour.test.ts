import { expect, test } from 'vitest';
import { forTest } from '../support/lifetimes.ts';
import { addPilots, countMembers, intrude, untilApplied } from '../support/pilots.ts';
import { startTimedBridge } from '../support/timed-bridge.ts';

const settings = { DRIFT_POLICY: 'repair', LIMITS_REPAIR: '5' };
/** Enough of the day that is looked back on to see that nothing is let through. */
const hours = 3;

test('four an hour are held once they are more than five in a day, and go on being held', async () => {
  const { bridge, clock } = await forTest(startTimedBridge({ settings }));
  await addPilots(bridge, 4 * hours);
  const planned: (string | undefined)[] = [];
  for (let hour = 0; hour < hours; hour += 1) {
    intrude(bridge, hour * 4, (hour + 1) * 4);
    const { status, planId } = await bridge.sweep();
    if (status === 'complete' && planId !== null) await untilApplied(bridge, planId);
    planned.push(String(status));
    clock.leap(3_600_000);
  }

  expect(planned).toEqual(['complete', ...Array.from({ length: hours - 1 }, () => 'held')]);
  expect(countMembers(bridge)).toBe(4 * (hours - 1));
  const { body } = await bridge.ops('GET', '/plans?status=held');
  expect(body.items).toMatchObject([{ counts: { total: 4 * (hours - 1) } }]);
});
