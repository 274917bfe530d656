import { expect, test } from 'vitest';
import { forTest } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { replace, toMembers, toPatch } from '../support/provider.ts';
import { startTimedBridge, type TimedBridge, untilQuiet } from '../support/timed-bridge.ts';

const settings = { OPS_TOKEN, LIMITS_PROVIDER: '2', SCIM_WRITE_WAIT: '0' };
const disable = toPatch(replace('active', false));
const FAILED = { kind: 'status', status: 500 } as const;
/** The service deactivates, and nobody hears of it. */
const LOST = { kind: 'reset', at: 'after-effect' } as const;
const REFUSED = { kind: 'status', status: 400 } as const;
/** Failed calls are tried again sooner than this. */
const AHEAD_MS = 60_000;

async function readPlans({ bridge }: TimedBridge): Promise<string> {
  return JSON.stringify((await bridge.ops('GET', '/plans')).body);
}

async function readHealth({ bridge }: TimedBridge): Promise<string> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return JSON.stringify(body);
}

test('one person whom the service fails to deactivate counts once, one whose call may have worked counts too, and neither holds anybody else', async () => {
  const timed = await forTest(startTimedBridge({ settings: { ...settings, LIMITS_REPAIR: '1' } }));
  const { bridge } = timed;
  const people = await bridge.addUsers(3);
  await bridge.untilSettled();
  const { faults, service } = bridge.sandbox;
  const listActive = () =>
    people.map((_, index) => service.getUser(`person${index + 1}@example.com`).active);
  faults.add({ operation: 'scim.updateUser', times: 5, fault: FAILED });

  await bridge.send('PATCH', `/Users/${people[0]}`, disable);
  await untilQuiet(timed);
  const afterOne = await readHealth(timed);
  const lost = faults.add({ operation: 'scim.updateUser', fault: LOST });
  await bridge.send('PATCH', `/Users/${people[1]}`, disable);
  await lost.until(1);
  await untilQuiet(timed);
  lost.remove();
  const afterTwo = listActive();
  timed.clock.leap(AHEAD_MS);
  const health = await readHealth(timed);
  await bridge.send('PATCH', `/Users/${people[2]}`, disable);
  await untilQuiet(timed, AHEAD_MS);

  expect(afterOne).not.toContain('provider-harm');
  expect(afterTwo).toEqual([false, false, true]);
  expect(health).toContain('2 people deactivated');
  expect(listActive()).toEqual([false, false, true]);
  expect(await readPlans(timed)).toContain(
    '3 people deactivated in 24 hours, limits.provider allows 2',
  );
});

test('what became of each call is told with it', async () => {
  const timed = await forTest(startTimedBridge({ settings: { OPS_TOKEN, SCIM_WRITE_WAIT: '0' } }));
  const { bridge } = timed;
  const { faults } = bridge.sandbox;
  const id = await bridge.addUser('ada');
  await untilQuiet(timed);
  faults.add({ operation: 'scim.updateUser', times: 1, fault: FAILED });
  await bridge.send('PATCH', `/Users/${id}`, disable);
  await untilQuiet(timed);
  const group = await bridge.addGroup('Pilots');
  await untilQuiet(timed);
  for (const operation of ['scim.updateGroup', 'groupUsers.addUserToGroup'] as const)
    faults.add({ operation, fault: REFUSED });
  const joining = toPatch({ op: 'add', path: 'members', value: toMembers([id]) });
  await bridge.send('PATCH', `/Groups/${group}`, joining);
  await untilQuiet(timed, AHEAD_MS);
  faults.add({ operation: 'scim.addUser', times: 1, fault: REFUSED });
  const bob = await bridge.addUser('bob');
  await untilQuiet(timed, AHEAD_MS);

  const listCalls = async (of: string) => {
    const { items } = (await bridge.ops('GET', `/timeline/${of}`)).body;
    const all = Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : [];
    return all.filter((item) => item.includes('"source":"bridge"')).join('\n');
  };
  const ofAda = await listCalls(id);
  expect(ofAda).toContain('"user.create, by scim.addUser: done"');
  expect(ofAda).toContain(
    '"user.deactivate, by scim.updateUser: failed (unavailable 500), it may have been done"',
  );
  expect(ofAda).toContain('"user.deactivate, by scim.updateUser: done"');
  expect(ofAda).toMatch(/"member\.add, by [a-zA-Z.]+: refused \(refused 400\)"/);
  expect(await listCalls(bob)).toContain('"user.create, by scim.addUser: refused (refused 400)"');
  expect(ofAda).toContain('"outcome":"refused","error":"refused 400"');
});
