import { beforeEach, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toGroup, toMembers, toPatch, toUser } from '../support/provider.ts';

/** People and groups whose names begin so are protected by the settings. */
const PROTECTED = { PROTECT_USERS: 'safe*', PROTECT_GROUPS: 'Safe*' };
const boss = 'boss@example.com';
const safe = 'safe@example.com';

const bridge = forSuite(() =>
  startTestBridge({
    settings: { ...PROTECTED, GROUPS_PERMISSIONS_MAX: '6' },
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
  }),
);

beforeEach(() => bridge.sandbox.calls.reset());

const disable = toPatch(replace('active', false));
const rename = toPatch(replace('displayName', 'Crew'));
const remove = (ids: string[]) => toPatch({ op: 'remove', path: 'members', value: toMembers(ids) });

function countMutations(): number {
  return bridge.sandbox.calls.count({ mutating: true });
}

test.each([
  ['an owner of the company', boss],
  ['somebody whom the settings protect by address', safe],
])(
  '%s is never adopted: 409 to POST, 403 otherwise, nothing stored and no call',
  async (_, address) => {
    const path = `/Users/${await bridge.findId({ type: 'Users', name: address })}`;
    const [name = ''] = address.split('@');

    const answers = [
      await bridge.request('POST', '/Users', toUser(name)),
      await bridge.request('PUT', path, toUser(name, { title: 'Dr' })),
      await bridge.request('PATCH', path, disable),
      await bridge.request('DELETE', path),
    ];

    expect(answers.map(({ status }) => status)).toEqual([409, 403, 403, 403]);
    for (const { body } of answers) expect(String(body.detail)).not.toBe('');
    expect((await bridge.send('GET', path)).body).toMatchObject({ active: true });
    expect(countMutations()).toBe(0);
  },
);

test('the account behind our own token is neither adopted nor deactivated nor deleted', async () => {
  const path = `/Users/${await bridge.findId({ type: 'Users', name: 'owner' })}`;

  const answers = [
    await bridge.request('POST', '/Users', { schemas: [], userName: 'owner@example.com' }),
    await bridge.request('PATCH', path, disable),
    await bridge.request('DELETE', path),
  ];

  expect(answers.map(({ status }) => status)).toEqual([409, 403, 403]);
  expect(countMutations()).toBe(0);
});

test.each([
  ['holds permissions', 'Permitted'],
  ['has admins', 'Administered'],
  ['has a name that the settings protect', 'Safe'],
])(
  'a group that %s is never adopted: 409 to POST, 403 otherwise, nothing stored and no change upstream',
  async (_, name) => {
    const path = `/Groups/${await bridge.findId({ type: 'Groups', name })}`;

    const answers = [
      await bridge.request('POST', '/Groups', toGroup(name)),
      await bridge.request('PATCH', path, rename),
      await bridge.request('PUT', path, toGroup(name, [])),
      await bridge.request('DELETE', path),
    ];

    expect(answers.map(({ status }) => status)).toEqual([409, 403, 403, 403]);
    expect(countMutations()).toBe(0);
  },
);

test('where the admin list cannot be read, nobody knows whether a group is ordinary: 503', async () => {
  const path = `/Groups/${await bridge.findId({ type: 'Groups', name: 'Ordinary' })}`;
  bridge.sandbox.calls.reset();
  bridge.sandbox.faults.refuse('admins', 403);

  const answer = await bridge.request('PATCH', path, rename);
  bridge.sandbox.faults.allow('admins');

  expect(answer.status).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(countMutations()).toBe(0);
});

function withPermissions(displayName: string, permissions: number): JsonObject {
  return { ...toGroup(displayName), [GROUP_EXTENSION]: { permissions } };
}

test('a protected person stays in a privileged group, and the rest of the request applies', async () => {
  const [safeId, bobId] = [await bridge.addUser('safe-member'), await bridge.addUser('bob')];
  const members = toMembers([safeId, bobId]);
  const { body } = await bridge.send('POST', '/Groups', {
    ...withPermissions('Team', 4),
    members,
  });

  await bridge.send('PATCH', `/Groups/${String(body.id)}`, remove([safeId, bobId]));
  await bridge.untilSettled();

  expect(await bridge.readMemberIds(String(body.id))).toEqual([safeId]);
  expect(bridge.sandbox.service.members('Team')).toEqual(['safe-member@example.com']);
});

test('a protected person is not taken off an admin list', async () => {
  const id = await bridge.addUser('safe-admin');
  const admins = { [GROUP_EXTENSION]: { admins: toMembers([id]) } };
  const { body } = await bridge.send('POST', '/Groups', { ...toGroup('Crew'), ...admins });
  const path = `${GROUP_EXTENSION}:admins`;

  const removal = toPatch({ op: 'remove', path, value: toMembers([id]) });
  const answer = await bridge.request('PATCH', `/Groups/${String(body.id)}`, removal);

  expect(answer.status).toBe(403);
  expect(bridge.sandbox.service.admins('Crew')).toEqual(['safe-admin@example.com']);
});

test.each([
  {
    what: 'an admin of it',
    name: 'safe1',
    group: { [GROUP_EXTENSION]: { admins: '$' } },
    status: 403,
  },
  {
    what: 'a member of it, and it holds permissions',
    name: 'safe2',
    group: { [GROUP_EXTENSION]: { permissions: 4 }, members: '$' },
    status: 403,
  },
  {
    what: 'a member of it, and it is an ordinary one',
    name: 'safe3',
    group: { members: '$' },
    status: 204,
  },
])(
  'a DELETE of a group while somebody protected is $what: $status',
  async ({ name, group, status }) => {
    const { service } = bridge.sandbox;
    const displayName = `Team of ${name}`;
    const id = await bridge.addUser(name);
    const text = JSON.stringify({ ...toGroup(displayName), ...group });
    const named = text.replaceAll('"$"', JSON.stringify(toMembers([id])));
    const { body } = await bridge.send('POST', '/Groups', JSON.parse(named));
    await bridge.untilSettled();
    const before = countMutations();

    const answer = await bridge.request('DELETE', `/Groups/${String(body.id)}`);
    await bridge.untilSettled();

    expect(answer.status).toBe(status);
    const left = service.groups().filter((one) => one.name === displayName);
    expect(left).toHaveLength(status === 403 ? 1 : 0);
    if (status === 403) expect(countMutations()).toBe(before);
  },
);

test('a DELETE of a group that was taken over leaves a protected admin whom it found there', async () => {
  const { service } = bridge.sandbox;
  service.link('Found', safe, 'admin');
  await bridge.sweep();
  const id = await bridge.findId({ type: 'Groups', name: 'Found' });
  await bridge.ops('POST', `/groups/${id}/adopt`, { privileged: true });
  await bridge.untilSettled();

  const { status } = await bridge.request('DELETE', `/Groups/${id}`);
  await bridge.untilSettled();

  expect(status).toBe(204);
  expect(service.admins('Found')).toEqual([safe]);
});
