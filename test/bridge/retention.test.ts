import { expect, onTestFinished, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { addUser } from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const DAY_MS = 24 * 60 * 60_000;

test('sweeps, and drifts that are over, are forgotten 30 days after they were seen; drifts that are there stay', async () => {
  const clock = createLeapingClock();
  const bridge = await startTestBridge({ settings: SWEEP_SETTINGS, clock });
  onTestFinished(() => bridge.stop());
  const setActive = (name: string, isActive: boolean) =>
    bridge.sandbox.service.setActive(`${name}@example.com`, isActive);

  for (const name of ['ada', 'bob', 'cyd']) await addUser(bridge, name);
  // Not among the late effects of calls of our own.
  clock.leap(DAY_MS / 24);
  for (const name of ['ada', 'bob', 'cyd']) setActive(name, false);
  await sweep(bridge);
  setActive('bob', true);
  await sweep(bridge);
  clock.leap(20 * DAY_MS);
  await sweep(bridge);
  setActive('cyd', true);
  await sweep(bridge);
  const before = await listKept(bridge);
  clock.leap(11 * DAY_MS);

  expect(before).toEqual({
    sweeps: 4,
    open: ['user.deactivated ada@example.com'],
    gone: ['user.deactivated bob@example.com', 'user.deactivated cyd@example.com'],
  });
  await expect
    .poll(() => listKept(bridge))
    .toEqual({
      sweeps: 2,
      open: ['user.deactivated ada@example.com'],
      gone: ['user.deactivated cyd@example.com'],
    });
});

async function listKept(bridge: TestBridge) {
  const { body } = await askOps(bridge, 'GET', '/sweeps');
  return {
    sweeps: Array.isArray(body.items) ? body.items.length : Number.NaN,
    open: await listManagedDrifts(bridge),
    gone: await listManagedDrifts(bridge, 'gone'),
  };
}
