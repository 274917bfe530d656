import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject, JsonValue } from '../../src/domain/values.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { makeLives } from '../support/lives.ts';
import { toObjects } from '../support/operator.ts';
import { expel, replace, toGroup, toMembers, toPatch, toUser } from '../support/provider.ts';

const [ada, second] = ['ada@example.com', 'ada.love@example.com'];
const [bob, owner] = ['bob@example.com', 'owner@example.com'];
const PROTECTED = { PROTECT_USERS: ada, PROTECT_GROUPS: 'Pilots', GROUPS_PERMISSIONS_MAX: '255' };

type Write = readonly [what: string, method: string, body?: JsonObject];

const set = (path: string, value: JsonValue): JsonObject => toPatch(replace(path, value));
const clear = (path: string, value?: JsonValue) =>
  toPatch({ op: 'remove', path, ...(value && { value }) });
const LICENCE = `${USER_EXTENSION}:appsPermissions`;

function licence(appsPermissions: JsonValue): JsonObject {
  return { [USER_EXTENSION]: { appsPermissions } };
}

const beside = toPatch(replace('title', 'Dr'), { op: 'replace', value: licence(0) });
const takingWrites: Write[] = [
  ['active off', 'PATCH', set('active', false)],
  ['active off in a PUT', 'PUT', toUser('ada', { ...licence(5), active: false })],
  ['a suspension', 'PATCH', set(`${USER_EXTENSION}:temporarilyInactive`, true)],
  ['no licence', 'PATCH', set(LICENCE, 0)],
  ['less of a licence', 'PATCH', set(LICENCE, 1)],
  ['a licence cleared', 'PATCH', clear(LICENCE)],
  ['a licence taken beside a harmless change', 'PATCH', beside],
  ['DELETE', 'DELETE'],
];

async function assertRefused(bridge: TestBridge, path: string, writes = takingWrites) {
  for (const [what, method, body] of writes) {
    expect((await bridge.request(method, path, body)).status, what).toBe(403);
    const operation = { method, path, ...(body && { data: body }) };
    const bulk = await bridge.send('POST', '/Bulk', { Operations: [operation] });
    expect(toObjects(bulk.body.Operations), what).toMatchObject([{ status: '403' }]);
  }
}

const takesAddresses = { updatable: ['active', 'name', 'userName', 'emails'] } as const;

