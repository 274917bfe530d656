import { expect, test } from 'vitest';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import { addGroup, addUser, addUsers, untilSettled } from '../support/provider.ts';

async function listReasons(bridge: TestBridge): Promise<unknown[]> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return Array.isArray(body.reasons) ? body.reasons.map((reason) => Object(reason).code) : [];
}

const headers = { Location: 'https://login.example/' };

for (const status of [302, 303, 307, 308]) {
  test(`an address that sends calls elsewhere (${status}) is told, met by one call now and then, and nothing is lost`, () =>
    withTestBridge({ settings: { SCIM_WRITE_WAIT: '20ms' } }, async (bridge) => {
      const { faults, calls } = bridge.sandbox;
      faults.add({ operation: '*', fault: { kind: 'status', status, headers } });
      calls.reset();

      await addUser(bridge, 'ada');
      await expect.poll(() => listReasons(bridge)).toContain('redirected');
      await addUsers(bridge, 12);
      const met = calls.count({ operation: 'scim.addUser' });
      faults.clear();
      await untilSettled(bridge);

      // One more where the twelve take longer than the first pause.
      expect(met).toBeLessThanOrEqual(2);
      expect(bridge.sandbox.service.users()).toHaveLength(14);
      await expect.poll(() => listReasons(bridge)).not.toContain('redirected');
    }));
}

test('writes that are sent elsewhere hold up no other calls', () =>
  withTestBridge({ settings: { SCIM_WRITE_WAIT: '20ms' } }, async (bridge) => {
    const { faults, calls } = bridge.sandbox;
    const fault = { kind: 'status', status: 307, headers } as const;
    faults.add({ operation: 'scim.addUser', fault });

    await addUser(bridge, 'ada');
    await expect.poll(() => listReasons(bridge)).toContain('redirected');
    await addUser(bridge, 'ben');
    await addGroup(bridge, 'Pilots');
    await expect.poll(() => bridge.sandbox.service.groups()).toHaveLength(1);

    expect(calls.count({ operation: 'scim.addUser' })).toBeLessThanOrEqual(2);
    faults.clear();
    await untilSettled(bridge);
    expect(bridge.sandbox.service.users()).toHaveLength(3);
  }));
