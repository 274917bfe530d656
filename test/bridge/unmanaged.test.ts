import { beforeAll, describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { readMetrics } from '../support/metrics.ts';
import { admit, replace, toGroup, toPatch, toUser } from '../support/provider.ts';
import { tamperWith, withEntries } from '../support/tampering-proxy.ts';

const [boss, clerk] = ['boss@example.com', 'clerk@example.com'];

async function startLaggingService() {
  const sandbox = await forTest(startSandbox());
  sandbox.service.addUser({ email: boss, role: 1 });
  sandbox.service.addUser({ email: clerk });
  const proxy = await forTest(tamperWith(sandbox));
  const isLagging = (url: URL) =>
    url.pathname.endsWith('/company/users') && !url.searchParams.get('query');
  const leaveOut = withEntries((entries) =>
    entries.filter((entry) => ![boss, clerk].includes(String(Object(entry).email))),
  );
  proxy.setTamper((url, body) => (isLagging(url) ? leaveOut(body) : body));
  return proxy.service;
}

const STRANGERS = ['stranger1@elsewhere.example', 'stranger2@elsewhere.example'];

const bridge = bridgeForSuite();
beforeAll(async () => {
  const { service } = bridge.sandbox;
  await bridge.addUsers(2);
  for (const email of STRANGERS) service.addUser({ email, userName: email });
  service.createGroup({ name: 'Skunks', permissions: 1 });
  service.updateUser('person1@example.com', { active: false });
  await bridge.sweep();
  service.updateUser('person2@example.com', { active: false });
  await bridge.sweep();
});

async function list(path: string) {
  return (await bridge.listOps(path)).map(({ id, resource, name, privileged }) => ({
    ...{ id: String(id), name: String(Object(resource).name ?? name), privileged },
  }));
}

async function listNames(path: string): Promise<string[]> {
  return (await list(path)).map(({ name }) => name);
}

async function countInMetrics(): Promise<number> {
  const open = [...(await readMetrics(bridge))].filter(([name]) => /^drift\{.*"open"/.test(name));
  return open.reduce((sum, [, count]) => sum + count, 0);
}

test('what is unmanaged has a list of its own, and every count of drifts leaves it out', async () => {
  const drifted = ['person2@example.com', 'person1@example.com'];
  expect(await listNames('/drifts?status=undecided')).toEqual(drifted);
  expect(await listNames('/drifts?order=oldest')).toEqual(drifted.toReversed());
  expect(await listNames('/drifts?q=SON1')).toEqual(['person1@example.com']);
  expect(await listNames('/users?drifted=true')).toEqual(drifted.toReversed());
  expect(await countInMetrics()).toBe(2);
  const status = Object((await bridge.ops('GET', '/status')).body);
  expect(status.drifts).toMatchObject([{ kind: 'user.deactivated', count: 2 }]);
  expect((await bridge.ops('GET', '/drifts?kind=user.unmanaged')).status).toBe(400);

  expect(status.unmanaged).toBe(4);
  expect(await listNames('/unmanaged?q=elsewhere&order=oldest')).toEqual(STRANGERS);
  expect(await listNames('/unmanaged?kind=group.unmanaged')).toEqual(['Skunks']);
  const privileged = (await list('/unmanaged')).filter((one) => one.privileged !== null);
  expect(privileged.map(({ name }) => name).toSorted()).toEqual(['Skunks', 'owner']);
});

test('a dry run says of each one what the act does: accept takes nobody over, and a takeover leaves who is privileged', async () => {
  const unmanaged = await list('/unmanaged?status=undecided');
  const [stranger] = unmanaged.filter(({ name }) => name === STRANGERS[0]);
  const [drift] = await list('/drifts?status=undecided');
  const some = [...unmanaged.filter(({ name }) => name !== STRANGERS[1]), drift];
  const ids = some.map((one) => one?.id ?? '');
  const decide = async (decision: string, dryRun: boolean) => {
    const body = { decision, ids: [...ids, 'nobody'], dryRun };
    return Object((await bridge.ops('POST', '/drifts/decide', body)).body);
  };
  for (const decision of ['adopt', 'accept']) {
    const { dryRun: _, ...told } = await decide(decision, true);
    const isLeft = ({ id }: { id: string }) => decision === 'adopt' || id !== stranger?.id;
    expect(await list('/unmanaged?status=undecided')).toEqual(unmanaged.filter(isLeft));
    expect(await decide(decision, false)).toEqual({ dryRun: false, ...told });
    expect(told.done, decision).toBe(1);
  }
  expect(await listNames('/users?managed=true&q=elsewhere')).toEqual([STRANGERS[0]]);
});

test('`scim-bridge unmanaged` lists and takes over after a question that says so; `drifts accept` refuses', async () => {
  const person = runner(bridge, { answer: 'y' });
  const [left] = await list(`/unmanaged?status=undecided&q=${STRANGERS[1]}`);
  const [owner] = await list('/unmanaged?q=owner');
  const ids = [left?.id ?? '', owner?.id ?? ''];
  expect((await person('unmanaged')).text).toContain('The account is an owner of the company.');

  const refused = await person('drifts', 'accept', '--dry-run', ...ids);
  expect(refused.text).toContain('0 can be accepted, 2 not.');
  expect(refused.text).toContain('It is unmanaged: take it over instead.');
  const { text, asked, code } = await person('unmanaged', 'adopt', ...ids);
  const question = /^Take them over\? Providers may change and deact/;
  expect(asked).toEqual([expect.stringMatching(question)]);
  for (const part of ['1 can be taken over, 1 not.', '\n1 taken over'])
    expect(text).toContain(part);
  expect(code).toBe(1);
  const { text: none } = await person('unmanaged', '--search', 'elsewhere');
  expect(none).toContain('There is nothing to list');
});

const ghost = { email: 'ghost@example.com', userName: 'ghost', fullName: 'A Ghost', virtual: true };
const countFound = async (bridge: TestBridge, type: 'Users' | 'Groups', filter = 'id pr') =>
  (await bridge.find(`/${type}`, filter)).length;

test('somebody unmanaged whom the service deleted is in no list, filter, group and uniqueness any more once a sweep missed them and a look said so', async () => {
  const bridge = await bridgeForTest();
  const { service, calls } = bridge.sandbox;
  service.addUser(ghost);
  service.createGroup({ name: 'Crew' });
  service.link('Crew', ghost.email);
  await bridge.sweep();
  const id = await bridge.findId({ type: 'Users', name: 'ghost' });
  const group = await bridge.findId({ type: 'Groups', name: 'Crew' });
  const pilots = await bridge.addGroup('Pilots', [id]);
  const before = await countFound(bridge, 'Users');
  const etags = await readEtags(bridge, [group, pilots]);

  service.removeUser(ghost.email);
  calls.reset();
  await bridge.sweep();
  const after = await countFound(bridge, 'Users');

  expect(after).toBe(before - 1);
  expect(calls.count({ operation: 'scim.getUser' })).toBeLessThanOrEqual(3);
  expect(await countFound(bridge, 'Users', 'userName eq "ghost"')).toBe(0);
  expect(await countFound(bridge, 'Groups', `members.value eq "${id}"`)).toBe(0);
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', toPatch(replace('active', false))],
    ['PUT', toUser('ghost')],
    ['DELETE', undefined],
  ] as const)
    expect((await bridge.request(method, `/Users/${id}`, body)).status).toBe(404);
  for (const each of [group, pilots])
    expect((await bridge.send('GET', `/Groups/${each}`)).body.members ?? []).toEqual([]);
  const changed = await readEtags(bridge, [group, pilots]);
  expect(changed.map((etag, index) => etag === etags[index])).toEqual([false, false]);
  expect(await bridge.addUser('ghost', { userName: 'ghost' })).not.toBe(id);
});

