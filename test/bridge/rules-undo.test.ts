import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  findId,
  listResources,
  readMemberIds,
  readWork,
  send,
  toGroup,
  toUser,
  untilSettled,
} from '../support/provider.ts';

const ada = 'ada@example.com';

/** The service refuses these operations from here on. */
function refuse(
  { sandbox }: TestBridge,
  ...operations: ('scim.updateUser' | 'groups.updateGroup' | 'groupUsers.addUserToGroup')[]
) {
  const fault = { kind: 'status', status: 400, body: 'message' } as const;
  for (const operation of operations) sandbox.faults.add({ operation, fault });
}

async function listNames(bridge: TestBridge, type: 'Users' | 'Groups'): Promise<unknown[]> {
  const resources = listResources(await send(bridge, 'GET', `/${type}`));
  return resources.map(({ userName, displayName }) => userName ?? displayName);
}

describe('a POST that the service refuses in time leaves', () => {
  async function withStore(
    run: (bridge: TestBridge) => Promise<void>,
    prepare: (sandbox: Sandbox) => void = () => {},
  ): Promise<void> {
    await withTestBridge({ prepare }, run);
  }

  test('nobody who was deleted before, and the next POST succeeds', () =>
    withStore(async (bridge) => {
      await send(bridge, 'DELETE', `/Users/${await addUser(bridge, 'ada')}`);
      await untilSettled(bridge);
      refuse(bridge, 'scim.updateUser');

      const refused = await bridge.request('POST', '/Users', toUser('ada'));

      expect(refused.status).toBe(400);
      expect(await listNames(bridge, 'Users')).toEqual(['owner']);
      expect(bridge.sandbox.service.getUser(ada).active).toBe(false);
      expect(await readWork(bridge)).toMatchObject({ due: 0, stuck: 0 });
      bridge.sandbox.faults.clear();
      await addUser(bridge, 'ada');
      expect(bridge.sandbox.service.getUser(ada).active).toBe(true);
    }));

  test('an account that existed as unmanaged as it was, and the next POST adopts it', () =>
    withStore(
      async (bridge) => {
        const path = `/Users/${await findId(bridge, { type: 'Users', name: ada })}`;
        const before = await send(bridge, 'GET', path);
        refuse(bridge, 'scim.updateUser');

        const refused = await bridge.request('POST', '/Users', toUser('ada'));

        expect(refused.status).toBe(400);
        const { meta: _, ...rest } = (await send(bridge, 'GET', path)).body;
        expect(before.body).toMatchObject(rest);
        bridge.sandbox.faults.clear();
        expect((await bridge.request('POST', '/Users', toUser('ada'))).status).toBe(201);
      },
      ({ service }) => service.addUser({ email: ada, userName: ada, fullName: 'Somebody Else' }),
    ));

  test('no group, also where it is a member that is refused after the group was created', () =>
    withStore(async (bridge) => {
      const adaId = await addUser(bridge, 'ada');
      refuse(bridge, 'groupUsers.addUserToGroup');

      const refused = await bridge.request('POST', '/Groups', toGroup('Pilots', [adaId]));
      await untilSettled(bridge);

      expect(refused.status).toBe(400);
      expect(refused.body.detail).toContain(adaId);
      expect(await listNames(bridge, 'Groups')).toEqual([]);
      expect(bridge.sandbox.service.groups()).toEqual([]);
      expect(await readWork(bridge)).toMatchObject({ due: 0, stuck: 0 });
    }));

  test('a group that existed as unmanaged as it was, and the next POST adopts it', () =>
    withStore(
      async (bridge) => {
        const path = `/Groups/${await findId(bridge, { type: 'Groups', name: 'Pilots' })}`;
        const before = await send(bridge, 'GET', path);
        refuse(bridge, 'groups.updateGroup');

        const refused = await bridge.request('POST', '/Groups', toGroup('PILOTS'));

        expect(refused.status).toBe(400);
        const { meta: _, ...rest } = (await send(bridge, 'GET', path)).body;
        expect(before.body).toMatchObject(rest);
        bridge.sandbox.faults.clear();
        expect((await bridge.request('POST', '/Groups', toGroup('PILOTS'))).status).toBe(201);
      },
      ({ service }) => void service.createGroup({ name: 'Pilots' }),
    ));

  test('a group that was let go before as it was, and the next POST takes it up', () =>
    withStore(
      async (bridge) => {
        const adaId = await addUser(bridge, 'ada');
        await send(bridge, 'DELETE', `/Groups/${await addGroup(bridge, 'Pilots')}`);
        await untilSettled(bridge);
        refuse(bridge, 'groups.updateGroup');

        const refused = await bridge.request('POST', '/Groups', toGroup('PILOTS', [adaId]));
        await untilSettled(bridge);

        expect(refused.status).toBe(400);
        expect(await listNames(bridge, 'Groups')).toEqual([]);
        expect(bridge.sandbox.service.members('Pilots')).toEqual([]);
        bridge.sandbox.faults.clear();
        const again = await addGroup(bridge, 'PILOTS', [adaId]);
        expect(await readMemberIds(bridge, again)).toEqual([adaId]);
        expect(bridge.sandbox.service.groups().map(({ name }) => name)).toEqual(['PILOTS']);
      },
      ({ service }) => void service.createGroup({ name: 'Pilots' }),
    ));
});
