import { expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';

const DAY_MS = 24 * 60 * 60_000;

test('sweeps, and drifts that are over, are forgotten 30 days after they were seen; drifts that are there stay', async () => {
  const clock = createLeapingClock();
  const bridge = await forTest(startTestBridge({ clock }));
  const setActive = (name: string, isActive: boolean) =>
    bridge.sandbox.service.updateUser(`${name}@example.com`, { active: isActive });

  for (const name of ['ada', 'bob', 'cyd']) await bridge.addUser(name);
  // Not among the late effects of calls of our own.
  clock.leap(DAY_MS / 24);
  for (const name of ['ada', 'bob', 'cyd']) setActive(name, false);
  await bridge.sweep();
  setActive('bob', true);
  await bridge.sweep();
  clock.leap(20 * DAY_MS);
  await bridge.sweep();
  setActive('cyd', true);
  await bridge.sweep();
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
  const { body } = await bridge.ops('GET', '/sweeps');
  return {
    sweeps: Array.isArray(body.items) ? body.items.length : Number.NaN,
    open: await bridge.listDrifts(),
    gone: await bridge.listDrifts('gone'),
  };
}
