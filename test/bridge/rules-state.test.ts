import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { SandboxShapeChange } from '../../src/sandbox/shape.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  addUsers,
  listResources,
  readMemberIds,
  send,
  toGroup,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';

const ada = 'ada@example.com';

function set(path: string, value: JsonObject[string]) {
  return toPatch({ op: 'replace', path, value });
}

/** What the service is asked for from here on, without looks. */
function countChanges({ sandbox }: TestBridge): number {
  return sandbox.calls.count({ mutating: true });
}

describe('three facts of a field', () => {
  async function withStore(run: (bridge: TestBridge) => Promise<void>): Promise<void> {
    await withTestBridge({}, run);
  }

  test('a change of one field does not touch another that drifted', () =>
    withStore(async (bridge) => {
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      bridge.sandbox.service.renameUser(ada, 'Somebody Else');

      await send(bridge, 'PATCH', path, set('active', false));
      await send(bridge, 'PATCH', path, set('active', true));
      await untilSettled(bridge);

      expect(bridge.sandbox.service.getUser(ada)).toMatchObject({
        fullName: 'Somebody Else',
        active: true,
      });
    }));

  test('a write that names a drifted field puts it right, though the value is the same', () =>
    withStore(async (bridge) => {
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      bridge.sandbox.service.renameUser(ada, 'Somebody Else');
      // The answer to this one shows the bridge that the name differs.
      await send(bridge, 'PATCH', path, set('active', false));

      await send(bridge, 'PATCH', path, set('name.givenName', 'Ada'));

      expect(bridge.sandbox.service.getUser(ada)).toMatchObject({
        fullName: 'Ada Example',
        active: false,
      });
    }));

  test('a change of one member does not touch another whose membership drifted', () =>
    withStore(async (bridge) => {
      const [one, two, three, four, five] = await addUsers(bridge, 5);
      const path = `/Groups/${await addGroup(bridge, 'Pilots', [one ?? '', two ?? ''])}`;
      const { service, faults } = bridge.sandbox;
      service.removeMember('Pilots', 'person1@example.com');
      // The lost answer makes the bridge look, so that it sees who is gone.
      const reset = { kind: 'reset', at: 'after-effect' } as const;
      faults.add({ operation: 'scim.updateGroup', fault: reset, times: 1 });
      await send(bridge, 'PATCH', path, add(three, four));
      await untilSettled(bridge);
      expect(service.members('Pilots')).toHaveLength(3);

      await send(bridge, 'PATCH', path, add(five));
      expect(service.members('Pilots')).not.toContain('person1@example.com');

      await send(bridge, 'PATCH', path, add(one));
      expect(service.members('Pilots')).toContain('person1@example.com');
    }));
});

function add(...ids: (string | undefined)[]) {
  return toPatch({ op: 'add', path: 'members', value: toMembers(ids.map(String)) });
}

test('what nobody ever set is not ours: no call, and what people set stays', () =>
  withTestBridge({ sandbox: { shape: { creatorBecomesAdmin: true } } }, async (bridge) => {
    const { service } = bridge.sandbox;
    const user = `/Users/${await addUser(bridge, 'ada')}`;
    const group = `/Groups/${await addGroup(bridge, 'Pilots')}`;
    service.updateUser(ada, { appsPermissions: 2 });
    service.setPermissions('Pilots', 4);
    service.addAdmin('Pilots', ada);

    await send(bridge, 'PATCH', user, set('name.familyName', 'King'));
    await send(bridge, 'PATCH', group, set('displayName', 'Crew'));
    await untilSettled(bridge);

    expect(service.getUser(ada)).toMatchObject({ fullName: 'Ada King', appsPermissions: 2 });
    expect(service.getGroup('Crew')).toMatchObject({ permissions: 4 });
    expect(service.admins('Crew')).toEqual([ada, 'owner@example.com']);
    expect(bridge.sandbox.calls.count({ operation: 'groupAdmins.addAdminToGroup' })).toBe(0);
  }));

test('a PUT without active, name and emails leaves them', () =>
  withTestBridge({}, async (bridge) => {
    const path = `/Users/${await addUser(bridge, 'ada')}`;
    await send(bridge, 'PATCH', path, set('active', false));

    const { body } = await send(bridge, 'PUT', path, { schemas: [], userName: ada, title: 'Dr' });

    expect(body).toMatchObject({
      title: 'Dr',
      active: false,
      name: { givenName: 'Ada', familyName: 'Example' },
      emails: [{ value: ada }],
    });
    expect(bridge.sandbox.service.getUser(ada).active).toBe(false);
  }));

