import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  startTestBridge,
  type TestBridge,
  type TestBridgeOptions,
  withTestBridge,
} from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  readMemberIds,
  readWork,
  send,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { askOps, OPS_TOKEN } from '../support/sweep.ts';

const ada = 'ada@example.com';

describe('created again while a call for the deleted one is on its way', () => {
  let bridge: TestBridge;
  beforeAll(async () => {
    // What a call that was on its way may still do is over once it would have timed out.
    bridge = await startTestBridge({
      settings: { SCIM_WRITE_WAIT: '200ms', UPSTREAM_TIMEOUT: '1s' },
    });
  });
  afterAll(() => bridge.stop());

  test('whoever is created inactive gets the account of a lost create, which is deactivated', async () => {
    const settings = { SCIM_WRITE_WAIT: '0', OPS_TOKEN };
    await withTestBridge({ settings }, async (own) => {
      const { service, faults, calls } = own.sandbox;
      const create = { operation: 'scim.addUser' } as const;
      faults.add({ ...create, fault: { kind: 'reset', at: 'after-effect' }, times: 1 });
      // No look finds the account yet.
      faults.add({ operation: '*', fault: { kind: 'status', status: 503 } });
      const first = await addUser(own, 'ada');
      await calls.until(3, { operation: 'scim.getUsers', status: 503 });
      await send(own, 'DELETE', `/Users/${first}`);

      const second = await addUser(own, 'ada', { active: false });
      faults.clear();
      await untilSettled(own);

      const { id, active } = service.getUser(ada);
      expect(active).toBe(false);
      expect(await readUser(own, second)).toMatchObject({ upstreamId: id });
      expect(calls.count(create)).toBe(1);
    });
  });

  test('a deactivation that arrives late does not leave the new person inactive', async () => {
    const { service, faults } = bridge.sandbox;
    const first = await addUser(bridge, 'iris');
    await untilSettled(bridge);
    const people = service.users().length;
    const fault = { kind: 'hang' } as const;
    const late = faults.add({ operation: 'scim.updateUser', fault, times: 1 });
    await send(bridge, 'DELETE', `/Users/${first}`);
    await late.until(1);

    await addUser(bridge, 'iris');
    faults.release();
    await untilSettled(bridge);

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
    await withTestBridge({ settings, prepare }, async (bridge) => {
      const { service, faults } = bridge.sandbox;
      const [adaId, bobId] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const first = await addGroup(bridge, 'Pilots', [adaId, bobId]);
      for (const displayName of ['Crew', 'Pilots']) {
        const rename = toPatch({ op: 'replace', path: 'displayName', value: displayName });
        await send(bridge, 'PATCH', `/Groups/${first}`, rename);
      }
      await untilSettled(bridge);
      const down = faults.add({ operation: '*', fault: { kind: 'status', status: 503 } });
      await send(bridge, 'DELETE', `/Groups/${first}`);

      const second = await addGroup(bridge, 'Pilots', [adaId]);
      down.remove();
      await untilSettled(bridge);

      expect(service.members('Pilots')).toEqual([ada]);
      expect(await readMemberIds(bridge, second)).toEqual([adaId]);
      expect((await readWork(bridge))?.stuck).toBe(0);
    });
  });
});

async function readUser(bridge: TestBridge, id: string) {
  return (await askOps(bridge, 'GET', `/users/${id}`)).body;
}
