import { beforeAll, describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { replace, toGroup, toUser } from '../support/provider.ts';

const ada = 'ada@example.com';
const bob = 'bob@example.com';
const carl = 'carl@example.com';
const dan = 'dan@example.com';

function prepare({ service }: Sandbox): void {
  for (const email of [ada, bob, carl, dan])
    service.addUser({ email, userName: email, fullName: 'Somebody Example' });
  for (const name of ['Pilots', 'Cooks', 'Sailors']) {
    service.createGroup({ name });
    service.link(name, ada);
  }
}

const bridge = bridgeForSuite({ prepare });

const findUserId = (bridge: TestBridge, name: string) => bridge.findId({ type: 'Users', name });
const findGroupId = (bridge: TestBridge, name: string) => bridge.findId({ type: 'Groups', name });

async function isManaged(id: string) {
  const path = id === (await bridge.ops('GET', `/users/${id}`)).body.id ? 'users' : 'groups';
  return (await bridge.ops('GET', `/${path}/${id}`)).body.origin !== null;
}

const rename = replace('displayName', 'Crew');

test('POST for an account of the service adopts it, with the id that lists have shown', async () => {
  const id = await findUserId(bridge, carl);
  bridge.sandbox.calls.reset();

  const answer = await bridge.request('POST', '/Users', toUser('carl', { externalId: 'e-1' }));

  expect(answer).toMatchObject({ status: 201, body: { id, externalId: 'e-1', userName: carl } });
  expect(await isManaged(id)).toBe(true);
  expect(bridge.sandbox.calls.count({ operation: 'scim.addUser' })).toBe(0);
});

test('only an explicit removal takes somebody out of an adopted group', async () => {
  const path = `/Groups/${await findGroupId(bridge, 'Cooks')}`;
  const bobId = await findUserId(bridge, bob);

  await bridge.patch(path, rename);
  const afterRename = bridge.sandbox.service.members('Crew');
  await bridge.settled(bridge.send('PUT', path, toGroup('Crew', [bobId])));

  expect(afterRename).toEqual([ada]);
  expect(bridge.sandbox.service.members('Crew')).toEqual([bob]);
});

const deletions = [
  { type: 'Users', name: ada, adopted: dan, setting: 'USERS_ADOPT_ON_DELETE' },
  { type: 'Groups', name: 'Pilots', adopted: 'Sailors', setting: 'GROUPS_ADOPT_ON_DELETE' },
] as const;

describe.each(deletions)(
  'a DELETE of $name, whom nobody manages',
  ({ type, name, adopted, setting }) => {
    test('is refused, alone and in bulk, and changes nothing', async () => {
      const id = await bridge.findId({ type, name });
      bridge.sandbox.calls.reset();
      const before = await bridge.send('GET', `/${type}/${id}`);

      const alone = await bridge.request('DELETE', `/${type}/${id}`);
      const Operations = [{ method: 'DELETE', path: `/${type}/${id}` }];
      const bulk = await bridge.request('POST', '/Bulk', { Operations });

      expect(alone.status).toBe(403);
      expect(alone.body.detail).toContain(setting);
      expect(bulk.body).toMatchObject({ Operations: [{ status: '403' }] });
      expect(await isManaged(id)).toBe(false);
      expect((await bridge.send('GET', `/${type}/${id}`)).body).toEqual(before.body);
      expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
    });

    test('goes through where an operator adopted it before, or the settings say so', async () => {
      const id = await bridge.findId({ type, name: adopted });
      await bridge.ops('POST', `/${type.toLowerCase()}/${id}/adopt`, {});
      expect((await bridge.request('DELETE', `/${type}/${id}`)).status).toBe(204);
      const other = await bridgeForTest({ prepare, settings: { [setting]: 'yes' } });
      const otherId = await other.findId({ type, name });
      expect((await other.request('DELETE', `/${type}/${otherId}`)).status).toBe(204);
    });
  },
);

test('a write that changes nothing succeeds, costs no call and adopts nothing', async () => {
  const [userId, groupId] = [await findUserId(bridge, ada), await findGroupId(bridge, 'Pilots')];
  const { body: user } = await bridge.send('GET', `/Users/${userId}`);
  bridge.sandbox.calls.reset();

  await bridge.send('PUT', `/Users/${userId}`, user);
  await bridge.patch(`/Groups/${groupId}`, replace('displayName', 'Pilots'));

  expect(bridge.sandbox.calls.count()).toBe(0);
  expect(await isManaged(userId)).toBe(false);
  expect(await isManaged(groupId)).toBe(false);
});

test('with adopt: refuse POST of what exists is 409, every other write of it 403, and nothing is stored', async () => {
  const settings = { USERS_ADOPT: 'refuse', GROUPS_ADOPT: 'refuse' };
  const bridge = await bridgeForTest({ prepare, settings });
  const user = `/Users/${await findUserId(bridge, ada)}`;
  const group = `/Groups/${await findGroupId(bridge, 'Pilots')}`;

  const answers = [
    await bridge.request('POST', '/Users', toUser('ada')),
    await bridge.tryPatch(user, replace('active', false)),
    await bridge.request('PUT', user, toUser('ada', { title: 'Dr' })),
    await bridge.request('DELETE', user),
    await bridge.request('POST', '/Groups', toGroup('Pilots')),
    await bridge.tryPatch(group, rename),
    await bridge.request('DELETE', group),
  ];

  expect(answers.map(({ status }) => status)).toEqual([409, 403, 403, 403, 409, 403, 403]);
  expect(bridge.sandbox.calls.count({ mutating: true })).toBe(0);
  expect((await bridge.request('GET', user)).body).toMatchObject({ active: true });
});

beforeAll(() => bridge.addUser('jo'));

test.each([
  ['userName and e-mail point at two accounts', 'ada', bob],
  ['the e-mail belongs to an account that is linked already', 'kim', 'jo@example.com'],
])('nothing is guessed: 409 when %s', async (_, name, value) => {
  const users = bridge.sandbox.service.users().length;
  const user = toUser(name, { emails: [{ value, primary: true }] });

  const answer = await bridge.request('POST', '/Users', user);

  expect(answer).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
  expect(bridge.sandbox.service.users()).toHaveLength(users);
});

test('accounts are recognised in our own code, also where the service ignores filters', async () => {
  const bridge = await bridgeForTest({ prepare, sandbox: { shape: { filter: 'ignored' } } });
  // Somebody makes the account behind the bridge's back, so that the create is answered with 409.
  bridge.sandbox.service.addUser({ email: 'eve@example.com', fullName: 'Eve Example' });

  const { status, body } = await bridge.settled(bridge.request('POST', '/Users', toUser('eve')));

  expect(status).toBe(201);
  const { id } = bridge.sandbox.service.getUser('eve@example.com');
  expect((await bridge.ops('GET', `/users/${body.id}`)).body).toMatchObject({ upstreamId: id });
});