const memberReplacements = [
  { what: 'without members leaves them', members: {}, left: 2 },
  { what: 'with [] empties them', members: { members: [] }, left: 0 },
  { what: 'with null empties them', members: { members: null }, left: 0 },
];

for (const { what, members, left } of memberReplacements) {
  test(`a PUT of a group ${what}`, () =>
    withTestBridge({}, async (bridge) => {
      const path = `/Groups/${await addGroup(bridge, 'Pilots', await addUsers(bridge, 2))}`;

      await send(bridge, 'PUT', path, { schemas: [], displayName: 'Pilots', ...members });
      await untilSettled(bridge);

      expect(bridge.sandbox.service.members('Pilots')).toHaveLength(left);
      expect(await readMemberIds(bridge, path.replace('/Groups/', ''))).toHaveLength(left);
    }));
}

const echoes = [
  {
    what: 'parts that the service cuts elsewhere',
    name: { givenName: 'Mary Ann', familyName: 'Smith' },
  },
  {
    what: 'decomposed letters',
    name: { givenName: 'Jose\u0301', familyName: 'Nu\u0301n\u0303ez' },
  },
];

for (const { what, name } of echoes) {
  test(`a name comes back as sent and is no difference: ${what}`, () =>
    withTestBridge({}, async (bridge) => {
      const path = `/Users/${await addUser(bridge, 'ada', { name })}`;
      bridge.sandbox.calls.reset();

      const { body } = await send(bridge, 'PUT', path, toUser('ada', { name }));
      await send(bridge, 'PATCH', path, set('name', name));
      await untilSettled(bridge);

      expect(body.name).toMatchObject(name);
      expect(countChanges(bridge)).toBe(0);
    }));
}

test('lists are in order of creation', () =>
  withTestBridge({}, async (bridge) => {
    for (const name of ['zoe', 'ada', 'mia']) await addUser(bridge, name);

    const users = listResources(await send(bridge, 'GET', '/Users')).slice(1);

    expect(users.map(({ userName }) => userName)).toEqual([
      'zoe@example.com',
      ada,
      'mia@example.com',
    ]);
  }));

const addressShapes: { what: string; shape: SandboxShapeChange; held: string }[] = [
  {
    what: 'is kept by the bridge where the service holds on to the old one',
    shape: {},
    held: 'ada@example.com',
  },
  {
    what: 'reaches a service that takes it',
    shape: { updatable: ['active', 'name', 'userName', 'emails'] },
    held: 'lovelace@example.com',
  },
];

for (const { what, shape, held } of addressShapes) {
  test(`a new userName is acknowledged, returned and never waits; it ${what}`, () =>
    withTestBridge({ sandbox: { shape } }, async (bridge) => {
      const id = await addUser(bridge, 'ada');
      const { emails } = toUser('lovelace');

      const changed = toUser('ada', { userName: 'lovelace@example.com', emails: emails ?? [] });
      const { body } = await send(bridge, 'PUT', `/Users/${id}`, changed);
      await untilSettled(bridge);

      expect(body).toMatchObject({ userName: 'lovelace@example.com' });
      expect(bridge.sandbox.service.findUser(held)).toMatchObject({ userName: held, active: true });
      expect((await send(bridge, 'GET', `/Users/${id}`)).body).toMatchObject({ emails });
    }));
}

for (const inactiveMembers of ['refused', 'dropped'] as const) {
  test(`memberships of an inactive user are kept (the service: ${inactiveMembers})`, () =>
    withTestBridge({ sandbox: { shape: { inactiveMembers } } }, async (bridge) => {
      const id = await addUser(bridge, 'ada');
      const groupId = await addGroup(bridge, 'Pilots', [id]);

      await send(bridge, 'PATCH', `/Users/${id}`, set('active', false));
      const { body } = await send(bridge, 'PUT', `/Groups/${groupId}`, toGroup('Pilots', [id]));
      await untilSettled(bridge);

      expect(body.members).toMatchObject([{ value: id }]);
      expect((await send(bridge, 'GET', `/Users/${id}`)).body.groups).toMatchObject([
        { value: groupId, display: 'Pilots' },
      ]);
    }));
}