test.each([
  ['a new name', 'PATCH', toPatch(replace('name.givenName', 'Zoe'))],
  ['a PUT', 'PUT', toUser('zoe', { userName: 'ghost' })],
])(
  '%s of somebody unmanaged who is gone is answered with 404, and makes nobody',
  async (_, method, body) => {
    const bridge = await bridgeForTest({ prepare: ({ service }) => service.addUser(ghost) });
    const id = await bridge.findId({ type: 'Users', name: 'ghost' });
    const pilots = await bridge.addGroup('Pilots', [id]);
    const etags = await readEtags(bridge, [pilots]);
    bridge.sandbox.service.removeUser(ghost.email);
    const answer = await bridge.settled(bridge.request(method, `/Users/${id}`, body));

    expect(answer.status).toBe(404);
    expect((await bridge.request('GET', `/Users/${id}`)).status).toBe(404);
    expect((await bridge.send('GET', `/Groups/${pilots}`)).body.members ?? []).toEqual([]);
    expect(await readEtags(bridge, [pilots])).not.toEqual(etags);
    expect(bridge.sandbox.service.users()).toHaveLength(1);
    expect(await bridge.addUser('ghost', { userName: 'ghost' })).not.toBe(id);
  },
);

test('an unmanaged group that the service deleted answers a write with 404 as soon as the service says so, and its name is free', async () => {
  const bridge = await bridgeForTest({ settings: { GROUPS_ADOPT_ON_DELETE: 'yes' } });
  const { service } = bridge.sandbox;
  const ada = await bridge.addUser('ada');
  for (const name of ['Board', 'Crew', 'Cooks', 'Pilots', 'Guests']) service.createGroup({ name });
  await bridge.sweep();
  const find = (name: string) => bridge.findId({ type: 'Groups', name });
  const ids = [await find('Crew'), await find('Cooks'), await find('Guests')];
  for (const name of ['Crew', 'Cooks', 'Pilots', 'Guests']) service.deleteGroup(name);

  const answers = [
    await bridge.tryPatch(`/Groups/${ids[0]}`, admit(ada)),
    await bridge.request('PUT', `/Groups/${ids[1]}`, toGroup('Cooks', [ada])),
    await bridge.request('DELETE', `/Groups/${ids[2]}`),
    await bridge.request('POST', '/Groups', toGroup('Pilots', [ada])),
  ];

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 201]);
  expect(service.members('Pilots')).toEqual(['ada@example.com']);
  expect(await countFound(bridge, 'Groups')).toBe(2);
});

