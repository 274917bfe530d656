import { beforeEach, describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import { DEFAULT_TERMS, RIGHTS } from '../../src/domain/provider.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { getToken } from '../support/credentials.ts';
import { admit, dismiss, listResources, replace, toGroup, toUser } from '../support/provider.ts';
import { makeProvider, toOwner } from '../support/walled.ts';

describe('providers', () => {
  const bridge = bridgeForSuite();

  test('the default one is always there, without limits, and can be neither changed nor deleted', async () => {
    const { body } = await bridge.ops('GET', '/providers');
    const answers = [
      await bridge.ops('POST', '/providers', { name: 'default' }),
      await bridge.ops('POST', '/providers/default/change', { may: [] }),
      await bridge.ops('POST', '/providers/default/delete'),
    ];

    expect(answers.map(({ status }) => status)).toEqual([409, 409, 409]);
    expect(body.items).toContainEqual({
      ...{ name: 'default', ...DEFAULT_TERMS, createdAt: null, createdBy: null },
    });
    const id = await bridge.addUser('ada', { externalId: 'x-1' });
    expect((await bridge.request('GET', `/Users/${id}`)).headers.etag).toMatch(/^W\/"\d+"$/);
  });

  test('what cannot be meant is 400, and an unknown provider 404', async () => {
    const wrong = [
      ...[{}, { name: '' }, { name: 'a b' }, { name: 'x'.repeat(65) }, { name: 'a', more: 1 }],
      ...[{ domains: [] }, { domains: ['@example.com'] }, { domains: ['a..b'] }, { domains: 'x' }],
      ...[{ groupNames: [] }, { groupNames: [' '] }, { groupNames: [1] }],
      ...[{ may: ['users.read'] }, { may: 'all' }, { may: null }],
    ].map((body) =>
      'name' in body || Object.keys(body).length === 0 ? body : { name: 'a', ...body },
    );
    for (const body of wrong) {
      const { status } = await bridge.ops('POST', '/providers', Object(body));
      expect(status, JSON.stringify(body)).toBe(400);
    }
    const { body } = await bridge.ops('POST', '/tokens', { name: 'a', for: 'frob' });
    expect(body.message).toBe('`for`: expected one of "scim"|"metrics"|"reader"|"operator".');
    const answers = [
      await bridge.ops('POST', '/providers/nobody/change', {}),
      await bridge.ops('POST', '/providers/nobody/delete'),
      await bridge.ops('POST', '/tokens', { name: 'a', provider: 'nobody' }),
      await bridge.ops('POST', '/clients', { name: 'a', provider: 'nobody' }),
      await bridge.ops('POST', '/tokens', { name: 'a', for: 'reader', provider: 'default' }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 400]);
  });

  test('what an operator changes holds for the next write, and each act is kept with before and after', async () => {
    const okta = await makeProvider(bridge, 'changed', { domains: ['EXAMPLE.com', 'example.com'] });
    const id = await okta.addUser('bea');
    await bridge.ops('POST', '/providers/changed/change', { may: ['users.change'] });
    const refused = await okta.request('DELETE', `/Users/${id}`);
    await bridge.ops('POST', '/providers/changed/change', { domains: null, may: [...RIGHTS] });
    const deleted = await okta.request('DELETE', `/Users/${id}`);

    expect([refused.status, deleted.status]).toEqual([403, 204]);
    const acts = await bridge.listOps('/acts?target=changed');
    expect(acts.map(({ act }) => act)).toEqual([
      'provider change',
      'provider change',
      'provider create',
    ]);
    expect(acts.at(1)).toMatchObject({
      before: { domains: ['example.com'], groupNames: null, may: RIGHTS },
      after: { domains: ['example.com'], groupNames: null, may: ['users.change'] },
    });
  });

  test('one that has a credential, a person or a group is not deleted', async () => {
    const id = await (await makeProvider(bridge, 'kept')).addUser('cyd');
    const remove = async () => {
      const { status, body } = await bridge.ops('POST', '/providers/kept/delete');
      return [status, body.message];
    };
    const first = await remove();
    await bridge.ops('POST', '/tokens/kept-token/revoke');
    const second = await remove();
    await bridge.ops('POST', '/tokens', { name: 'kept-2', provider: 'kept' });
    expect(first).toEqual([409, expect.stringContaining('credential')]);
    expect(second).toEqual([409, expect.stringContaining('people')]);
    const { body } = await bridge.ops('POST', '/tokens', { name: 'kept-3', provider: 'kept' });
    const headers = { authorization: `Bearer ${body.token}` };
    await bridge.request('DELETE', `/Users/${id}`, undefined, headers);
    for (const name of ['kept-2', 'kept-3']) await bridge.ops('POST', `/tokens/${name}/revoke`);
    expect(await remove()).toEqual([200, undefined]);
  });

  test('a client of OAuth writes for its provider', async () => {
    await makeProvider(bridge, 'signing');
    const wish = { name: 'signing-client', provider: 'signing' };
    const { body: client } = await bridge.ops('POST', '/clients', wish);
    const token = await getToken(bridge, { id: String(client.id), secret: String(client.secret) });
    const headers = { authorization: `Bearer ${token}` };
    const made = await bridge.request('POST', '/Users', toUser('dan'), headers);
    const other = await bridge.request('DELETE', `/Users/${made.body.id}`);

    expect(client.provider).toBe('signing');
    expect([made.status, toOwner(other)]).toEqual([201, 'signing']);
  });

  test('commands manage them', async () => {
    const run = runner(bridge);
    const created = await run(
      ...['provider', 'create', 'okta', '--domains', 'example.com, example.net'],
      ...['--group-names', 'Okta *', '--may', 'users.create,users.change'],
    );
    expect(created).toMatchObject({ code: 0 });
    expect(created.text).toBe(
      'okta\n  mail domains  example.com, example.net\n  group names   Okta *\n  may           users.create, users.change\n  terms         returning: conflict, unknownMembers: refuse, nestedGroups: refuse, outside: refuse, invite: onActivation, mode: live, match: userName address, graceDays: 0, requestsPerSecond: any\n',
    );
    const changed = await run(
      ...['provider', 'change', 'okta', '--domains', 'any', '--may', 'all', '--json'],
    );
    const now = { domains: null, groupNames: ['Okta *'], may: RIGHTS };
    expect(JSON.parse(changed.text)).toMatchObject(now);
    const listed = await run('provider', 'list');
    expect(listed.text).toMatch(/okta +any +Okta \* +all +returning/);
    expect(listed.text).toMatch(/default +any +any +all +returning/);
    const wrong = await run('provider', 'change', 'okta', '--may', 'users.read');
    const text = expect.stringContaining('--may: expected one of');
    expect(wrong).toMatchObject({ code: 64, text });

    const made = await run('token', 'create', 'okta-1', '--provider', 'okta');
    expect(made.text).toMatch(/for +scim, of okta/);
    const client = await run('client', 'create', 'okta-2', '--provider', 'okta');
    expect(client.text).toContain('okta-2, of okta');
    expect((await run('token', 'list')).text).toContain('scim, of okta');
    bridge.sandbox.service.addUser({ email: 'z@x.test', userName: 'z@x.test', fullName: 'Z' });
    await bridge.ops('POST', '/sweeps');
    const find = () => bridge.request('GET', '/Users?filter=userName%20eq%20%22z@x.test%22');
    await expect.poll(async () => listResources(await find()).length).toBe(1);
    expect(await run('adopt', 'z@x.test', '--provider', 'okta')).toMatchObject({ code: 0 });
    const adopted = 'managed, adopted, by the provider okta\n';
    expect((await run('explain', 'z@x.test')).text).toContain(adopted);
    expect((await run('provider', 'delete', 'okta', '--yes')).code).toBe(1);
    const other = await run('provider', 'create', 'entra', '--json');
    expect(JSON.parse(other.text)).toMatchObject({ name: 'entra', may: RIGHTS });
    expect((await run('provider', 'delete', 'entra', '--yes')).text).toBe('entra is deleted.\n');
  });
});

describe('provider choices', () => {
  const UNKNOWN = '01890000-0000-7000-8000-000000000000';

  const bridge = bridgeForSuite();
  const refusing = { unknownMembers: 'refuse', nestedGroups: 'refuse' };
  let count = 0;
  let name: string;

  beforeEach(async () => {
    count += 1;
    name = `person${count}`;
    await choose({ ...refusing, returning: 'conflict', match: ['userName', 'address'] });
  });

  async function choose(handling: JsonObject): Promise<void> {
    expect((await bridge.ops('POST', '/providers/default/change', handling)).status).toBe(200);
  }

  const off = replace('active', false);

  async function addInactive(change: JsonObject = {}): Promise<string> {
    const id = await bridge.addUser(name, change);
    await bridge.settled(bridge.patch(`/Users/${id}`, off));
    return id;
  }

  test('choices of the default provider are kept, shown by the command, and refused where they are none', async () => {
    await choose({ returning: 'restore', match: ['externalId'] });
    const shown = await runner(bridge)('provider', 'list', '--json');
    const chosen = { ...refusing, returning: 'restore', match: ['externalId'] };
    expect(JSON.parse(shown.text).items.at(-1)).toMatchObject({ name: 'default', ...chosen });
    const run = runner(bridge);
    const changed = await run('provider', 'change', 'default', '--unknown-members', 'skip');
    expect(changed).toMatchObject({ code: 0, text: expect.stringContaining('skip') });
    for (const wrong of [{ returning: 'maybe' }, { match: [] }, { match: ['name'] }])
      expect((await bridge.ops('POST', '/providers/default/change', wrong)).status).toBe(400);
    expect((await bridge.ops('POST', '/providers/default/change', { may: [] })).status).toBe(409);
    const explained = await bridge.ops('GET', `/explain/${await bridge.addUser(name)}`);
    expect(explained.body.handling).toMatchObject({ returning: 'restore', unknownMembers: 'skip' });
  });

  test('somebody who returns is a conflict that says so, or the same user again', async () => {
    const id = await addInactive({ externalId: 'e-1', title: 'Pilot' });
    const again = toUser(name, { externalId: 'e-1', nickName: 'N' });

    const refused = await bridge.request('POST', '/Users', again);
    expect(refused).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
    expect(refused.body.detail).toMatch(/inactive.*active to true/);

    await choose({ returning: 'restore' });
    const restored = await bridge.request('POST', '/Users', again);
    expect(restored).toMatchObject({ status: 201, body: { id, active: true, nickName: 'N' } });
    expect(restored.body).not.toHaveProperty('title');
    expect(bridge.sandbox.service.getUser(`${name}@example.com`).active).toBe(true);
    expect((await bridge.request('POST', '/Users', again)).status).toBe(409);
  });

  test('a rename by another creation is known by the externalId, and somebody else by another one', async () => {
    const id = await addInactive({ externalId: `x-${name}` });
    const renamed = { ...toUser(name), userName: `new-${name}`, externalId: `x-${name}` };

    const refused = await bridge.request('POST', '/Users', renamed);
    expect(refused.body.detail).toMatch(/e-mail address.*inactive/);
    await choose({ returning: 'restore' });
    const other = await bridge.request('POST', '/Users', { ...renamed, externalId: 'other' });
    expect(other.status).toBe(409);
    const body = { id, userName: `new-${name}`, active: true };
    expect(await bridge.request('POST', '/Users', renamed)).toMatchObject({ status: 201, body });
  });

  test('with match externalId a person is one though all names differ', async () => {
    const id = await bridge.addUser(name, { externalId: `m-${name}` });
    const same = toUser(`other-${name}`, { externalId: `m-${name}` });
    await choose({ match: ['externalId'] });
    expect((await bridge.request('POST', '/Users', same)).status).toBe(409);
    await bridge.patch(`/Users/${id}`, off);
    await choose({ returning: 'restore' });
    const found = await bridge.request('POST', '/Users', same);
    expect(found).toMatchObject({ status: 201, body: { id } });
  });

  test('an account is not taken over by what does not identify people', async () => {
    bridge.sandbox.service.addUser({ email: `${name}@example.com` });
    await choose({ match: ['externalId'] });
    expect((await bridge.request('POST', '/Users', toUser(name))).status).toBe(409);
  });

  test('unknown members and groups among members are refused with what they are, or skipped and counted', async () => {
    const [id, group] = [await bridge.addUser(name), await bridge.addGroup(`Inner ${name}`)];
    const path = `/Groups/${await bridge.addGroup(`Outer ${name}`)}`;
    const stranger = await bridge.tryPatch(path, admit(id, UNKNOWN));
    expect(stranger.body.detail).toBe('Value 2 of members is not the id of a User.');
    const nested = await bridge.tryPatch(path, admit(group, id));
    expect(nested.body.detail).toBe('Value 1 of members is the id of a Group, not of a User.');

    await choose({ unknownMembers: 'skip', nestedGroups: 'skip' });
    await bridge.patch(path, admit(id, UNKNOWN, group));
    expect(await bridge.readMemberIds(path.split('/')[2] ?? '')).toEqual([id]);
    const made = await bridge.send('POST', '/Groups', toGroup(`New ${name}`, [UNKNOWN, id]));
    expect(await bridge.readMemberIds(String(made.body.id))).toEqual([id]);
    const read = async () => (await bridge.ops('GET', '/requests?type=group')).text;
    await expect.poll(read).toContain('unknown-member-dropped');
    await expect.poll(read).toContain('nested-group-dropped');
  });

  test('the id of a deleted person is one of the successor: in addresses, members and filters', async () => {
    const old = await bridge.addUser(name, { externalId: `s-${name}` });
    await bridge.send('DELETE', `/Users/${old}`);
    const id = await bridge.addUser(name, { externalId: `s-${name}` });
    expect(id).not.toBe(old);
    const group = await bridge.addGroup(`Crew ${name}`, [old]);

    expect(await bridge.readMemberIds(group)).toEqual([id]);
    expect((await bridge.send('GET', `/Users/${old}`)).body.id).toBe(id);
    expect(await bridge.find('/Users', `id eq "${old}"`)).toMatchObject([{ id }]);
    expect(await bridge.find('/Groups', `members.value eq "${old}"`)).toMatchObject([
      { id: group },
    ]);
    await bridge.patch(`/Groups/${group}`, dismiss(old));
    expect(await bridge.readMemberIds(group)).toEqual([]);
  });

  test('a recycled name passes no licence on, and operators are told', async () => {
    const old = await bridge.settled(
      bridge.addUser(name, {
        externalId: 'first',
        [USER_EXTENSION]: { appsPermissions: 5 },
      }),
    );
    await bridge.settled(bridge.send('DELETE', `/Users/${old}`));

    await bridge.settled(bridge.send('POST', '/Users', toUser(name, { externalId: 'second' })));

    const account = bridge.sandbox.service.getUser(`${name}@example.com`);
    expect(account).toMatchObject({ active: true, appsPermissions: 0 });
    expect((await bridge.request('GET', `/Users/${old}`)).status).toBe(404);
    await expect.poll(() => bridge.listReasons()).toContain('name-recycled');
  });
});

const RULES = [
  { membersOf: 'Pilots', appsPermissions: 1 },
  { adminsOf: 'Team', from: 'Team Admins' },
];

const disable = replace('active', false);

function readService({ sandbox }: TestBridge): unknown {
  const users = sandbox.service
    .users()
    .map(({ email, active, fullName }) => [email, active, fullName]);
  return [sandbox.calls.count({ mutating: true }), users, sandbox.service.members('Pilots')];
}

describe('who is let go', () => {
  const bridge = bridgeForSuite();

  test('stays in the service as it is, is nobody’s, and is taken over again by the next write', async () => {
    const okta = await makeProvider(bridge, 'okta');
    const entra = await makeProvider(bridge, 'entra');
    const ada = await okta.addUser('ada', { externalId: 'x', title: 'Pilot' });
    const bob = await okta.addUser('bob');
    const pilots = await okta.addGroup('Pilots', [ada, bob]);
    await bridge.untilSettled();
    const before = readService(bridge);

    const user = await bridge.ops('POST', `/users/${ada}/release`);
    const group = await bridge.ops('POST', `/groups/${pilots}/release`);
    await bridge.sweep();

    expect([user.status, group.status]).toEqual([200, 200]);
    expect(user.body).toMatchObject({
      id: ada,
      origin: null,
      provider: null,
      pending: [],
      dueAt: null,
    });
    expect(group.body).toMatchObject({ id: pilots, origin: null, provider: null });
    expect(readService(bridge)).toEqual(before);
    expect(await okta.readMemberIds(pilots)).toEqual([ada, bob].toSorted());
    const shown = (await okta.send('GET', `/Users/${ada}`)).body;
    expect(shown).toMatchObject({ userName: 'ada@example.com', active: true });
    expect(shown).not.toHaveProperty('externalId');
    expect(shown).not.toHaveProperty('title');
    expect(await bridge.listDrifts()).toEqual([]);
    // Another provider may have the person now.
    await entra.patch(`/Users/${ada}`, disable);
    await bridge.untilSettled();
    expect(toOwner(await okta.request('DELETE', `/Users/${ada}`))).toBe('entra');
    expect(Object((await bridge.ops('GET', `/acts?target=${ada}`)).body.items)).toMatchObject([
      { act: 'release', before: { provider: 'okta' }, after: { provider: null } },
    ]);
    const timeline = await bridge.ops('GET', `/users/${ada}/timeline`);
    expect(JSON.stringify(timeline.body)).toContain(': release');
  });

  test('ends a difference that nobody would repair any more', async () => {
    const ada = await bridge.settled(bridge.addUser('eve'));
    bridge.sandbox.service.updateUser('eve@example.com', { active: false });
    await bridge.sweep();
    const before = await bridge.listDrifts();

    await bridge.ops('POST', `/users/${ada}/release`);
    await bridge.sweep();

    expect([before, await bridge.listDrifts()]).toEqual([['user.deactivated eve@example.com'], []]);
    expect((await bridge.send('GET', `/Users/${ada}`)).body).toMatchObject({ active: false });
  });

  test('is nobody of whom something waits, who is not managed, or whom the service does not have', async () => {
    const ada = await bridge.addUser('fay');
    const vera = await bridge.settled(bridge.addUser('vera', { active: false }));
    await bridge.ops('POST', '/pause', { reason: 'a test' });
    await bridge.patch(`/Users/${ada}`, disable);
    const ask = async (id: string) => {
      const { status, body } = await bridge.ops('POST', `/users/${id}/release`);
      return [status, body.code];
    };

    expect(await ask(ada)).toEqual([409, 'waits']);
    expect(await ask(vera)).toEqual([409, 'not-in-service']);
    expect(await ask('nobody')).toEqual([404, 'not-found']);
    await bridge.settled(bridge.ops('POST', '/resume'));
    expect((await ask(ada))[0]).toBe(200);
    expect(await ask(ada)).toEqual([409, 'unmanaged']);
  });

  test('is nobody whose removal a plan holds until an operator decides', async () => {
    const bridge = await bridgeForTest({
      settings: { LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' },
    });
    const [first = '', second = ''] = await bridge.settled(bridge.addUsers(2));
    await bridge.settled(bridge.patch(`/Users/${first}`, disable));
    await bridge.settled(bridge.patch(`/Users/${second}`, disable));
    const held = await bridge.ops('GET', '/plans?status=held');

    const { body } = await bridge.ops('POST', `/users/${second}/release`);

    expect(Object(held.body.items)).toHaveLength(1);
    expect(body).toMatchObject({ code: 'waits' });
  });

  test('is no group that rules draw on, because its end would change the service', async () => {
    const bridge = await bridgeForTest({ settings: { RULES: JSON.stringify(RULES) } });
    const ada = await bridge.addUser('ada');
    const ask = async (name: string) => {
      const id = await bridge.settled(bridge.addGroup(name, [ada]));
      const { body } = await bridge.ops('POST', `/groups/${id}/release`);
      return body.code ?? body.origin;
    };

    const told = [await ask('Pilots'), await ask('Team Admins'), await ask('Team')];

    expect(told).toEqual(['ruled', 'ruled', 'ruled']);
    expect(await ask('Crew')).toBeNull();
  });
});
