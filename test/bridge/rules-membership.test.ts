import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
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

let bridge: TestBridge;

function change(op: 'add' | 'remove', ids: readonly string[]) {
  return toPatch({ op, path: 'members', value: toMembers(ids) });
}

function setActive(value: boolean) {
  return toPatch({ op: 'replace', path: 'active', value });
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
    expect(service.members('Pilots')).toEqual(['ada@example.com']);
  });

  test('a delete deactivates first and only then leaves groups and admin lists', async () => {
    const bob = 'bob@example.com';
    const { service, faults } = bridge.sandbox;
    const id = await addUser(bridge, 'bob');
    await addGroup(bridge, 'Cooks of bob', [id]);
    await send(bridge, 'POST', '/Groups', toGroupWithAdmin('Bakers', id));
    await untilSettled(bridge);
    faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' }, times: 1 });
    bridge.sandbox.calls.reset();

    await send(bridge, 'DELETE', `/Users/${id}`);
    // Whatever else is due is done meanwhile.
    for (const name of ['carl', 'hal', 'zoe']) await addUser(bridge, name);
    const whileActive = [...service.members('Cooks of bob'), ...service.admins('Bakers')];
    faults.release();
    await untilSettled(bridge);

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
    const id = await findId(bridge, { type: 'Users', name: 'user00001' });
    const path = `/Groups/${await addGroup(bridge, 'Waiters')}`;

    await send(bridge, 'PATCH', path, change('add', [id]));

    expect(bridge.sandbox.service.members('Waiters')).toEqual(['user00001@example.com']);
    expect((await askOps(bridge, 'GET', `/users/${id}`)).body.origin).toBeNull();
  });
});

describe('where the service refuses inactive members', () => {
  beforeAll(async () => {
    bridge = await startTestBridge({ sandbox: { shape: { inactiveMembers: 'refused' } } });
  });
  afterAll(() => bridge.stop());

  test('the membership waits for the activation', async () => {
    const { service } = bridge.sandbox;
    const id = await addUser(bridge, 'dan');
    const groupId = await addGroup(bridge, 'Divers');
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));

    const added = await bridge.request('PATCH', `/Groups/${groupId}`, change('add', [id]));
    const before = service.members('Divers');
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(true));
    await untilSettled(bridge);

    expect(added.status).toBe(204);
    expect(before).toEqual([]);
    expect(service.members('Divers')).toEqual(['dan@example.com']);
  });

  test('and only the service holds somebody inactive, the membership is refused at once', async () => {
    const { service, calls } = bridge.sandbox;
    const id = await addUser(bridge, 'eve');
    const path = `/Groups/${await addGroup(bridge, 'Cleaners')}`;
    service.updateUser('eve@example.com', { active: false });
    calls.reset();

    const added = await bridge.request('PATCH', path, change('add', [id]));

    expect(added.status).toBe(400);
    expect(calls.counts()).toEqual({
      'groupUsers.addUserToGroup': { 400: 1 },
      'scim.getUser': { 200: 1 },
    });
    expect((await send(bridge, 'GET', path)).body.members ?? []).toEqual([]);
  });

  test('and the activation is under way, the membership follows it', async () => {
    const { service, faults } = bridge.sandbox;
    const id = await addUser(bridge, 'fay');
    const path = `/Groups/${await addGroup(bridge, 'Fliers')}`;
    await send(bridge, 'PATCH', `/Users/${id}`, setActive(false));
    const slow = faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' }, times: 1 });
    const activating = bridge.request('PATCH', `/Users/${id}`, setActive(true));
    await slow.until(1);
    bridge.sandbox.calls.reset();

    const adding = bridge.request('PATCH', path, change('add', [id]));
    await bridge.sandbox.calls.until(1, { operation: 'scim.getUser' });
    faults.release();

    expect([(await activating).status, (await adding).status]).toEqual([200, 204]);
    await untilSettled(bridge);
    expect(service.members('Fliers')).toEqual(['fay@example.com']);
  });
});
