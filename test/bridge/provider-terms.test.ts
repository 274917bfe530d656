import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForTest } from '../support/bridge.ts';
import { toObjects } from '../support/operator.ts';
import { admit, replace, toUser } from '../support/provider.ts';
import { makeProvider } from '../support/walled.ts';

/** A bridge with the provider okta, whose terms a test changes. */
async function setUp(terms: JsonObject, prepare?: TestBridgeOptions['prepare']) {
  const settings = { SCIM_WRITE_WAIT: '60s' };
  const bridge = await bridgeForTest({ settings, ...(prepare && { prepare }) });
  const okta = await makeProvider(bridge, 'okta', terms);
  const { service, calls } = bridge.sandbox;
  const choose = async (change: JsonObject) =>
    expect((await bridge.ops('POST', '/providers/okta/change', change)).status).toBe(200);
  const explain = async (type: 'users' | 'groups', key: string) =>
    (await bridge.ops('GET', `/${type}/${key}/explain`)).body;
  const listWrites = () => calls.recent().filter(({ method }) => method !== 'GET');
  return { bridge, okta, service, choose, explain, listWrites };
}

const OUTSIDE = { domains: ['example.com'], groupNames: ['Okta *'], outside: 'accept' };
const FAR = 'far@other.example';
const ACCOUNT = { email: FAR, userName: FAR, fullName: 'Far Away' };
const far = toUser('far', { userName: FAR, emails: [{ value: FAR }] });

test('who and what is outside the scope is accepted, shown, changed and deleted, and the service gets nothing of it', async () => {
  const { bridge, okta, explain, listWrites, service } = await setUp(OUTSIDE);
  const ada = await okta.addUser('ada');
  const out = String((await okta.send('POST', '/Users', far)).body.id);
  const group = await okta.addGroup('Elsewhere', [out, ada]);
  const inside = await okta.addGroup('Okta Pilots', [out, ada]);
  await bridge.untilSettled();
  expect(service.members('Okta Pilots')).toEqual(['ada@example.com']);

  const before = listWrites().length;
  await okta.patch(`/Users/${out}`, replace('title', 'Pilot'), replace('active', false));
  await okta.patch(`/Users/${out}`, replace('active', true));
  await okta.patch(`/Groups/${group}`, admit(ada));
  service.addUser(ACCOUNT);
  service.createGroup({ name: 'Elsewhere' });
  await bridge.sweep();
  await bridge.untilSettled();
  expect((await okta.send('GET', `/Users/${out}`)).body).toMatchObject({ title: 'Pilot' });
  expect(await okta.readMemberIds(group)).toEqual([out, ada].sort());
  expect(await explain('users', out)).toMatchObject({ staged: 'scope', upstream: null });
  expect(await explain('groups', group)).toMatchObject({ staged: 'scope', upstream: null });
  expect(await bridge.listDrifts()).toEqual([]);
  expect((await bridge.ops('GET', '/status')).body.staged).toBe(2);
  expect(await bridge.listOps('/users?staged=true')).toMatchObject([{ id: out }]);
  for (const path of [`/Users/${out}`, `/Groups/${group}`]) await okta.send('DELETE', path);
  await bridge.untilSettled();
  expect(listWrites().length).toBe(before);
  expect(service.members('Okta Pilots')).toEqual(['ada@example.com']);
  expect(await okta.readMemberIds(inside)).toEqual([ada]);
});

test('what was outside comes alive by a new name, and by a wider scope', async () => {
  const { bridge, okta, service, choose, explain } = await setUp(OUTSIDE);
  const ada = await okta.addUser('ada');
  const out = String((await okta.send('POST', '/Users', far)).body.id);
  const group = await okta.addGroup('Elsewhere', [out, ada]);
  await okta.patch(`/Groups/${group}`, replace('displayName', 'Okta Elsewhere'));
  await bridge.untilSettled();
  expect(service.members('Okta Elsewhere')).toEqual(['ada@example.com']);

  await choose({ domains: ['example.com', 'other.example'] });
  await bridge.untilSettled();
  expect(service.members('Okta Elsewhere')).toEqual(['ada@example.com', 'far@other.example']);
  expect(await explain('users', out)).toMatchObject({ staged: null });
});

