import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, startTestBridge } from '../support/bridge.ts';
import { failing, HANGING } from '../support/faults.ts';
import { admit, expel, replace, toGroup, toMembers, toPatch, toUser } from '../support/provider.ts';

describe('rules privilege', () => {
  const PROTECTED = { PROTECT_USERS: 'safe*', PROTECT_GROUPS: 'Safe*' };
  const RULES = '[{"group":"Board","permissions":4},{"group":"Plain","permissions":0}]';
  const boss = 'boss@example.com';
  const safe = 'safe@example.com';

  const bridge = bridgeForSuite({
    settings: { ...PROTECTED, GROUPS_PERMISSIONS_MAX: '6', RULES },
    prepare({ service }) {
      for (const email of [boss, safe]) service.addUser({ email, userName: email });
      // So the account of the token is no owner.
      service.updateUser(boss, { role: 1 });
      service.updateUser('owner@example.com', { role: 2 });
      for (const name of ['Permitted', 'Administered', 'Safe', 'Ordinary', 'Found'])
        service.createGroup({ name });
      service.updateGroup('Permitted', { permissions: 16 });
      service.link('Administered', boss, 'admin');
    },
  });

  beforeEach(() => bridge.sandbox.calls.reset());

  const disable = replace('active', false);
  const rename = replace('displayName', 'Crew');

  const countMutations = (): number => bridge.sandbox.calls.count({ mutating: true });

  test.each<[why: string, type: 'Users' | 'Groups', name: string]>([
    ['an owner of the company', 'Users', boss],
    ['somebody whom the settings protect by address', 'Users', safe],
    ['the account behind our own token', 'Users', 'owner'],
    ['a group that holds permissions', 'Groups', 'Permitted'],
    ['a group that has admins', 'Groups', 'Administered'],
    ['a group that has a name that the settings protect', 'Groups', 'Safe'],
  ])(
    '%s is never adopted: 409 to POST, 403 otherwise, nothing stored and no change upstream',
    async (_, type, name) => {
      const path = `/${type}/${await bridge.findId({ type, name })}`;
      const [local = ''] = name.split('@');
      const isUser = type === 'Users';

      const answers = [
        await bridge.request('POST', `/${type}`, isUser ? toUser(local) : toGroup(name)),
        await bridge.request('PUT', path, isUser ? toUser(local, { title: 'Dr' }) : toGroup(name)),
        await bridge.tryPatch(path, isUser ? disable : rename),
        await bridge.request('DELETE', path),
      ];

      expect(answers.map(({ status }) => status)).toEqual([409, 403, 403, 403]);
      for (const { body } of answers) expect(String(body.detail)).not.toBe('');
      const kept = isUser ? { active: true } : { displayName: name };
      expect((await bridge.send('GET', path)).body).toMatchObject(kept);
      expect(countMutations()).toBe(0);
    },
  );

  test('where the admin list cannot be read, nobody knows whether a group is ordinary: 503', async () => {
    const path = `/Groups/${await bridge.findId({ type: 'Groups', name: 'Ordinary' })}`;
    bridge.sandbox.calls.reset();
    bridge.sandbox.faults.add({ operation: 'admins', fault: failing(403) });

    const answer = await bridge.tryPatch(path, rename);
    bridge.sandbox.faults.clear();

    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(countMutations()).toBe(0);
  });

  test('a protected person stays in a privileged group, and the rest of the request applies', async () => {
    const [safeId, bobId] = await bridge.addPeople('safe-member', 'bob');
    const team = toGroup('Team', [safeId, bobId], { permissions: 4 });
    const { body } = await bridge.send('POST', '/Groups', team);

    await bridge.settled(bridge.patch(`/Groups/${String(body.id)}`, expel(safeId, bobId)));

    expect(await bridge.readMemberIds(String(body.id))).toEqual([safeId]);
    expect(bridge.sandbox.service.members('Team')).toEqual(['safe-member@example.com']);
  });

  test('a protected person is not taken off an admin list, and another one leaves all the same', async () => {
    const [id, cyd] = await bridge.addPeople('safe-admin', 'cyd');
    const value = toMembers([id]);
    const { body } = await bridge.send(
      'POST',
      '/Groups',
      toGroup('Crew', [cyd], { admins: value }),
    );
    const removal = { op: 'remove', path: `${GROUP_EXTENSION}:admins`, value };

    const alone = await bridge.tryPatch(`/Groups/${body.id}`, removal);
    const beside = await bridge.settled(bridge.tryPatch(`/Groups/${body.id}`, removal, expel(cyd)));

    expect([alone.status, beside.status]).toEqual([403, 204]);
    expect(bridge.sandbox.service.admins('Crew')).toEqual(['safe-admin@example.com']);
    expect(bridge.sandbox.service.members('Crew')).toEqual([]);
  });

  const permitted = { [GROUP_EXTENSION]: { permissions: 4 } };
  test.each([
    ['an admin of it', 403, 'safe1', { [GROUP_EXTENSION]: { admins: '$' } }],
    ['a member of it, and it holds permissions', 403, 'safe2', { ...permitted, members: '$' }],
    ['a member of it, and it is an ordinary one', 204, 'safe3', { members: '$' }],
  ])('a DELETE of a group while somebody protected is %s: %s', async (_, status, name, group) => {
    const { service } = bridge.sandbox;
    const displayName = `Team of ${name}`;
    const id = await bridge.addUser(name);
    const text = JSON.stringify({ ...toGroup(displayName), ...group });
    const named = text.replaceAll('"$"', JSON.stringify(toMembers([id])));
    const { body } = await bridge.settled(bridge.send('POST', '/Groups', JSON.parse(named)));
    const before = countMutations();

    const answer = await bridge.settled(bridge.request('DELETE', `/Groups/${String(body.id)}`));

    expect(answer.status).toBe(status);
    const left = service.groups().filter((one) => one.name === displayName);
    expect(left).toHaveLength(status === 403 ? 1 : 0);
    if (status === 403) expect(countMutations()).toBe(before);
  });

  test('a protected member keeps the rights of a group, whichever write of it would take them', async () => {
    const id = await bridge.addUser('safe-director');
    const path = `/Groups/${await bridge.settled(bridge.addGroup('Board', [id]))}`;
    const writes = [replace(`${GROUP_EXTENSION}:permissions`, 0), replace('displayName', 'Plain')];

    for (const write of writes) expect((await bridge.tryPatch(path, write)).status).toBe(403);
    expect(bridge.sandbox.service.getGroup('Board').permissions).toBe(4);
  });

  test('a DELETE of a group that was taken over leaves a protected admin whom it found there', async () => {
    const { service } = bridge.sandbox;
    service.link('Found', safe, 'admin');
    await bridge.sweep();
    const id = await bridge.findId({ type: 'Groups', name: 'Found' });
    await bridge.settled(bridge.ops('POST', `/groups/${id}/adopt`, { privileged: true }));

    const { status } = await bridge.settled(bridge.request('DELETE', `/Groups/${id}`));

    expect(status).toBe(204);
    expect(service.admins('Found')).toEqual([safe]);
  });
});

