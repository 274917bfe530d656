import { describe, expect, test } from 'vitest';
import type { Fault } from '../../src/sandbox/faults.ts';
import { type TestBridge, type TestBridgeOptions, withTestBridge } from '../support/bridge.ts';
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
  async function withStore(run: (bridge: TestBridge) => Promise<void>): Promise<void> {
    const settings = { SCIM_WRITE_WAIT: '200ms' };
    await withTestBridge({ settings }, run);
  }

  const hanging: { what: string; fault: Fault }[] = [
    { what: 'is carried out late', fault: { kind: 'hang' } },
    { what: 'was carried out and is answered late', fault: { kind: 'hang', effect: 'done' } },
  ];
  for (const { what, fault } of hanging) {
    test(`a create that ${what}: one account, which the new person has, and nothing is stuck`, () =>
      withStore(async (bridge) => {
        const { service, faults } = bridge.sandbox;
        const late = faults.add({ operation: 'scim.addUser', fault, times: 1 });
        const first = await addUser(bridge, 'ada');
        await late.until(1);
        await addGroup(bridge, 'Pilots', [first]);
        await send(bridge, 'DELETE', `/Users/${first}`);

        const second = await addUser(bridge, 'ada');
        faults.release();
        await untilSettled(bridge);

        expect(service.users().map(({ email, active }) => [email, active])).toEqual([
          ['owner@example.com', true],
          [ada, true],
        ]);
        expect(service.members('Pilots')).toEqual([]);
        expect((await readWork(bridge))?.stuck).toBe(0);
        expect((await send(bridge, 'GET', `/Users/${second}`)).body).toMatchObject({
          groups: [],
        });
      }));
  }

  test('whoever is created inactive gets the account of a lost create, which is deactivated', async () => {
    const settings = { SCIM_WRITE_WAIT: '0', OPS_TOKEN };
    await withTestBridge({ settings }, async (bridge) => {
      const { service, faults, calls } = bridge.sandbox;
      const create = { operation: 'scim.addUser' } as const;
      faults.add({ ...create, fault: { kind: 'reset', at: 'after-effect' }, times: 1 });
      // No look finds the account yet.
      faults.add({ operation: '*', fault: { kind: 'status', status: 503 } });
      const first = await addUser(bridge, 'ada');
      await calls.until(3, { operation: 'scim.getUsers', status: 503 });
      await send(bridge, 'DELETE', `/Users/${first}`);

      const second = await addUser(bridge, 'ada', { active: false });
      faults.clear();
      await untilSettled(bridge);

      const { id, active } = service.getUser(ada);
      expect(active).toBe(false);
      expect(await readUser(bridge, second)).toMatchObject({ upstreamId: id });
      expect(calls.count(create)).toBe(1);
    });
  });

  test('a deactivation that arrives late does not leave the new person inactive', () =>
    withStore(async (bridge) => {
      const { service, faults } = bridge.sandbox;
      const first = await addUser(bridge, 'ada');
      await untilSettled(bridge);
      const fault = { kind: 'hang' } as const;
      const late = faults.add({ operation: 'scim.updateUser', fault, times: 1 });
      await send(bridge, 'DELETE', `/Users/${first}`);
      await late.until(1);

      await addUser(bridge, 'ada');
      faults.release();
      await untilSettled(bridge);

      expect(service.getUser(ada).active).toBe(true);
      expect(service.users()).toHaveLength(2);
    }));
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