async function readEtags(bridge: TestBridge, ids: readonly string[]): Promise<unknown[]> {
  const groups = await Promise.all(ids.map((id) => bridge.send('GET', `/Groups/${id}`)));
  return groups.map(({ body }) => Object(body.meta).version);
}

const LIST = 'companyUsers.getListOfUsers';

describe('an account whose role no list has told', () => {
  const start = async (settings = {}) => {
    const service = await startLaggingService();
    return bridgeForTest({ service, settings: { USERS_ADOPT_ON_DELETE: 'yes', ...settings } });
  };

  test.each([
    ['POST', 409],
    ['DELETE', 403],
  ])('is looked up before %s: an owner is not taken over', async (method, status) => {
    const bridge = await start();
    const { service, calls } = bridge.sandbox;
    const id = await bridge.findId({ type: 'Users', name: 'boss' });
    calls.reset();

    const path = method === 'POST' ? '/Users' : `/Users/${id}`;
    const body = method === 'POST' ? toUser('boss') : undefined;
    const answer = await bridge.request(method, path, body);
    const again = await bridge.request(method, path, body);

    expect([answer.status, again.status]).toEqual([status, status]);
    expect(answer.body.detail).toContain('owner');
    expect(calls.counts()).toEqual({ [LIST]: { 200: 1 } });
    expect(service.getUser(boss).active).toBe(true);
    expect((await bridge.ops('GET', `/users/${id}`)).body.origin).toBeNull();
  });

  test('is neither taken over nor changed while the service cannot tell', async () => {
    const bridge = await start({ UPSTREAM_TIMEOUT: '1s' });
    const { service, faults } = bridge.sandbox;
    const id = await bridge.findId({ type: 'Users', name: 'clerk' });
    faults.add({ operation: LIST, fault: failing(500) });

    const answer = await bridge.tryPatch(`/Users/${id}`, replace('active', false));

    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toBe('30');
    expect(service.getUser(clerk).active).toBe(true);
    expect((await bridge.ops('GET', `/users/${id}`)).body.origin).toBeNull();
    const adoption = await bridge.ops('POST', `/users/${id}/adopt`);
    expect(adoption).toMatchObject({ status: 503, body: { code: 'could-not-look' } });
  });
});

test('an account or group that an operator has to decide about is refused, recorded once and left alone', async () => {
  const bridge = await bridgeForTest({
    settings: { USERS_ADOPT: 'ask', GROUPS_ADOPT: 'ask' },
    sandbox: { seed: { users: 1, groups: 1 } },
  });
  const { request, sandbox } = bridge;
  sandbox.calls.reset();
  for (const [path, body] of [
    ['/Users', toUser('user00001')],
    ['/Groups', toGroup('Group 001')],
  ] as const) {
    for (const _ of [1, 2]) {
      const answer = await request('POST', path, body);
      expect(answer).toMatchObject({ status: 409, body: { scimType: 'uniqueness' } });
      expect(answer.body.detail).toContain('An operator has to decide');
    }
  }
  const { body } = await bridge.ops('GET', '/status');
  const disputes: { type: string; count: number }[] = Object(body.disputes);
  const told = disputes.map(({ type, count }) => `${type} ${count}`);
  expect(told.toSorted()).toEqual(['group 2', 'user 2']);
  expect(sandbox.calls.count({ mutating: true })).toBe(0);
});

test('who was in an adopted group before the bridge asked stays when the group is let go', async () => {
  const bridge = await bridgeForTest();
  const { service } = bridge.sandbox;
  service.createGroup({ name: 'Old' });
  await bridge.sweep();
  const [first, second] = await bridge.addPeople('first', 'second');
  const group = await bridge.findId({ type: 'Groups', name: 'Old' });
  const address = (name: string) => service.users().find((u) => u.email.startsWith(name))?.email;
  service.link('Old', address('first') ?? '');

  for (const id of [first, second]) await bridge.patch(`/Groups/${group}`, admit(id));
  expect(service.members('Old')).toHaveLength(2);
  await bridge.send('DELETE', `/Groups/${group}`);

  await expect.poll(() => service.members('Old')).toEqual([address('first')]);
});
