import { expect, inject, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { addUser } from '../support/provider.ts';
import { askOps, listManagedDrifts, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';
import { takeStore } from '../support/take-store.ts';

const DAY_MS = 24 * 60 * 60_000;

test('sweeps, and drifts that are over, are forgotten 30 days after they were seen; drifts that are there stay', async () => {
  const sandbox = await startSandbox();
  onTestFinished(() => sandbox.stop());
  const store = await takeStore(inject('engine'));
  onTestFinished(store.giveBack);
  const clock = createLeapingClock();
  const settings = { ...SWEEP_SETTINGS, DATABASE_URL: store.url };
  const start = () => startTestBridge({ service: sandbox, settings, clock });
  const setActive = (name: string, isActive: boolean) =>
    sandbox.service.setActive(`${name}@example.com`, isActive);

  const first = await start();
  for (const name of ['ada', 'bob', 'cyd']) await addUser(first, name);
  // Not among the late effects of calls of our own.
  clock.leap(DAY_MS / 24);
  for (const name of ['ada', 'bob', 'cyd']) setActive(name, false);
  await sweep(first);
  setActive('bob', true);
  await sweep(first);
  clock.leap(20 * DAY_MS);
  await sweep(first);
  setActive('cyd', true);
  await sweep(first);
  const before = await listKept(first);
  await first.stop();
  const second = await start();
  onTestFinished(() => second.stop());
  clock.leap(11 * DAY_MS);

  expect(before).toEqual({
    sweeps: 4,
    open: ['user.deactivated ada@example.com'],
    gone: ['user.deactivated bob@example.com', 'user.deactivated cyd@example.com'],
  });
  await expect
    .poll(() => listKept(second))
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
