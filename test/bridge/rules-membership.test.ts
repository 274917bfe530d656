import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  findId,
  readMemberIds,
  send,
  toGroup,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { askOps } from '../support/sweep.ts';

const ada = 'ada@example.com';

function change(op: 'add' | 'remove', ids: readonly string[]) {
  return toPatch({ op, path: 'members', value: toMembers(ids) });
}

function setActive(value: boolean) {
  return toPatch({ op: 'replace', path: 'active', value });
}

function toGroupWithAdmin(displayName: string, id: string) {
  return { ...toGroup(displayName), [GROUP_EXTENSION]: { admins: toMembers([id]) } };
}

function listMutations({ sandbox }: TestBridge): string[] {
  return sandbox.calls
    .recent()
    .flatMap(({ method, operation }) => (method === 'GET' ? [] : [operation]));
}

describe('members', () => {
  async function withStore(run: (bridge: TestBridge) => Promise<void>): Promise<void> {
    const settings = { SCIM_WRITE_WAIT: '100ms' };
    await withTestBridge({ settings }, run);
  }

  test('a member without an account yet is deferred, not failed, and joins when there is one', () =>
    withStore(async (bridge) => {
      const { service } = bridge.sandbox;
      const id = await addUser(bridge, 'ada', { active: false });
      const groupId = await addGroup(bridge, 'Pilots');
      // The wait is short, so its creation may still go on.
      await untilSettled(bridge);

      const added = await bridge.request('PATCH', `/Groups/${groupId}`, change('add', [id]));
      const shown = await readMemberIds(bridge, groupId);
      const before = service.members('Pilots');
      await send(bridge, 'PATCH', `/Users/${id}`, setActive(true));
      await untilSettled(bridge);

      expect(added.status).toBe(204);
      expect(shown).toEqual([id]);
      expect(before).toEqual([]);
      expect(service.members('Pilots')).toEqual([ada]);
    }));

  test('a delete deactivates first and only then leaves groups and admin lists', () =>
    withStore(async (bridge) => {
      const { service, faults } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      await addGroup(bridge, 'Pilots', [id]);
      await send(bridge, 'POST', '/Groups', toGroupWithAdmin('Cooks', id));
      await untilSettled(bridge);
      faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' }, times: 1 });
      bridge.sandbox.calls.reset();

      await send(bridge, 'DELETE', `/Users/${id}`);
      // Whatever else is due is done meanwhile.
      for (const name of ['bob', 'eve', 'zoe']) await addUser(bridge, name);
      const whileActive = [...service.members('Pilots'), ...service.admins('Cooks')];
      faults.release();
      await untilSettled(bridge);

      expect(whileActive).toEqual([ada, ada]);
      expect(service.getUser(ada).active).toBe(false);
      expect([...service.members('Pilots'), ...service.admins('Cooks')]).toEqual([]);
      const calls = listMutations(bridge).filter((operation) => operation !== 'scim.addUser');
      expect(calls[0]).toBe('scim.updateUser');
      expect(calls.slice(1).sort()).toEqual([
        'groupAdmins.removeAdminFromGroup',
        'groupUsers.removeUserFromGroup',
      ]);
      expect((await bridge.request('GET', `/Users/${id}`)).status).toBe(404);
    }));
});

test('where the service refuses inactive members, the membership waits for the activation', () =>
  withTestBridge({ sandbox: { shape: { inactiveMembers: 'refused' } } }, async (bridge) => {
    const { service } = bridge.sandbox;
    const id = await addUser(bridge, 'ada');
    const groupId = await addGroup(bridge, 'Pilots');
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));

    const added = await bridge.request('PATCH', `/Groups/${groupId}`, change('add', [id]));
    const before = service.members('Pilots');
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(true));
    await untilSettled(bridge);

    expect(added.status).toBe(204);
    expect(before).toEqual([]);
    expect(service.members('Pilots')).toEqual([ada]);
  }));

test('where only the service holds somebody inactive, the membership is refused at once', () =>
  withTestBridge({ sandbox: { shape: { inactiveMembers: 'refused' } } }, async (bridge) => {
    const { service, calls } = bridge.sandbox;
    const id = await addUser(bridge, 'ada');
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
    service.updateUser(ada, { active: false });
    calls.reset();

    const added = await bridge.request('PATCH', path, change('add', [id]));

    expect(added.status).toBe(400);
    expect(calls.counts()).toEqual({
      'groupUsers.addUserToGroup': { 400: 1 },
      'scim.getUser': { 200: 1 },
    });
    expect((await send(bridge, 'GET', path)).body.members ?? []).toEqual([]);
  }));

test('where the activation is under way, the membership follows it', () =>
  withTestBridge({ sandbox: { shape: { inactiveMembers: 'refused' } } }, async (bridge) => {
    const { service, faults } = bridge.sandbox;
    const id = await addUser(bridge, 'ada');
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));
    const slow = faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' }, times: 1 });
    const activating = bridge.request('PATCH', `/Users/${id}`, setActive(true));
    await slow.until(1);

    const adding = bridge.request('PATCH', path, change('add', [id]));
    await bridge.sandbox.calls.until(1, { operation: 'scim.getUser' });
    faults.release();

    expect([(await activating).status, (await adding).status]).toEqual([200, 204]);
    await untilSettled(bridge);
    expect(service.members('Pilots')).toEqual([ada]);
  }));

test('an id that is nobody is refused on add and nothing to do on remove', () =>
  withTestBridge({}, async (bridge) => {
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;

    const added = await bridge.request('PATCH', path, change('add', ['no-such-id']));
    const removed = await bridge.request('PATCH', path, change('remove', ['no-such-id']));

    expect(added).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(removed.status).toBe(204);
  }));

test('a group as a member is refused, saying so', () =>
  withTestBridge({}, async (bridge) => {
    const inner = await addGroup(bridge, 'Cooks');
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
    const value = [{ value: inner, type: 'Group' }];

    const named = await bridge.request(
      'PATCH',
      path,
      toPatch({ op: 'add', path: 'members', value }),
    );
    const bare = await bridge.request('PATCH', path, change('add', [inner]));

    expect(named.status).toBe(400);
    expect(named.body.detail).toMatch(/group/i);
    expect(bare.status).toBe(400);
  }));

test('an unmanaged person may join a managed group and is not adopted by it', () =>
  withTestBridge({ sandbox: { seed: { users: 1 } } }, async (bridge) => {
    const id = await findId(bridge, { type: 'Users', name: 'user00001' });
    const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;

    await send(bridge, 'PATCH', path, change('add', [id]));

    expect(bridge.sandbox.service.members('Pilots')).toEqual(['user00001@example.com']);
    expect((await askOps(bridge, 'GET', `/users/${id}`)).body.origin).toBeNull();
  }));
