import { expect, test } from 'vitest';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';

const addresses = [1, 2, 3, 4, 5].map((number) => `person${number}@example.com`);

async function sweepAndRead(bridge: TestBridge): Promise<[unknown, string]> {
  const { planId } = await bridge.sweep();
  await bridge.untilSettled();
  const { body } = await bridge.ops('GET', `/plans/${planId}`);
  return [body.status, String(body.reason)];
}

test('people whom somebody locked out are not let in beyond the limits, and members whom somebody took out are not put back', async () => {
  const limits = { LIMITS_REPAIR: '3' };
  const settings = { DRIFT_POLICY: '{"default":"repair"}', ...limits };
  const bridge = await forTest(startTestBridge({ settings }));
  const { service } = bridge.sandbox;
  await bridge.addGroup('Pilots', await bridge.addUsers(addresses.length));
  await bridge.untilSettled();
  for (const address of addresses.slice(1)) service.unlink('Pilots', address);
  const ofMembers = await sweepAndRead(bridge);
  for (const address of addresses) service.updateUser(address, { active: false });
  const ofPeople = await sweepAndRead(bridge);

  expect(ofMembers).toEqual(['held', expect.stringContaining('addMember: 4')]);
  expect(ofPeople).toEqual(['held', expect.stringContaining('activate: 5')]);
  expect(service.members('Pilots')).toEqual(addresses.slice(0, 1));
  expect(service.users().filter(({ active }) => active)).toHaveLength(1);
});
