import { expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { startTestBridge, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, toPatch, toUser } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const DAY_MS = 86_400_000;
const HALF_HOUR_MS = 1_800_000;
/** The second attempt comes after a second. */
const PATIENT = { timeout: 60_000 };
const FAILS = { kind: 'status', status: 500, body: 'message' } as const;
const leaves = toPatch(replace('active', false));

/** A host whose clock is ahead until it is set right; its steady one is never set. */
function createAheadClock(aheadMs: number) {
  const state = { aheadMs };
  return { ...systemClock, state, now: () => systemClock.now() + state.aheadMs };
}

/** A file and a service that outlive a bridge. */
async function makePlace(): Promise<Pick<TestBridgeOptions, 'settings' | 'service'>> {
  const service = await forTest(startSandbox());
  const settings = {
    ...{
      DATABASE_URL: await makeStoreUrl(),
      SCIM_WRITE_WAIT: '40ms',
      UPSTREAM_ATTEMPTS_BEFORE_STUCK: '2',
    },
  };
  return { service, settings };
}

/** Has somebody leave whom the service does not let go, until the next attempt is an hour away. */
async function keepIn(bridge: TestBridge): Promise<void> {
  const id = await bridge.addUser('ada');
  const fault = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: FAILS });
  await bridge.send('PATCH', `/Users/${id}`, leaves);
  await expect.poll(() => readRestMs(bridge), PATIENT).toBeGreaterThan(DAY_MS + HALF_HOUR_MS);
  fault.remove();
}

/** Time until the next attempt at ada, by a clock that is right, in milliseconds. */
async function readRestMs(bridge: TestBridge): Promise<number> {
  const id = await bridge.findId({ type: 'Users', name: 'ada@example.com' });
  const { dueAt } = (await bridge.ops('GET', `/users/${id}`)).body;
  return (dueAt === null ? 0 : Date.parse(String(dueAt))) - systemClock.now();
}

const isIn = ({ sandbox }: TestBridge) => sandbox.service.getUser('ada@example.com').active;

test('a clock that is set back while the bridge runs keeps nobody in', async () => {
  const place = await makePlace();
  const clock = createAheadClock(DAY_MS);
  const bridge = await forTest(startTestBridge({ ...place, clock }));
  await keepIn(bridge);

  clock.state.aheadMs = 0;
  await bridge.send('POST', '/Users', toUser('bob')); // Whatever is written has it look at what is due.

  await expect.poll(() => isIn(bridge), PATIENT).toBe(false);
});

test('a start with a clock that was set back since keeps nobody in, and compares everything as often as ever', async () => {
  const place = await makePlace();
  const first = await startTestBridge({ ...place, clock: createAheadClock(DAY_MS) });
  await keepIn(first);
  await first.stop();

  const settings = { ...place.settings, SWEEP_INTERVAL: '1h' };
  const bridge = await forTest(startTestBridge({ ...place, settings }));
  await expect.poll(() => isIn(bridge), PATIENT).toBe(false);
  const readSweeps = async () => (await bridge.ops('GET', '/sweeps')).body.items;
  await expect.poll(readSweeps, PATIENT).toHaveLength(1);
});
