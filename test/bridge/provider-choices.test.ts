import { beforeEach, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { forSuite } from '../support/lifetimes.ts';
import { replace, toGroup, toMembers, toPatch, toUser } from '../support/provider.ts';

const UNKNOWN = '01890000-0000-7000-8000-000000000000';

const bridge = forSuite(() => startTestBridge({}));
let count = 0;
let name: string;

beforeEach(async () => {
  count += 1;
  name = `person${count}`;
  await choose({
    returning: 'conflict',
    unknownMembers: 'refuse',
    nestedGroups: 'refuse',
    match: ['userName', 'address'],
  });
});

async function choose(handling: JsonObject): Promise<void> {
  const { status } = await bridge.ops('POST', '/providers/default/change', handling);
  expect(status).toBe(200);
}

const off = toPatch(replace('active', false));

/** A person whom the provider made and deactivated. */
async function addInactive(change: JsonObject = {}): Promise<string> {
  const id = await bridge.addUser(name, change);
  await bridge.send('PATCH', `/Users/${id}`, off);
  await bridge.untilSettled();
  return id;
}

test('choices of the default provider are kept, shown by the command, and refused where they are none', async () => {
  await choose({ returning: 'restore', match: ['externalId'] });
  const shown = await runner(bridge)('provider', 'list', '--json');
  expect(JSON.parse(shown.text).items.at(-1)).toMatchObject({
    ...{ name: 'default', returning: 'restore', unknownMembers: 'refuse', nestedGroups: 'refuse' },
    match: ['externalId'],
  });
  const run = runner(bridge);
  const changed = await run('provider', 'change', 'default', '--unknown-members', 'skip');
  expect(changed).toMatchObject({ code: 0, text: expect.stringContaining('skip') });
  for (const wrong of [{ returning: 'maybe' }, { match: [] }, { match: ['name'] }]) {
    const { status } = await bridge.ops('POST', '/providers/default/change', wrong);
    expect(status).toBe(400);
  }
  const { status } = await bridge.ops('POST', '/providers/default/change', { may: [] });
  expect(status).toBe(409);
  const id = await bridge.addUser(name);
  const explained = await bridge.ops('GET', `/explain/${id}`);
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
  const answer = await bridge.request('POST', '/Users', renamed);
  expect(answer).toMatchObject({
    status: 201,
    body: { id, userName: `new-${name}`, active: true },
  });
});

test('with match externalId a person is one though all names differ', async () => {
  const id = await bridge.addUser(name, { externalId: `m-${name}` });
  const same = toUser(`other-${name}`, { externalId: `m-${name}` });
  await choose({ match: ['externalId'] });
  expect((await bridge.request('POST', '/Users', same)).status).toBe(409);
  await bridge.send('PATCH', `/Users/${id}`, off);
  await choose({ returning: 'restore' });
  expect(await bridge.request('POST', '/Users', same)).toMatchObject({ status: 201, body: { id } });
});

test('an account is not taken over by what does not identify people', async () => {
  bridge.sandbox.service.addUser({ email: `${name}@example.com` });
  await choose({ match: ['externalId'] });
  const { status } = await bridge.request('POST', '/Users', toUser(name));
  expect(status).toBe(409);
});

test('unknown members and groups among members are refused with what they are, or skipped and counted', async () => {
  const [id, group] = [await bridge.addUser(name), await bridge.addGroup(`Inner ${name}`)];
  const path = `/Groups/${await bridge.addGroup(`Outer ${name}`)}`;
  const add = (...ids: string[]) => toPatch({ op: 'add', path: 'members', value: toMembers(ids) });

  const stranger = await bridge.request('PATCH', path, add(id, UNKNOWN));
  expect(stranger.body.detail).toBe('Value 2 of members is not the id of a User.');
  const nested = await bridge.request('PATCH', path, add(group, id));
  expect(nested.body.detail).toBe('Value 1 of members is the id of a Group, not of a User.');

  await choose({ unknownMembers: 'skip', nestedGroups: 'skip' });
  await bridge.send('PATCH', path, add(id, UNKNOWN, group));
  expect(await bridge.readMemberIds(path.split('/')[2] ?? '')).toEqual([id]);
  const made = await bridge.send('POST', '/Groups', toGroup(`New ${name}`, [UNKNOWN, id]));
  expect(await bridge.readMemberIds(String(made.body.id))).toEqual([id]);
  const all = await bridge.ops('GET', '/requests?type=group');
  await expect
    .poll(async () => JSON.stringify((await bridge.ops('GET', '/requests?type=group')).body))
    .toMatch(/unknown-member-dropped.*nested-group-dropped|nested-group-dropped.*unknown-member/s);
  expect(all.status).toBe(200);
});

test('the id of a deleted person is one of the successor: in addresses, members and filters', async () => {
  const old = await bridge.addUser(name, { externalId: `s-${name}` });
  await bridge.send('DELETE', `/Users/${old}`);
  const id = await bridge.addUser(name, { externalId: `s-${name}` });
  expect(id).not.toBe(old);
  const group = await bridge.addGroup(`Crew ${name}`, [old]);

  expect(await bridge.readMemberIds(group)).toEqual([id]);
  expect((await bridge.send('GET', `/Users/${old}`)).body.id).toBe(id);
  const find = async (path: string, filter: string) =>
    await bridge.list(`${path}?${new URLSearchParams({ filter })}`);
  expect(await find('/Users', `id eq "${old}"`)).toMatchObject([{ id }]);
  expect(await find('/Groups', `members.value eq "${old}"`)).toMatchObject([{ id: group }]);
  const leave = toPatch({ op: 'remove', path: `members[value eq "${old}"]` });
  await bridge.send('PATCH', `/Groups/${group}`, leave);
  expect(await bridge.readMemberIds(group)).toEqual([]);
});

test('a recycled name passes no licence on, and operators are told', async () => {
  const old = await bridge.addUser(name, {
    externalId: 'first',
    [USER_EXTENSION]: { appsPermissions: 5 },
  });
  await bridge.untilSettled();
  await bridge.send('DELETE', `/Users/${old}`);
  await bridge.untilSettled();

  await bridge.send('POST', '/Users', toUser(name, { externalId: 'second' }));
  await bridge.untilSettled();

  const account = bridge.sandbox.service.getUser(`${name}@example.com`);
  expect(account).toMatchObject({ active: true, appsPermissions: 0 });
  expect((await bridge.request('GET', `/Users/${old}`)).status).toBe(404);
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  expect(body.reasons).toContainEqual(expect.objectContaining({ code: 'name-recycled' }));
});