test('an account outside the scope stays as it is, and what is managed does not leave the scope', async () => {
  const { bridge, okta, listWrites } = await setUp(
    OUTSIDE,
    ({ service }) => void service.addUser(ACCOUNT),
  );
  const id = await bridge.findId({ type: 'Users', name: FAR });
  const ada = await okta.addUser('ada');
  await bridge.untilSettled();
  const before = listWrites().length;
  const made = await okta.send('POST', '/Users', far);
  await okta.patch(`/Users/${id}`, replace('active', false));
  await okta.send('DELETE', `/Users/${id}`);
  const moved = await okta.tryPatch(`/Users/${ada}`, replace('userName', 'ada@other.example'));
  await bridge.untilSettled();

  expect([made.body.id, moved.status, listWrites().length]).toEqual([id, 403, before]);
  const shown = await okta.send('GET', `/Users/${id}`);
  expect(shown.body).toMatchObject({ active: true, name: { formatted: 'Far Away' } });
});

test('a provider that invites nobody waits for accounts that others make', async () => {
  const { bridge, okta, service, explain, choose } = await setUp({ invite: 'never' });
  const [ada, bob] = await okta.addPeople('ada', 'bob');
  const group = await okta.addGroup('Pilots', [ada, bob]);
  await bridge.sweep();
  await bridge.untilSettled();
  expect([service.users().length, service.members('Pilots')]).toEqual([1, []]);
  expect(await explain('users', ada)).toMatchObject({ staged: 'invite' });

  const email = 'ada@example.com';
  service.addUser({ email, userName: email, fullName: 'Ada Example' });
  await bridge.sweep();
  await expect.poll(() => service.members('Pilots')).toEqual([email]);
  expect(await explain('users', ada)).toMatchObject({ staged: null });
  await choose({ invite: 'onActivation' });
  await bridge.untilSettled();
  expect(service.members('Pilots')).toEqual([email, 'bob@example.com']);
  expect(await okta.readMemberIds(group)).toEqual([ada, bob].sort());
});

test('one provider is paused while others go on; what it asked for is made when it is live', async () => {
  const { bridge, okta, service, choose, explain } = await setUp({});
  const ada = await okta.addUser('ada');
  const group = await okta.addGroup('Pilots', [ada]);
  await bridge.untilSettled();
  await choose({ mode: 'paused' });
  await okta.patch(`/Users/${ada}`, replace('active', false));
  const bob = await okta.addUser('bob');
  await okta.patch(`/Groups/${group}`, admit(bob));
  await bridge.addUser('cat');

  const find = (name: string) =>
    service.users().find(({ email }) => email === `${name}@example.com`);
  expect([find('ada')?.active, find('bob'), find('cat')?.active]).toEqual([true, undefined, true]);
  expect(await explain('users', ada)).toMatchObject({ handling: { mode: 'paused' } });
  const { stopped } = (await bridge.ops('GET', '/status')).body;
  expect(stopped).toEqual([{ provider: 'okta', mode: 'paused' }]);
  await choose({ mode: 'live' });
  await bridge.untilSettled();
  expect(find('ada')?.active).toBe(false);
  expect(service.members('Pilots')).toEqual(['ada@example.com', 'bob@example.com']);
});

test('what an observed provider asked for is a plan once it is live, and nothing that another one asked for', async () => {
  const terms = { mode: 'observe', outside: 'accept', groupNames: ['Pilots'] };
  const { bridge, okta, service, choose } = await setUp(terms);
  await bridge.ops('POST', '/providers/default/change', { mode: 'paused' });
  await bridge.addUser('cat');
  const ada = await okta.addUser('ada');
  for (const name of ['Pilots', 'Elsewhere']) await okta.addGroup(name, [ada]);
  await bridge.untilSettled();
  await choose({ mode: 'live' });
  await bridge.untilSettled();
  expect(service.users().length).toBe(1);
  const [plan] = toObjects((await bridge.ops('GET', '/plans?status=held')).body.items);
  expect(plan).toMatchObject({ source: 'provider', counts: { total: 3 } });
  await bridge.ops('POST', `/plans/${plan?.id}/approve`, { hash: String(plan?.hash) });
  await expect.poll(() => service.findGroup('Pilots')).toBeDefined();
  await expect.poll(() => service.members('Pilots')).toEqual(['ada@example.com']);
  await choose({ outside: 'refuse' });
  await bridge.untilSettled();
  expect(service.members('Elsewhere')).toEqual(['ada@example.com']);
});

