import { expect, test } from 'vitest';
import type { TestBridge } from '../support/bridge.ts';
import { startCalmBridge } from '../support/calm-clock.ts';
import { forTest } from '../support/lifetimes.ts';

async function listReasons(bridge: TestBridge): Promise<unknown[]> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return Array.isArray(body.reasons) ? body.reasons.map((reason) => Object(reason).code) : [];
}

test('writes that are sent elsewhere are told, met by one call now and then, hold up no other calls, and are not lost', async () => {
  const { bridge, clock } = await forTest(startCalmBridge({ settings: { SCIM_WRITE_WAIT: '0' } }));
  const { faults, calls, service } = bridge.sandbox;
  const headers = { Location: 'https://login.example/' };
  const fault = { kind: 'status', status: 307, headers } as const;
  faults.add({ operation: 'scim.addUser', fault });
  calls.reset();

  await bridge.addUser('ada');
  await clock.pass(bridge.sandbox, () => calls.count({ operation: 'scim.addUser' }) > 0);
  await clock.untilCalm(bridge.sandbox);
  const during = await listReasons(bridge);
  await bridge.addUsers(3);
  await bridge.addGroup('Pilots');
  await clock.pass(bridge.sandbox, () => service.groups().length > 0);
  const met = calls.count({ operation: 'scim.addUser' });
  faults.clear();
  await clock.pass(bridge.sandbox, () => service.users().length === 5);

  expect(during).toContain('redirected');
  expect(met).toBe(1);
  expect(await listReasons(bridge)).not.toContain('redirected');
});
