import { expect, onTestFinished, test } from 'vitest';
import { CHANGE_CLASSES } from '../../src/domain/change-class.ts';
import type { Clock } from '../../src/domain/clock.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { readMetrics } from '../support/metrics.ts';
import { toPatch, replace } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const OPS_TOKEN = 'ops-token-0123456789';
const settings = { OPS_TOKEN, SCIM_WRITE_WAIT: '10s' };
/** Nobody waits for what the service does not take now. */
const impatient = { OPS_TOKEN, SCIM_WRITE_WAIT: '0' };
const HOUR_MS = 3_600_000;

const setTo = (path: string, value: string | boolean) => toPatch(replace(path, value));

/** How many changes of each kind have arrived, and how many wait. */
async function readCounts(bridge: TestBridge): Promise<Record<string, (number | undefined)[]>> {
  const metrics = await readMetrics(bridge, OPS_TOKEN);
  const read = (name: string) =>
    CHANGE_CLASSES.map((kind) => metrics.get(`${name}{kind="${kind}"}`));
  return { arrived: read('change_duration_seconds_count'), waiting: read('changes_waiting') };
}

test('each change of a provider is counted once by its kind when the service holds it', async () => {
  const bridge = await forTest(startTestBridge({ settings }));
  const [ada, bob] = [await bridge.addUser('ada'), await bridge.addUser('bob')];
  const pilots = await bridge.addGroup('Pilots');
  await bridge.send('PATCH', `/Users/${ada}`, setTo('name.familyName', 'Byron'));
  const member = toPatch({ op: 'add', path: 'members', value: [{ value: ada }] });
  await bridge.send('PATCH', `/Groups/${pilots}`, member);
  const removal = toPatch({ op: 'remove', path: `members[value eq "${ada}"]` });
  await bridge.send('PATCH', `/Groups/${pilots}`, removal);
  await bridge.send('PATCH', `/Users/${ada}`, setTo('active', false));
  await bridge.send('DELETE', `/Users/${bob}`);
  await bridge.untilSettled();

  const counts = await readCounts(bridge);

  expect(counts).toEqual({ arrived: [2, 2, 1, 1, 1, 1], waiting: [0, 0, 0, 0, 0, 0] });
});

test('the time runs from the acceptance, also when the process that accepted has ended since', async () => {
  const service = await forTest(startSandbox());
  const url = { DATABASE_URL: await makeStoreUrl() };
  const first = await startTestBridge({ service, settings: { ...impatient, ...url } });
  const ada = await first.addUser('ada');
  await first.untilSettled();
  const fault = service.faults.add({ operation: '*', fault: { kind: 'status', status: 401 } });
  await first.send('PATCH', `/Users/${ada}`, setTo('active', false));
  await first.stop();
  fault.remove();

  const clock: Clock = { ...systemClock, now: () => systemClock.now() + HOUR_MS };
  const second = await startTestBridge({ service, clock, settings: { ...impatient, ...url } });
  onTestFinished(second.stop);
  await second.untilSettled();

  const metrics = await readMetrics(second, OPS_TOKEN);
  expect(metrics.get('change_duration_seconds_count{kind="leaver"}')).toBe(1);
  expect(metrics.get('change_duration_seconds_sum{kind="leaver"}')).toBeGreaterThan(3_600);
  expect(metrics.get('change_duration_seconds_bucket{le="3600",kind="leaver"}')).toBe(0);
});

test('what is asked of a group while another change of it is under way is waited for as well', async () => {
  const bridge = await forTest(startTestBridge({ settings: impatient }));
  const [ada, bob] = [await bridge.addUser('ada'), await bridge.addUser('bob')];
  const pilots = await bridge.addGroup('Pilots', [ada, bob]);
  await bridge.untilSettled();
  const { id } = bridge.sandbox.service.getUser('bob@example.com');
  const faults = (['scim.updateGroup', 'groupUsers.removeUserFromGroup'] as const).map(
    (operation) =>
      bridge.sandbox.faults.add({
        ...{ operation, fault: { kind: 'status', status: 503 } },
        about: operation === 'scim.updateGroup' ? `"value":${id}}` : `/users/${id} `,
      }),
  );
  for (const who of [ada, bob]) {
    const removal = toPatch({ op: 'remove', path: `members[value eq "${who}"]` });
    await bridge.send('PATCH', `/Groups/${pilots}`, removal);
  }
  const readArrived = async () => (await readCounts(bridge)).arrived?.[3];
  await expect.poll(readArrived).toBe(1);
  const meanwhile = await readCounts(bridge);
  for (const fault of faults) fault.remove();
  await bridge.untilSettled();

  expect(meanwhile.waiting?.[3]).toBe(1);
  expect((await readCounts(bridge)).waiting).toEqual([0, 0, 0, 0, 0, 0]);
});