test('the deleted are out at once, and leave their groups after the grace; who returns has them', async () => {
  const { bridge, okta, service, choose, explain } = await setUp({ graceDays: 30 });
  const [ada, bob] = await okta.addPeople('ada', 'bob');
  const group = await okta.addGroup('Pilots', [ada, bob]);
  await bridge.untilSettled();
  for (const id of [ada, bob]) await okta.send('DELETE', `/Users/${id}`);
  await expect.poll(() => service.users().filter(({ active }) => active).length).toBe(1);
  await expect.poll(async () => (await explain('users', ada)).dueAt).toMatch(/^20/);
  expect([await okta.readMemberIds(group), service.members('Pilots').length]).toEqual([[], 2]);

  const erased = await bridge.ops('POST', `/users/${ada}/erase`, {});
  expect(erased).toMatchObject({ status: 409, body: { obstacles: [{ code: 'pending' }, {}] } });
  const back = await okta.addUser('ada');
  await choose({ graceDays: 0 });
  await expect.poll(() => service.members('Pilots')).toEqual(['ada@example.com']);
  expect(await okta.readMemberIds(group)).toEqual([back]);
});

test('a provider may send as many requests in a second as its terms say', async () => {
  const { okta, choose, bridge } = await setUp({});
  await choose({ requestsPerSecond: 1 });
  const answers = [await okta.request('GET', '/Users'), await okta.request('GET', '/Users')];
  expect(answers.map(({ status }) => status)).toEqual([200, 429]);
  expect((await bridge.request('GET', '/Users')).status).toBe(200);
});

test('what a paused provider asked for, and what was outside its scope, is made for the next provider', async () => {
  const { bridge, okta, service, choose } = await setUp({
    outside: 'accept',
    groupNames: ['No *'],
  });
  const ada = await okta.addUser('ada');
  await okta.addGroup('Pilots', [ada]);
  await bridge.untilSettled();
  await choose({ mode: 'paused' });
  await okta.patch(`/Users/${ada}`, replace('active', false));
  const { body } = await bridge.ops('POST', '/providers/okta/leave');
  await bridge.ops('POST', `/plans/${body.planId}/approve`, { hash: String(body.hash) });
  await expect.poll(() => service.getUser('ada@example.com').active).toBe(false);
  await expect.poll(() => service.findGroup('Pilots')).toBeDefined();
});

test.each([
  ['keep', { ada: true, provider: 'default' }],
  ['deactivate', { ada: false, provider: 'default' }],
  ['release', { ada: true, provider: null }],
] as const)('a provider leaves by one plan: %s', async (how, left) => {
  const { bridge, okta, service } = await setUp({});
  const ada = await okta.addUser('ada');
  const group = await okta.addGroup('Pilots', [ada]);
  await bridge.untilSettled();
  const { status, body } = await bridge.ops('POST', `/providers/okta/leave?how=${how}`);
  expect([status, body.counts]).toEqual([200, { 'handed-over': 2 }]);
  await bridge.ops('POST', `/plans/${body.planId}/approve`, { hash: String(body.hash) });
  const read = async () => (await bridge.ops('GET', `/plans/${body.planId}`)).body.status;
  await expect.poll(read).toBe('applied');
  await bridge.untilSettled();

  const all = [...(await bridge.listOps('/users')), ...(await bridge.listOps('/groups'))];
  const ours = all.filter(({ id }) => id === ada || id === group);
  expect(ours.map(({ provider }) => provider)).toEqual([left.provider, left.provider]);
  expect(service.getUser('ada@example.com').active).toBe(left.ada);
  expect(service.members('Pilots')).toEqual(['ada@example.com']);
  await bridge.ops('POST', '/tokens/okta-token/revoke');
  expect((await bridge.ops('POST', '/providers/okta/delete')).status).toBe(200);
});