const PAIRS = 5;
const setActive = (value: boolean) => toPatch(replace('active', value));
const suspend = (value: boolean) =>
  toPatch(replace(`${USER_EXTENSION}:temporarilyInactive`, value));

async function addOwners(bridge: TestBridge): Promise<[string, string]> {
  const [first = '', second = ''] = await bridge.addUsers(2);
  const { service } = bridge.sandbox;
  for (const email of ['person1@example.com', 'person2@example.com'])
    service.updateUser(email, { role: 1 });
  service.updateUser('owner@example.com', { role: 2 });
  await bridge.sweep();
  return [`/Users/${first}`, `/Users/${second}`];
}

describe('the last owner', () => {
  const bridge = bridgeForSuite();
  let paths: [string, string];
  beforeAll(async () => {
    paths = await addOwners(bridge);
  });

  test('is left by two requests at the same time that would each deactivate one of two owners', async () => {
    for (let pair = 0; pair < PAIRS; pair += 1) {
      const leave = (path: string) => bridge.request('PATCH', path, setActive(false));
      const answers = await Promise.all(paths.map(leave));

      expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
      for (const path of paths) await bridge.send('PATCH', path, setActive(true));
    }
  });

  test('does not count on somebody whom the service was seen to have deactivated', async () => {
    const [first, second] = paths;
    bridge.sandbox.service.updateUser('person1@example.com', { active: false });
    // The answer to this one shows it.
    await bridge.patch(first, replace('name.familyName', 'K'));

    expect((await bridge.request('PATCH', second, setActive(false))).status).toBe(403);
    await bridge.send('PATCH', first, setActive(true));
  });

  test('is neither deactivated nor suspended nor deleted once the other one was', async () => {
    const [first, second] = paths;
    const { calls } = bridge.sandbox;
    const departures: [method: string, leave?: JsonObject, back?: JsonObject][] = [
      ['PATCH', setActive(false), setActive(true)],
      ['PATCH', suspend(true), suspend(false)],
      ['DELETE'],
    ];
    for (const [method, leave, back] of departures) {
      await bridge.settled(bridge.send(method, first, leave));
      calls.reset();

      for (const [method, leave] of departures) {
        const answer = await bridge.request(method, second, leave);
        expect(answer.status).toBe(403);
        expect(answer.body.detail).toContain('last owner');
      }

      expect(calls.count({ mutating: true })).toBe(0);
      if (back !== undefined) await bridge.send('PATCH', first, back);
      await bridge.untilSettled();
    }
  });
});

