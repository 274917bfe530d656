import { describe, expect, test } from 'vitest';
import type { SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { toObjects } from '../support/operator.ts';
import { admit, replace, toUser } from '../support/provider.ts';

const seed: SandboxOptions = { seed: { users: 2, groups: 2 } };
const setFamilyName = (value: string) => replace('name.familyName', value);

const listNames = async (bridge: TestBridge, path: string) =>
  (await bridge.listOps(path)).map(({ name }) => name);

describe('people and groups for operators', () => {
  const bridge = bridgeForSuite({ sandbox: seed });

  test('each shows its ids, how it is managed, what waits, what failed, and what only the bridge keeps', async () => {
    const id = await bridge.addUser('ada', { externalId: 'x-1', nickName: 'Ada' });
    const pilots = await bridge.settled(bridge.addGroup('Pilots', [id]));
    await bridge.ops('POST', '/pause');
    await bridge.patch(`/Users/${id}`, setFamilyName('Lovelace'));
    const bob = await bridge.addUser('bob');
    await bridge.patch(`/Groups/${pilots}`, admit(bob));
    const moment = expect.stringMatching(/^20.*Z$/);
    const { body: ada } = await bridge.ops('GET', `/users/${id}`);
    const { body: group } = await bridge.ops('GET', `/groups/${pilots}`);

    expect(ada).toEqual({
      ...{ id, name: 'ada@example.com' },
      upstreamId: bridge.sandbox.service.getUser('ada@example.com').id,
      ...{ origin: 'created', provider: 'default', staged: null, deleted: false },
      version: expect.any(Number),
      ...{ createdAt: moment, modifiedAt: moment, seenAt: moment, dueAt: moment },
      active: { desired: true, observed: true },
      pending: ['name'],
      bridgeOnly: expect.arrayContaining(['externalId', 'nickName']),
      ...{ attempts: 0, problem: null, stuckSince: null, drifts: 0, disputed: false },
    });
    expect(group).toMatchObject({
      ...{ name: 'Pilots', origin: 'created', provider: 'default' },
      upstreamIds: { uid: bridge.sandbox.service.getGroup('Pilots').uid },
      pending: ['members'],
    });
    const unknown = { status: 404, body: { code: 'not-found' } };
    expect(await bridge.ops('GET', `/users/${pilots}`)).toMatchObject(unknown);
    await bridge.settled(bridge.ops('POST', '/resume'));
    const done = { pending: [], dueAt: null };
    expect((await bridge.ops('GET', `/users/${id}`)).body).toMatchObject(done);
  });

  test('somebody is found by any id, whole: of SCIM, of the provider, of the service', async () => {
    const { service } = bridge.sandbox;
    const fay = await bridge.addUser('fay', { externalId: 'external-of-fay' });
    const pilots = await bridge.settled(bridge.addGroup('Found', [fay]));
    const { upstreamIds } = Object((await bridge.ops('GET', `/groups/${pilots}`)).body);

    for (const id of [fay, service.getUser('fay@example.com').id, 'external-of-fay'])
      expect(await listNames(bridge, `/users?q=${id}`), `${id}`).toEqual(['fay@example.com']);
    const known = Object.values(upstreamIds).filter((id) => id !== null);
    expect(known.length).toBeGreaterThan(0);
    for (const id of [pilots, ...known])
      expect(await listNames(bridge, `/groups?q=${id}`), `${id}`).toEqual(['Found']);
    expect(await listNames(bridge, `/users?q=${fay.slice(0, 8)}`)).toEqual([]);
  });

  test('lists are filtered and paged, and whatever is not known is refused instead of listing everything', async () => {
    const bridge = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '50ms' }, sandbox: seed });
    const { service, faults } = bridge.sandbox;
    const [ada, gone] = await bridge.addPeople('ada', 'gone');
    await bridge.settled(bridge.send('DELETE', `/Users/${gone}`));
    service.updateUser('ada@example.com', { active: false });
    await bridge.sweep();
    faults.add({ operation: 'scim.addUser', fault: failing(503) });
    const late = bridge.request('POST', '/Users', toUser('late'));
    const torn = toUser('user00001', { emails: [{ value: 'user00002@example.com' }] });
    expect((await bridge.request('POST', '/Users', torn)).status).toBe(409);
    await late;

    const lists: Record<string, string[]> = {
      '/users': ['owner', 'user00001', 'user00002', 'ada@example.com', 'late@example.com'],
      '/users?managed=true': ['ada@example.com', 'late@example.com'],
      '/users?managed=false&q=USER0000': ['user00001', 'user00002'],
      '/users?due=true': ['late@example.com'],
      '/users?drifted=true&managed=true': ['ada@example.com'],
      '/users?deleted=true': ['gone@example.com'],
      '/users?stuck=true': [],
      '/users?q=%25': [],
      '/groups?managed=false&q=group': ['Group 001', 'Group 002'],
      '/users?disputed=true': ['user00001'],
    };
    for (const [path, names] of Object.entries(lists))
      expect(await listNames(bridge, path), path).toEqual(names);
    const pages: unknown[] = [];
    for (let cursor: unknown = '0'; cursor !== null; ) {
      const { body } = await bridge.ops('GET', `/users?limit=2&cursor=${cursor}`);
      pages.push(...toObjects(body.items).map(({ id }) => id));
      cursor = body.nextCursor;
    }
    expect(pages).toHaveLength(5);
    expect(pages).toContain(ada);
    const wrong = 'managed=yes limit=0 limit=1001 cursor=x q= name=ada due=true&due=true'.split(
      ' ',
    );
    const paths = ['/users', '/groups', '/drifts', '/sweeps', '/plans/first-run'];
    const queries = paths.flatMap((path) => wrong.map((query) => `${path}?${query}`));
    for (const query of queries) {
      const { status, body } = await bridge.ops('GET', query);
      expect([status, body.code], query).toEqual([400, 'invalid']);
    }
  });

  test('an operator takes over an account and a group as they are, once, and nothing is sent', async () => {
    const { calls } = bridge.sandbox;
    const person = await bridge.findId({ type: 'Users', name: 'user00001' });
    const group = await bridge.findId({ type: 'Groups', name: 'Group 001' });
    const members = await bridge.readMemberIds(group);
    calls.reset();
    const adopted = await bridge.ops('POST', `/users/${person}/adopt`);
    const again = await bridge.ops('POST', `/users/${person}/adopt`);
    const adoptedGroup = await bridge.settled(bridge.ops('POST', `/groups/${group}/adopt`, {}));

    const active = { desired: true, observed: true };
    const asItIs = { id: person, origin: 'adopted', pending: [], active };
    expect(adopted).toMatchObject({ status: 200, body: asItIs });
    expect(again).toMatchObject({ status: 409, body: { code: 'managed' } });
    expect(adoptedGroup).toMatchObject({ status: 200, body: { origin: 'adopted', pending: [] } });
    expect(calls.count({ mutating: true })).toBe(0);
    expect(await bridge.readMemberIds(group)).toEqual(members);
    await bridge.sweep();
    const open = await bridge.listOps('/unmanaged?status=open');
    const names = open.map(({ resource }) => Object(resource).name);
    expect(names).toContain('user00002');
    expect(names).not.toContain('user00001');
    expect(names).not.toContain('Group 001');
    expect((await bridge.request('POST', '/Users', toUser('user00001'))).status).toBe(409);
    await bridge.settled(bridge.patch(`/Users/${person}`, setFamilyName('Adopted')));
    expect(bridge.sandbox.service.getUser('user00001@example.com').fullName).toMatch(/Adopted$/);
  });

  test('who is privileged is refused with the reason, and taken over when that is said; protection stays', async () => {
    const { service } = bridge.sandbox;
    service.createGroup({ name: 'Board', permissions: 16 });
    service.createGroup({ name: 'Staff' });
    service.link('Staff', 'user00001@example.com', 'admin');
    await bridge.sweep();
    const owner = await bridge.findId({ type: 'Users', name: 'owner' });
    const board = await bridge.findId({ type: 'Groups', name: 'Board' });
    const staff = await bridge.findId({ type: 'Groups', name: 'Staff' });
    const paths = [`/users/${owner}`, `/groups/${board}`, `/groups/${staff}`];
    const refused = await Promise.all(paths.map((path) => bridge.ops('POST', `${path}/adopt`)));
    const wrong = await bridge.ops('POST', `/users/${owner}/adopt`, { privileged: 'yes' });
    const unknown = await bridge.ops('POST', '/users/nobody/adopt');
    const adopt = (path: string) => bridge.ops('POST', `${path}/adopt`, { privileged: true });
    const adopted = await Promise.all(paths.map(adopt));

    const privileged = paths.map(() => [403, 'privileged']);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(privileged);
    expect(refused[2]?.body.message).toMatch(/^The group has admins\./);
    expect(wrong.status).toBe(400);
    expect(unknown.status).toBe(404);
    const takenOver = paths.map(() => [200, 'adopted']);
    expect(adopted.map(({ status, body }) => [status, body.origin])).toEqual(takenOver);
    expect((await bridge.request('DELETE', `/Users/${owner}`)).status).toBe(403);
  });

  test('scim-bridge adopt takes over by name, and says why not', async () => {
    bridge.sandbox.service.createGroup({ name: 'Wheel', permissions: 16 });
    await bridge.sweep();
    const run = (...args: string[]) => runner(bridge)('adopt', ...args);
    const text = expect.stringMatching(/^user user00002 \(.*\) is managed now\n$/);

    expect(await run('user00002@example.com')).toMatchObject({ code: 0, text });
    expect(await run('Group 002')).toMatchObject({ code: 0 });
    expect((await run('Wheel')).err).toMatch(/With --privileged it is .* answered 403/);
    expect(await run('Wheel', '--privileged', '--yes')).toMatchObject({ code: 0 });
    expect(await run('nobody')).toMatchObject({ code: 1, text: expect.stringContaining('404') });
  });
});