describe('what is protected', () => {
  async function openProtected({ settings = {}, ...options }: TestBridgeOptions = {}) {
    const all = { ...PROTECTED, ...settings };
    return bridgeForTest({ ...options, settings: all });
  }

  test('no write takes access or a licence from somebody protected, alone or in bulk', async () => {
    const bridge = await openProtected();
    const { service, calls } = bridge.sandbox;
    const path = `/Users/${await bridge.addUser('ada', licence(5))}`;
    await bridge.untilSettled();
    const { body: before } = await bridge.send('GET', path);
    calls.reset();

    await assertRefused(bridge, path);
    await bridge.untilSettled();
    expect((await bridge.send('GET', path)).body).toEqual(before);
    expect(calls.count({ mutating: true })).toBe(0);
    expect(service.getUser(ada)).toMatchObject({ active: true, appsPermissions: 5 });
  });

  test('what gives or says the same again is let through, and so is a PUT that does not speak of the licence', async () => {
    const bridge = await openProtected();
    const path = `/Users/${await bridge.addUser('ada', licence(1))}`;
    await bridge.patch(path, replace(LICENCE, 5));
    await bridge.patch(path, replace(LICENCE, 5));
    await bridge.settled(bridge.send('PUT', path, toUser('ada', { active: true, title: 'Dr' })));

    expect(bridge.sandbox.service.getUser(ada)).toMatchObject({ active: true, appsPermissions: 5 });
  });

  test('neither a PATCH nor a PUT takes a licence that nobody has seen yet', async () => {
    const bridge = await openProtected();
    const { service } = bridge.sandbox;
    const path = `/Users/${await bridge.addUser('ada')}`;
    await bridge.untilSettled();
    const held = service.getUser(ada).appsPermissions;
    const answers = [
      await bridge.tryPatch(path, replace(LICENCE, 0)),
      await bridge.request('PUT', path, toUser('ada', licence(0))),
    ];
    await bridge.untilSettled();

    expect(answers.map(({ status }) => status)).toEqual([403, 403]);
    expect(held).toBeGreaterThan(0);
    expect(service.getUser(ada).appsPermissions).toBe(held);
  });

  test.each([ada, second])('who was %s stays protected', async (name) => {
    const settings = { PROTECT_USERS: name };
    const lives = await makeLives({ settings, sandbox: { shape: takesAddresses } });
    let path = '';
    const assertProtected = async (bridge: TestBridge) => {
      expect(JSON.stringify(await bridge.send('GET', path))).not.toMatch(/ada[.@]/);
      await assertRefused(bridge, path);
    };
    await lives.live(async (bridge) => {
      const emails = [{ value: ada, primary: true }, { value: second }];
      path = `/Users/${await bridge.addUser('ada', { ...licence(5), emails })}`;
      await bridge.untilSettled();
      await bridge.patch(path, replace('userName', bob));
      const address = { value: bob, type: 'work', primary: true };
      await bridge.settled(bridge.patch(path, replace('emails', [address])));
      await assertProtected(bridge);
    });
    await lives.live(assertProtected);
    expect(lives.sandbox.service.getUser(bob)).toMatchObject({ active: true, appsPermissions: 5 });
  });

  test('the last owner loses no licence either, as long as there is no other', async () => {
    const bridge = await openProtected({ settings: { PROTECT_USERS: '' } });
    const { service } = bridge.sandbox;
    const path = `/Users/${await bridge.addUser('ada', licence(5))}`;
    await bridge.untilSettled();
    service.updateUser(ada, { role: 1 });
    service.updateUser(owner, { role: 2 });
    await bridge.sweep();

    await assertRefused(bridge, path);
    service.updateUser(owner, { role: 1 });
    await bridge.sweep();
    await bridge.patch(path, replace(LICENCE, 4));
    expect(service.getUser(ada).appsPermissions).toBe(4);
  });

  test('the account behind our own token loses no licence either', async () => {
    const bridge = await openProtected({ settings: { PROTECT_USERS: '' } });
    const { service } = bridge.sandbox;
    const id = await bridge.findId({ type: 'Users', name: 'owner' });
    service.updateUser(owner, { appsPermissions: 5 });
    service.updateUser(owner, { role: 2 });
    await bridge.sweep();
    await bridge.ops('POST', `/users/${id}/adopt`, { privileged: true });

    const answer = await bridge.tryPatch(`/Users/${id}`, replace(LICENCE, 1));

    expect(answer.status).toBe(403);
    expect(answer.body.detail).toContain('token');
    expect(service.getUser(owner).appsPermissions).toBe(5);
  });

  test('a rule takes no licence from somebody protected, and gives one', async () => {
    const guests = { membersOf: 'Guests', appsPermissions: 2 };
    const RULES = JSON.stringify([guests, { membersOf: 'All', appsPermissions: 5 }]);
    const bridge = await openProtected({ settings: { RULES } });
    const { service } = bridge.sandbox;
    const ids = await bridge.settled(bridge.addPeople('ada', 'bob'));
    for (const one of [ada, bob]) service.updateUser(one, { appsPermissions: 1 });
    await bridge.sweep();
    await bridge.settled(bridge.addGroup('All', ids));
    expect(service.getUser(ada).appsPermissions).toBe(5);
    const { body } = await bridge.settled(bridge.send('POST', '/Groups', toGroup('Guests', ids)));

    expect(body.id).toBeDefined();
    expect(service.getUser(ada).appsPermissions).toBe(5);
    expect(service.getUser(bob).appsPermissions).toBe(2);
  });

  test('no repair takes a licence from somebody protected or permissions from a protected group', async () => {
    const bridge = await openProtected({ settings: { DRIFT_POLICY: 'repair' } });
    const { service } = bridge.sandbox;
    for (const name of ['ada', 'bob']) await bridge.addUser(name, licence(1));
    for (const name of ['Pilots', 'Cooks'])
      await bridge.settled(bridge.send('POST', '/Groups', toGroup(name, [], { permissions: 4 })));
    for (const one of [ada, bob]) service.updateUser(one, { appsPermissions: 5 });
    for (const name of ['Pilots', 'Cooks']) service.updateGroup(name, { permissions: 12 });
    await bridge.sweep();
    await expect.poll(() => service.getUser(bob).appsPermissions).toBe(1);
    await expect.poll(() => service.getGroup('Cooks').permissions).toBe(4);
    await bridge.untilSettled();

    expect(await bridge.listDrifts('open')).toHaveLength(2);
    expect(service.getUser(ada).appsPermissions).toBe(5);
    expect(service.getGroup('Pilots').permissions).toBe(12);
  });

  test('nothing is taken from a protected group, under whatever name', async () => {
    const bridge = await openProtected();
    const { service } = bridge.sandbox;
    const bobId = await bridge.addUser('bob');
    const extension = { permissions: 12, addToCardsAndSpacesEnabled: true };
    const given = toGroup('Pilots', [bobId], { ...extension, admins: toMembers([bobId]) });
    const { body } = await bridge.send('POST', '/Groups', given);
    const path = `/Groups/${String(body.id)}`;
    await bridge.untilSettled();
    const admins = `${GROUP_EXTENSION}:admins`;
    const writes: Write[] = [
      ['fewer', 'PATCH', set(`${GROUP_EXTENSION}:permissions`, 4)],
      ['none', 'PATCH', clear(`${GROUP_EXTENSION}:permissions`)],
      ['a PUT', 'PUT', toGroup('Pilots', [], { permissions: 8 })],
      ['the flag', 'PATCH', set(`${GROUP_EXTENSION}:addToCardsAndSpacesEnabled`, false)],
      ['an admin', 'PATCH', clear(admins, toMembers([bobId]))],
      ['all admins', 'PATCH', clear(admins)],
      ['DELETE', 'DELETE'],
    ];

    await assertRefused(bridge, path, writes);
    await bridge.settled(bridge.patch(path, replace('displayName', 'Crew')));
    await assertRefused(bridge, path, writes);
    await bridge.settled(bridge.patch(path, expel(bobId)));

    expect(service.getGroup('Crew')).toMatchObject(extension);
    expect(service.admins('Crew')).toContain(bob);
    expect(service.members('Crew')).toEqual([]);
  });
});