describe('rules membership', () => {
  let bridge: TestBridge;

  const setActive = (value: boolean) => replace('active', value);

  function listMutations(): string[] {
    const changes = bridge.sandbox.calls.recent().filter(({ method }) => method !== 'GET');
    return changes.map(({ operation }) => operation);
  }

  describe('members', () => {
    beforeAll(async () => {
      const settings = { SCIM_WRITE_WAIT: '100ms' };
      bridge = await startTestBridge({ settings, sandbox: { seed: { users: 1 } } });
    });
    afterAll(() => bridge.stop());

    test('a delete deactivates first and only then leaves groups and admin lists', async () => {
      const bob = 'bob@example.com';
      const { service, faults } = bridge.sandbox;
      const id = await bridge.addUser('bob');
      await bridge.addGroup('Cooks of bob', [id]);
      const bakers = toGroup('Bakers', [], { admins: toMembers([id]) });
      await bridge.settled(bridge.send('POST', '/Groups', bakers));
      faults.add({ operation: 'scim.updateUser', fault: HANGING, times: 1 });
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
      const departures = ['groupAdmins.removeAdminFromGroup', 'groupUsers.removeUserFromGroup'];
      expect(calls.slice(1).sort()).toEqual(departures);
      expect((await bridge.request('GET', `/Users/${id}`)).status).toBe(404);
    });

    test('an unmanaged person may join a managed group and is not adopted by it', async () => {
      const id = await bridge.findId({ type: 'Users', name: 'user00001' });
      const path = `/Groups/${await bridge.addGroup('Waiters')}`;

      await bridge.patch(path, admit(id));

      expect(bridge.sandbox.service.members('Waiters')).toEqual(['user00001@example.com']);
      expect((await bridge.ops('GET', `/users/${id}`)).body.origin).toBeNull();
    });
  });

  describe('where the service refuses inactive members', () => {
    beforeAll(async () => {
      bridge = await startTestBridge({ sandbox: { shape: { inactiveMembers: 'refused' } } });
    });
    afterAll(() => bridge.stop());

    test.each([
      ['the membership waits for the activation', 'dan', true],
      ['and there is no account yet, the membership waits for one', 'ada', false],
    ])('%s', async (_, name, hasAccount) => {
      const { service } = bridge.sandbox;
      const id = await bridge.addUser(name, { active: hasAccount });
      const groupId = await bridge.addGroup(`Group of ${name}`);
      await bridge.settled(bridge.patch(`/Users/${id}`, setActive(false)));

      const added = await bridge.tryPatch(`/Groups/${groupId}`, admit(id));
      const shown = await bridge.readMemberIds(groupId);
      const before = service.members(`Group of ${name}`);
      await bridge.settled(bridge.patch(`/Users/${id}`, setActive(true)));

      expect(added.status).toBe(204);
      expect(shown).toEqual([id]);
      expect(before).toEqual([]);
      expect(service.members(`Group of ${name}`)).toEqual([`${name}@example.com`]);
    });

    test('and only the service holds somebody inactive, the membership is refused at once', async () => {
      const { service, calls } = bridge.sandbox;
      const id = await bridge.addUser('eve');
      const path = `/Groups/${await bridge.addGroup('Cleaners')}`;
      service.updateUser('eve@example.com', { active: false });
      calls.reset();

      const added = await bridge.tryPatch(path, admit(id));

      expect(added.status).toBe(400);
      const counts = { 'groupUsers.addUserToGroup': { 400: 1 }, 'scim.getUser': { 200: 1 } };
      expect(calls.counts()).toEqual(counts);
      expect((await bridge.send('GET', path)).body.members ?? []).toEqual([]);
    });

    test('and the activation is under way, the membership follows it', async () => {
      const { service, faults } = bridge.sandbox;
      const id = await bridge.addUser('fay');
      const path = `/Groups/${await bridge.addGroup('Fliers')}`;
      await bridge.patch(`/Users/${id}`, setActive(false));
      const slow = faults.add({ operation: 'scim.updateUser', fault: HANGING, times: 1 });
      const activating = bridge.tryPatch(`/Users/${id}`, setActive(true));
      await slow.until(1);
      bridge.sandbox.calls.reset();

      const adding = bridge.tryPatch(path, admit(id));
      await bridge.sandbox.calls.until(1, { operation: 'scim.getUser' });
      faults.release();

      expect([(await activating).status, (await adding).status]).toEqual([200, 204]);
      await bridge.untilSettled();
      expect(service.members('Fliers')).toEqual(['fay@example.com']);
    });
  });
});
