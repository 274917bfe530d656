import { describe, expect, test } from 'vitest';
import { startTestBridge, type TestBridge, type TestBridgeOptions } from '../support/bridge.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { replace, toPatch } from '../support/provider.ts';

const ada = 'ada@example.com';

describe('created again while a call for the deleted one is on its way', () => {
  const bridge = forSuite(async () => {
    // What a call that was on its way may still do is over once it would have timed out.
    return startTestBridge({
      settings: { SCIM_WRITE_WAIT: '200ms', UPSTREAM_TIMEOUT: '1s' },
    });
  });

  test('whoever is created inactive gets the account of a lost create, which is deactivated', async () => {
    const settings = { SCIM_WRITE_WAIT: '0', OPS_TOKEN };
    const own = await forTest(startTestBridge({ settings }));
    const { service, faults, calls } = own.sandbox;
    const create = { operation: 'scim.addUser' } as const;
    faults.add({ ...create, fault: { kind: 'reset', at: 'after-effect' }, times: 1 });
    // No look finds the account yet.
    faults.add({ operation: '*', fault: { kind: 'status', status: 503 } });
    const first = await own.addUser('ada');
    await calls.until(3, { operation: 'scim.getUsers', status: 503 });
    await own.send('DELETE', `/Users/${first}`);

    const second = await own.addUser('ada', { active: false });
    faults.clear();
    await own.untilSettled();

    const { id, active } = service.getUser(ada);
    expect(active).toBe(false);
    expect(await readUser(own, second)).toMatchObject({ upstreamId: id });
    expect(calls.count(create)).toBe(1);
  });

  test('a deactivation that arrives late does not leave the new person inactive', async () => {
    const { service, faults } = bridge.sandbox;
    const first = await bridge.addUser('iris');
    await bridge.untilSettled();
    const people = service.users().length;
    const fault = { kind: 'hang' } as const;
    const late = faults.add({ operation: 'scim.updateUser', fault, times: 1 });
    await bridge.send('DELETE', `/Users/${first}`);
    await late.until(1);

    await bridge.addUser('iris');
    faults.release();
    await bridge.untilSettled();

    expect(service.getUser('iris@example.com').active).toBe(true);
    expect(service.users()).toHaveLength(people);
  });
});

describe('a group taken up again before the departures from before were sent', () => {
  test('departures stand, and who is wanted again stays', async () => {
    const settings = { SCIM_WRITE_WAIT: '50ms' };
    const prepare: TestBridgeOptions['prepare'] = ({ service }) => {
      service.createGroup({ name: 'Pilots' });
    };
    const bridge = await forTest(startTestBridge({ settings, prepare }));
    const { service, faults } = bridge.sandbox;
    const [adaId, bobId] = [await bridge.addUser('ada'), await bridge.addUser('bob')];
    const first = await bridge.addGroup('Pilots', [adaId, bobId]);
    for (const displayName of ['Crew', 'Pilots']) {
      const rename = toPatch(replace('displayName', displayName));
      await bridge.send('PATCH', `/Groups/${first}`, rename);
    }
    await bridge.untilSettled();
    const down = faults.add({ operation: '*', fault: { kind: 'status', status: 503 } });
    await bridge.send('DELETE', `/Groups/${first}`);

    const second = await bridge.addGroup('Pilots', [adaId]);
    down.remove();
    await bridge.untilSettled();

    expect(service.members('Pilots')).toEqual([ada]);
    expect(await bridge.readMemberIds(second)).toEqual([adaId]);
    expect((await bridge.readWork())?.stuck).toBe(0);
  });
});

async function readUser(bridge: TestBridge, id: string) {
  return (await bridge.ops('GET', `/users/${id}`)).body;
}