const tooMuch = [
  { value: 4_294_967_296, want: 403 },
  { value: 4_294_967_300, want: 403 },
  { value: 2_147_483_648, want: 403 },
  { value: 9_007_199_254_740_991, want: 403 },
  { value: 9_007_199_254_740_992, want: 400 },
  { value: '9007199254740993', want: 400 },
  { value: '18446744073709551616', want: 400 },
  { value: 1e300, want: 400 },
  { value: 1.5, want: 400 },
  { value: -1, want: 400 },
  { value: '-4294967296', want: 400 },
];
test('no permission beyond the mask passes, however wide; what is no whole number that fits is 400', async () => {
  const bridge = await bridgeForTest({ settings: { GROUPS_PERMISSIONS_MAX: '4' } });
  const path = `/Groups/${await bridge.addGroup('Pilots')}`;
  const user = `/Users/${await bridge.addUser('ada')}`;
  const calls = bridge.sandbox.calls.count({ mutating: true });
  for (const { value, want } of tooMuch) {
    const answers = [
      await bridge.request('POST', '/Groups', toGroup('Cooks', [], { permissions: value })),
      await bridge.request('PUT', path, toGroup('Pilots', [], { permissions: value })),
      await bridge.tryPatch(path, replace(`${GROUP_EXTENSION}:permissions`, value)),
    ];
    expect(
      answers.map(({ status }) => status),
      String(value),
    ).toEqual([want, want, want]);
    if (want === 403) continue;
    const { status } = await bridge.request('PUT', user, toUser('ada', licence(value)));
    expect(status, String(value)).toBe(400);
  }
  expect(bridge.sandbox.calls.count({ mutating: true })).toBe(calls);
  expect(bridge.sandbox.service.getGroup('Pilots').permissions).toBe(0);
});
