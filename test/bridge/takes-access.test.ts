import { beforeAll, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { UserUpdate } from '../../src/sandbox/service.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { readMetrics } from '../support/metrics.ts';
import { admit, dismiss, expel, replace, toGroup, toMembers, toUser } from '../support/provider.ts';

const ENTERPRISE = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User';
const USER = 'urn:ietf:params:scim:schemas:core:2.0:User';
const UNKNOWN = '01890000-0000-7000-8000-000000000000';
const NUL = 'a\0b';

const bridge = bridgeForSuite({ settings: { SCIM_REQUESTS_PER_SECOND: '0' } });
let count = 0;

beforeAll(async () => {
  await bridge.addUser('taken');
  await bridge.addGroup('Taken');
});

function newName(): string {
  count += 1;
  return `person${count}`;
}

async function countLeftOut(): Promise<number> {
  const series = [...(await readMetrics(bridge))];
  const counted = series.filter(([name]) => name.includes('part-left-out'));
  return counted.reduce((sum, [, value]) => sum + value, 0);
}

const off = replace('active', false);

const restsOfPatch: readonly (readonly [string, JsonObject])[] = [
  ['an unknown attribute', replace('companyName', 'x')],
  ['an unknown op', { op: 'move', path: 'title', value: 'x' }],
  ['two titles', replace('title', ['a', 'b'])],
  [
    'several attributes, one of them unusable',
    { op: 'replace', value: { title: {}, nickName: 'N' } },
  ],
  ['a text that no store can hold', replace('title', NUL)],
  ['a userName that is taken', replace('userName', 'taken@example.com')],
  ['more than a user may hold', replace('title', 'x'.repeat(700_000))],
];

describe('somebody is deactivated, whatever the rest of the request:', () => {
  test.each(restsOfPatch)('PATCH with %s', async (_, rest) => {
    for (const operations of [
      [off, rest],
      [rest, off],
    ]) {
      const name = newName();
      const path = `/Users/${await bridge.addUser(name, { title: 'Pilot' })}`;

      expect((await bridge.tryPatch(path, ...operations)).status).toBe(200);

      const kept = { active: false, title: 'Pilot' };
      expect((await bridge.send('GET', path)).body).toMatchObject(kept);
      expect(bridge.sandbox.service.getUser(`${name}@example.com`).active).toBe(false);
    }
  });

  const wrong = replace('title', ['a', 'b']);
  const mixed = { title: ['a', 'b'], nickName: 'N', companyName: 'x' };
  const fifty = Array.from({ length: 51 }, (_, n) =>
    replace(`addresses[type eq "${n}"].region`, 'x'),
  );
  test.each<readonly [string, readonly JsonObject[]]>([
    ['an add', [{ op: 'add', path: 'active', value: false }, wrong]],
    ['an add without a path', [{ op: 'Add', value: { active: 'False' } }, wrong]],
    [
      'an unusable text in the same operation',
      [{ op: 'replace', value: { active: false, title: NUL } }],
    ],
    ['the same below a URN', [replace(USER, { active: false, title: NUL })]],
    ['many operations before it', [...fifty, off, wrong]],
    ['an object of attributes', [{ op: 'replace', value: { ...mixed, active: 'False' } }]],
  ])('PATCH with %s', async (_, operations) => {
    const path = `/Users/${await bridge.addUser(newName(), { title: 'Pilot', nickName: 'N' })}`;

    expect((await bridge.tryPatch(path, ...operations)).status).toBe(200);

    const kept = { active: false, title: 'Pilot', nickName: 'N' };
    expect((await bridge.send('GET', path)).body).toMatchObject(kept);
  });

  test('PATCH with two changes of a list, one of them unusable: the list stays as it was', async () => {
    const phoneNumbers = [{ value: '1', type: 'work' }];
    const path = `/Users/${await bridge.addUser(newName(), { phoneNumbers })}`;
    const added = { op: 'add', path: 'phoneNumbers', value: [{ value: '2', type: 'home' }] };
    const wrong = replace('phoneNumbers[value co "9"].display', 'x');

    expect((await bridge.tryPatch(path, added, wrong, off)).status).toBe(200);

    const kept = { active: false, phoneNumbers };
    expect((await bridge.send('GET', path)).body).toMatchObject(kept);
  });

  const restsOfPut: readonly (readonly [string, JsonObject])[] = [
    ['two titles', { title: ['a', 'b'] }],
    ['a userName that is taken', { userName: 'taken@example.com' }],
    ['a text that no store can hold', { externalId: NUL }],
    ['such a text below a URN', { [ENTERPRISE]: { department: NUL } }],
  ];
  test.each(restsOfPut)('PUT with %s', async (_, rest) => {
    const name = newName();
    const known = { title: 'Pilot', externalId: 'E', [ENTERPRISE]: { department: 'D' } };
    const path = `/Users/${await bridge.addUser(name, known)}`;

    const data = toUser(name, { ...known, active: false, ...rest });
    expect((await bridge.request('PUT', path, data)).status).toBe(200);

    const userName = `${name}@example.com`;
    const shown = (await bridge.send('GET', path)).body;
    expect(shown).toMatchObject({ ...known, active: false, userName });
    expect(bridge.sandbox.service.getUser(userName).active).toBe(false);
  });
});

describe('a licence is taken, whatever the rest of the request:', () => {
  const taken = { op: 'remove', path: 'entitlements[value eq "licence:full"]' };
  const toLicence = (value: string) => ({ op: 'add', path: 'entitlements', value: [{ value }] });
  test.each([
    ['a userName that is taken', replace('userName', 'taken@example.com')],
    ['an unknown licence', toLicence('licence:nope')],
    ['a role that nobody gives', { op: 'add', path: 'roles', value: [{ value: 'role:owner' }] }],
    ['a change of another one', replace('entitlements[value eq "zzz"].display', 'Q')],
    ['a name that the service refuses', replace('name.givenName', 'Refused')],
  ])('PATCH with %s', async (_, rest) => {
    const name = newName();
    const entitlements = [{ value: 'licence:full' }];
    const path = `/Users/${await bridge.addUser(name, { entitlements })}`;
    const [operation, fault] = ['scim.updateUser', failing(400)] as const;
    const refusal = bridge.sandbox.faults.add({ operation, fault, about: 'Refused' });

    const account = () => bridge.sandbox.service.getUser(`${name}@example.com`);
    expect(account().appsPermissions).toBeGreaterThan(0);

    expect((await bridge.tryPatch(path, taken, rest)).status).toBe(200);

    await expect.poll(() => account().appsPermissions).toBe(0);
    refusal.remove();
  });
});

describe('a member leaves, whatever the rest of the request:', () => {
  const ADMINS = `${GROUP_EXTENSION}:admins`;
  const shapes: readonly (readonly [string, (id: string) => JsonObject[]])[] = [
    ['ids as JSON text', (id) => [{ op: 'remove', path: 'members', value: `[{"value":"${id}"}]` }]],
    [
      'a group beside it',
      (id) => [{ ...expel(), value: [{ value: UNKNOWN, type: 'Group' }, { value: id }] }],
    ],
    ['an unknown newcomer', (id) => [dismiss(id), admit(UNKNOWN)]],
    ['an unknown admin', (id) => [dismiss(id), { ...admit(UNKNOWN), path: ADMINS }]],
    ['a name that is taken', (id) => [dismiss(id), replace('displayName', 'Taken')]],
    [
      'permissions that no provider may give',
      (id) => [dismiss(id), replace(`${GROUP_EXTENSION}:permissions`, 31)],
    ],
  ];

  test.each(shapes)('PATCH with %s', async (_, toOperations) => {
    const [leaver, stays] = await bridge.addPeople(newName(), newName());
    const name = `Group ${newName()}`;
    const path = `/Groups/${await bridge.addGroup(name, [leaver, stays])}`;

    expect((await bridge.tryPatch(path, ...toOperations(leaver))).status).toBe(204);

    expect(await bridge.readMemberIds(path.split('/')[2] ?? '')).toEqual([stays]);
    expect(bridge.sandbox.service.members(name)).toHaveLength(1);
    expect((await bridge.send('GET', path)).body.displayName).toBe(name);
  });

  const rests: readonly (readonly [string, JsonObject])[] = [
    ['an unknown newcomer', { members: [{ value: UNKNOWN }] }],
    ['a name that is taken', { displayName: 'Taken' }],
    ['a text that no store can hold', { externalId: NUL }],
  ];
  test.each(rests)('PUT with %s, and a newcomer who is known joins', async (_, rest) => {
    const [leaver, stays, joins] = await bridge.addPeople(newName(), newName(), newName());
    const name = `Group ${newName()}`;
    const id = await bridge.addGroup(name, [leaver, stays]);

    const members = [...toMembers([stays, joins]), ...[rest.members ?? []].flat()];
    const data = { ...toGroup(name), ...rest, members };
    expect((await bridge.request('PUT', `/Groups/${id}`, data)).status).toBe(200);

    const left = rest.displayName === undefined ? [stays, joins].toSorted() : [stays];
    expect(await bridge.readMemberIds(id)).toEqual(left);
    expect((await bridge.send('GET', `/Groups/${id}`)).body.displayName).toBe(name);
  });
});

describe('what seems to be taken already, and others gave again, is taken:', () => {
  const bridge = bridgeForSuite();
  const [working, out] = [{ active: true }, { active: false }];
  const [most, less] = [{ appsPermissions: 5 }, { appsPermissions: 1 }];
  const [here, away] = [{ temporarilyInactive: false }, { temporarilyInactive: true }];
  const set = (path: string, value: JsonObject) =>
    bridge.patch(path, replace(USER_EXTENSION, value));
  test.each<[string, UserUpdate, UserUpdate, (path: string, name: string) => Promise<unknown>]>([
    ['access, by PATCH', out, working, (path) => bridge.patch(path, off)],
    ['access, by PUT', out, working, (path, name) => bridge.send('PUT', path, toUser(name, out))],
    ['access, by DELETE', out, working, (path) => bridge.send('DELETE', path)],
    ['access, by a suspension', away, here, (path) => set(path, away)],
    ['a licence', less, most, (path) => set(path, less)],
  ])('%s', async (what, taken, given, write) => {
    const { service } = bridge.sandbox;
    const name = newName();
    const known = { [USER_EXTENSION]: { ...most, ...here } };
    const path = `/Users/${await bridge.addUser(name, known)}`;
    const account = `${name}@example.com`;
    const takers = [async () => service.updateUser(account, taken), () => write(path, name)];
    for (const take of what.endsWith('PATCH') ? takers : takers.slice(0, 1)) {
      await take();
      await bridge.sweep();
      service.updateUser(account, given);
      await write(path, name);

      await expect.poll(() => service.getUser(account)).toMatchObject(taken);
    }
  });

  test('access, and a suspension that is known is ended once it is not wanted any more', async () => {
    const { service } = bridge.sandbox;
    const name = newName();
    const path = `/Users/${await bridge.addUser(name)}`;
    const account = () => service.getUser(`${name}@example.com`);
    await bridge.patch(path, off);
    await set(path, away);
    await expect.poll(account).toMatchObject({ ...out, ...away });
    await bridge.patch(path, off);

    await set(path, here);

    await expect.poll(account).toMatchObject({ ...out, ...here });
  });

  test('a member, who was seen to be out or never in', async () => {
    const { service } = bridge.sandbox;
    const names = [newName(), newName(), newName()] as const;
    const [gone, stays, never] = await bridge.addPeople(...names);
    const [first, second, third] = names.map((name) => `${name}@example.com`);
    const name = `Group ${newName()}`;
    const path = `/Groups/${await bridge.addGroup(name, [gone, stays])}`;
    service.unlink(name, String(first));
    await bridge.sweep();
    for (const account of [first, third]) service.link(name, String(account));

    await bridge.patch(path, dismiss(gone), dismiss(never));

    await expect.poll(() => service.members(name)).toEqual([second]);
  });
});

test('what takes nothing away is refused as a whole, with what is wrong', async () => {
  const id = await bridge.addUser(newName(), { title: 'Pilot' });
  const group = await bridge.addGroup(`Group ${newName()}`, [id]);
  const add = admit(UNKNOWN);
  const title = replace('title', ['a', 'b']);
  const cases: readonly (readonly [string, string, ...JsonObject[]])[] = [
    [`/Groups/${group}`, 'Value 1 of members', add],
    [`/Groups/${group}`, 'Operation 2', dismiss(UNKNOWN), add],
    [`/Users/${id}`, 'Operation 2: The value of title', { ...off, value: true }, title],
  ];
  for (const [path, detail, ...operations] of cases) {
    const answer = await bridge.tryPatch(path, ...operations);
    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(answer.body.detail).toContain(detail);
  }
  await bridge.patch(`/Users/${id}`, off);
  expect((await bridge.tryPatch(`/Users/${id}`, off, title)).status).toBe(400);
  expect(await bridge.readMemberIds(group)).toEqual([id]);
});

test('what was left out is counted, kept with the request, and told while it is recent', async () => {
  const id = await bridge.addUser(newName());
  const group = await bridge.addGroup(`Group ${newName()}`, [id]);
  const before = await countLeftOut();

  await bridge.patch(`/Groups/${group}`, dismiss(id), admit(UNKNOWN));

  expect(await countLeftOut()).toBe(before + 1);
  const drop = expect.objectContaining({ op: 'drop', path: 'part-left-out', values: 1 });
  const kept = { method: 'PATCH', written: expect.arrayContaining([drop]) };
  await expect
    .poll(() => bridge.listOps(`/requests?resource=${group}`))
    .toContainEqual(expect.objectContaining(kept));
  expect((await bridge.readReadiness()).body.status).toBe('degraded');
  expect(await bridge.listReasons()).toContain('left-out');
});
