import { describe, expect, test } from 'vitest';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { admit, replace, toGroup, toUser } from '../support/provider.ts';

const ada = 'ada@example.com';

const bridge = bridgeForSuite();

describe('three facts of a field', () => {
  test('a change of one member does not touch another whose membership drifted', async () => {
    const own = await bridgeForTest();
    const [one = '', two = '', three = '', four = '', five = ''] = await own.addUsers(5);
    const path = `/Groups/${await own.addGroup('Drifters', [one, two])}`;
    const { service, faults } = own.sandbox;
    service.unlink('Drifters', 'person1@example.com');
    // The lost answer makes the bridge look, so that it sees who is gone.
    const reset = { kind: 'reset', at: 'after-effect' } as const;
    faults.add({ operation: 'scim.updateGroup', fault: reset, times: 1 });
    await own.patch(path, admit(three, four));
    await bridge.untilSettled();
    expect(service.members('Drifters')).toHaveLength(3);

    await own.patch(path, admit(five));
    expect(service.members('Drifters')).not.toContain('person1@example.com');

    await own.patch(path, admit(one));
    expect(service.members('Drifters')).toContain('person1@example.com');
  });
});

test('what nobody ever set is not ours: no call, and what people set stays', async () => {
  const own = await bridgeForTest({ sandbox: { shape: { creatorBecomesAdmin: true } } });
  const { service } = own.sandbox;
  const user = `/Users/${await own.addUser('ada')}`;
  const group = `/Groups/${await own.addGroup('Pilots')}`;
  service.updateUser(ada, { appsPermissions: 2 });
  service.updateGroup('Pilots', { permissions: 4 });
  service.link('Pilots', ada, 'admin');

  await own.patch(user, replace('name.familyName', 'King'));
  await own.settled(own.patch(group, replace('displayName', 'Crew')));

  expect(service.getUser(ada)).toMatchObject({ fullName: 'Ada King', appsPermissions: 2 });
  expect(service.getGroup('Crew')).toMatchObject({ permissions: 4 });
  expect(service.admins('Crew')).toEqual([ada, 'owner@example.com']);
  expect(own.sandbox.calls.count({ operation: 'groupAdmins.addAdminToGroup' })).toBe(0);
});

test('a PUT without active, name and emails leaves them', async () => {
  const userName = 'fay@example.com';
  const path = `/Users/${await bridge.addUser('fay')}`;
  await bridge.patch(path, replace('active', false));

  const { body } = await bridge.send('PUT', path, { schemas: [], userName, title: 'Dr' });

  expect(body).toMatchObject({
    title: 'Dr',
    active: false,
    name: { givenName: 'Fay', familyName: 'Example' },
    emails: [{ value: userName }],
  });
  expect(bridge.sandbox.service.getUser(userName).active).toBe(false);
});

test('a PUT of a group without members leaves them, with [] or null empties them', async () => {
  const id = await bridge.addUser('gus');
  const rows = [
    { displayName: 'Left', members: {}, left: 1 },
    { displayName: 'Emptied', members: { members: [] }, left: 0 },
    { displayName: 'Nulled', members: { members: null }, left: 0 },
  ];
  for (const { displayName, members, left } of rows) {
    const group = await bridge.addGroup(displayName, [id]);
    const put = { schemas: [], displayName, ...members };

    await bridge.settled(bridge.send('PUT', `/Groups/${group}`, put));

    expect(bridge.sandbox.service.members(displayName)).toHaveLength(left);
    expect(await bridge.readMemberIds(group)).toHaveLength(left);
  }
});

test.each([
  ['parts that the service cuts elsewhere', 'hal', 'Mary Ann', 'Smith'],
  ['decomposed letters', 'ida', 'Jose\u0301', 'Nu\u0301n\u0303ez'],
])('a name comes back as sent and is no difference: %s', async (_, who, givenName, familyName) => {
  const name = { givenName, familyName };
  const path = `/Users/${await bridge.addUser(who, { name })}`;
  bridge.sandbox.calls.reset();

  const { body } = await bridge.send('PUT', path, toUser(who, { name }));
  await bridge.settled(bridge.patch(path, replace('name', name)));

  expect(body.name).toMatchObject(name);
  expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
});

test('lists are in order of creation', async () => {
  const names = ['zoe', 'abe', 'mia'];
  for (const name of names) await bridge.addUser(name);

  const users = (await bridge.list('/Users?count=1000')).slice(-3);

  expect(users.map(({ userName }) => userName)).toEqual(names.map((name) => `${name}@example.com`));
});

const takesAddress = { updatable: ['active', 'name', 'userName', 'emails'] } as const;

test.each<[string, SandboxShapeChange, string]>([
  ['is kept by the bridge where the service holds on to the old one', {}, ada],
  ['reaches a service that takes it', takesAddress, 'lovelace@example.com'],
])('a new userName is acknowledged, returned and never waits; it %s', async (_, shape, held) => {
  const bridge = await bridgeForTest({ sandbox: { shape } });
  const id = await bridge.addUser('ada');
  const { emails } = toUser('lovelace');

  const changed = toUser('ada', { userName: 'lovelace@example.com', emails: emails ?? [] });
  const { body } = await bridge.settled(bridge.send('PUT', `/Users/${id}`, changed));

  expect(body).toMatchObject({ userName: 'lovelace@example.com' });
  expect(bridge.sandbox.service.findUser(held)).toMatchObject({ userName: held, active: true });
  expect((await bridge.send('GET', `/Users/${id}`)).body).toMatchObject({ emails });
});

test('memberships of an inactive user are kept, also where the service drops them', async () => {
  const bridge = await bridgeForTest({ sandbox: { shape: { inactiveMembers: 'dropped' } } });
  const id = await bridge.addUser('ada');
  const groupId = await bridge.addGroup('Pilots', [id]);

  await bridge.patch(`/Users/${id}`, replace('active', false));
  const put = bridge.send('PUT', `/Groups/${groupId}`, toGroup('Pilots', [id]));
  const { body } = await bridge.settled(put);

  expect(body.members).toMatchObject([{ value: id }]);
  const { groups } = (await bridge.send('GET', `/Users/${id}`)).body;
  expect(groups).toMatchObject([{ value: groupId, display: 'Pilots' }]);
});
