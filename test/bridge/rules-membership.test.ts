import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { replace, toGroup, toMembers, toPatch } from '../support/provider.ts';

let bridge: TestBridge;

function change(op: 'add' | 'remove', ids: readonly string[]) {
  return toPatch({ op, path: 'members', value: toMembers(ids) });
}

function setActive(value: boolean) {
  return toPatch(replace('active', value));
}

function toGroupWithAdmin(displayName: string, id: string) {
  return { ...toGroup(displayName), [GROUP_EXTENSION]: { admins: toMembers([id]) } };
}

function listMutations(): string[] {
  return bridge.sandbox.calls
    .recent()
    .flatMap(({ method, operation }) => (method === 'GET' ? [] : [operation]));
}

describe('members', () => {
  beforeAll(async () => {
    const settings = { SCIM_WRITE_WAIT: '100ms' };
    bridge = await startTestBridge({ settings, sandbox: { seed: { users: 1 } } });
  });
  afterAll(() => bridge.stop());

  test('a member without an account yet is deferred, not failed, and joins when there is one', async () => {
    const { service } = bridge.sandbox;
    const id = await bridge.addUser('ada', { active: false });
    const groupId = await bridge.addGroup('Pilots');
    // The wait is short, so its creation may still go on.
    await bridge.untilSettled();

    const added = await bridge.request('PATCH', `/Groups/${groupId}`, change('add', [id]));
    const shown = await bridge.readMemberIds(groupId);
    const before = service.members('Pilots');
    await bridge.send('PATCH', `/Users/${id}`, setActive(true));
    await bridge.untilSettled();

    expect(added.status).toBe(204);
    expect(shown).toEqual([id]);
    expect(before).toEqual([]);
    expect(service.members('Pilots')).toEqual(['ada@example.com']);
  });

  test('a delete deactivates first and only then leaves groups and admin lists', async () => {
    const bob = 'bob@example.com';
    const { service, faults } = bridge.sandbox;
    const id = await bridge.addUser('bob');
    await bridge.addGroup('Cooks of bob', [id]);
    await bridge.send('POST', '/Groups', toGroupWithAdmin('Bakers', id));
    await bridge.untilSettled();
    faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' }, times: 1 });
    bridge.sandbox.calls.reset();

    await bridge.send('DELETE', `/Users/${id}`);
    // Whatever else is due is done meanwhile.
    for (const name of ['carl', 'hal', 'zoe']) await bridge.addUser(name);
    const whileActive = [...service.members('Cooks of bob'), ...service.admins('Bakers')];
    faults.release();
    await bridge.untilSettled();

    expect(whileActive).toEqual([bob, bob]);
    expect(service.getUser(bob).active).toBe(false);
    expect([...service.members('Cooks of bob'), ...service.admins('Bakers')]).toEqual([]);
    const calls = listMutations().filter((operation) => operation !== 'scim.addUser');
    expect(calls[0]).toBe('scim.updateUser');
    expect(calls.slice(1).sort()).toEqual([
      'groupAdmins.removeAdminFromGroup',
      'groupUsers.removeUserFromGroup',
    ]);
    expect((await bridge.request('GET', `/Users/${id}`)).status).toBe(404);
  });

  test('an unmanaged person may join a managed group and is not adopted by it', async () => {
    const id = await bridge.findId({ type: 'Users', name: 'user00001' });
    const path = `/Groups/${await bridge.addGroup('Waiters')}`;

    await bridge.send('PATCH', path, change('add', [id]));

    expect(bridge.sandbox.service.members('Waiters')).toEqual(['user00001@example.com']);
    expect((await bridge.ops('GET', `/users/${id}`)).body.origin).toBeNull();
  });
});

describe('where the service refuses inactive members', () => {
  beforeAll(async () => {
    bridge = await startTestBridge({ sandbox: { shape: { inactiveMembers: 'refused' } } });
  });
  afterAll(() => bridge.stop());

  test('the membership waits for the activation', async () => {
    const { service } = bridge.sandbox;
    const id = await bridge.addUser('dan');
    const groupId = await bridge.addGroup('Divers');
    await bridge.send('PATCH', `/Users/${id}`, setActive(false));

    const added = await bridge.request('PATCH', `/Groups/${groupId}`, change('add', [id]));
    const before = service.members('Divers');
    await bridge.send('PATCH', `/Users/${id}`, setActive(true));
    await bridge.untilSettled();

    expect(added.status).toBe(204);
    expect(before).toEqual([]);
    expect(service.members('Divers')).toEqual(['dan@example.com']);
  });

  test('and only the service holds somebody inactive, the membership is refused at once', async () => {
    const { service, calls } = bridge.sandbox;
    const id = await bridge.addUser('eve');
    const path = `/Groups/${await bridge.addGroup('Cleaners')}`;
    service.updateUser('eve@example.com', { active: false });
    calls.reset();

    const added = await bridge.request('PATCH', path, change('add', [id]));

    expect(added.status).toBe(400);
    expect(calls.counts()).toEqual({
      'groupUsers.addUserToGroup': { 400: 1 },
      'scim.getUser': { 200: 1 },
    });
    expect((await bridge.send('GET', path)).body.members ?? []).toEqual([]);
  });

  test('and the activation is under way, the membership follows it', async () => {
    const { service, faults } = bridge.sandbox;
    const id = await bridge.addUser('fay');
    const path = `/Groups/${await bridge.addGroup('Fliers')}`;
    await bridge.send('PATCH', `/Users/${id}`, setActive(false));
    const slow = faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' }, times: 1 });
    const activating = bridge.request('PATCH', `/Users/${id}`, setActive(true));
    await slow.until(1);
    bridge.sandbox.calls.reset();

    const adding = bridge.request('PATCH', path, change('add', [id]));
    await bridge.sandbox.calls.until(1, { operation: 'scim.getUser' });
    faults.release();

    expect([(await activating).status, (await adding).status]).toEqual([200, 204]);
    await bridge.untilSettled();
    expect(service.members('Fliers')).toEqual(['fay@example.com']);
  });
});
