import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { replace, toGroup, toMembers, toPatch, toUser } from '../support/provider.ts';

const ghost = { email: 'ghost@example.com', userName: 'ghost', fullName: 'A Ghost', virtual: true };
const disable = toPatch(replace('active', false));

function rename(path: string, value: string): JsonObject {
  return toPatch(replace(path, value));
}

function addGhost({ service }: Sandbox): void {
  service.addUser(ghost);
}

async function countFound(
  bridge: TestBridge,
  type: 'Users' | 'Groups',
  filter = '',
): Promise<number> {
  const query = filter === '' ? '' : `?${new URLSearchParams({ filter })}`;
  return Number((await bridge.send('GET', `/${type}${query}`)).body.totalResults);
}

async function findIdOf(bridge: TestBridge, type: 'Users' | 'Groups', filter: string) {
  const { body } = await bridge.send('GET', `/${type}?${new URLSearchParams({ filter })}`);
  const [first] = Array.isArray(body.Resources) ? body.Resources : [];
  return String(Object(first).id);
}

describe('somebody unmanaged whom the service deleted', () => {
  test('is in no list, filter, group and uniqueness any more once a sweep missed them and a look said so', async () => {
    const world = {};
    const bridge = await forTest(startTestBridge(world));
    const { service, calls } = bridge.sandbox;
    service.addUser(ghost);
    service.createGroup({ name: 'Crew' });
    service.link('Crew', ghost.email);
    await bridge.sweep();
    const id = await findIdOf(bridge, 'Users', 'userName eq "ghost"');
    const group = await findIdOf(bridge, 'Groups', 'displayName eq "Crew"');
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
      ['PATCH', disable],
      ['PUT', toUser('ghost')],
      ['DELETE', undefined],
    ] as const) {
      expect((await bridge.request(method, `/Users/${id}`, body)).status).toBe(404);
    }
    for (const each of [group, pilots]) {
      expect((await bridge.send('GET', `/Groups/${each}`)).body.members ?? []).toEqual([]);
    }
    const changed = await readEtags(bridge, [group, pilots]);
    expect(changed.map((etag, index) => etag === etags[index])).toEqual([false, false]);
    const again = await bridge.addUser('ghost', { userName: 'ghost' });
    expect(again).not.toBe(id);
  });
});

const writes: readonly { what: string; method: string; body: JsonObject }[] = [
  { what: 'a new name', method: 'PATCH', body: rename('name.givenName', 'Zoe') },
  { what: 'a PUT', method: 'PUT', body: toUser('zoe', { userName: 'ghost' }) },
];
for (const { what, method, body } of writes) {
  test(`${what} of somebody unmanaged who is gone is answered with 404, and makes nobody`, async () => {
    const bridge = await forTest(startTestBridge({ prepare: addGhost }));
    const id = await findIdOf(bridge, 'Users', 'userName eq "ghost"');
    const pilots = await bridge.addGroup('Pilots', [id]);
    const etags = await readEtags(bridge, [pilots]);
    bridge.sandbox.service.removeUser(ghost.email);
    const answer = await bridge.request(method, `/Users/${id}`, body);
    await bridge.untilSettled();

    expect(answer.status).toBe(404);
    expect((await bridge.request('GET', `/Users/${id}`)).status).toBe(404);
    expect((await bridge.send('GET', `/Groups/${pilots}`)).body.members ?? []).toEqual([]);
    expect(await readEtags(bridge, [pilots])).not.toEqual(etags);
    expect(bridge.sandbox.service.users()).toHaveLength(1);
    expect(await bridge.addUser('ghost', { userName: 'ghost' })).not.toBe(id);
  });
}

describe('an unmanaged group that the service deleted', () => {
  test('answers a write with 404 as soon as the service says so, and its name is free', async () => {
    const adopting = { GROUPS_ADOPT_ON_DELETE: 'yes' };
    const world = { settings: { ...adopting } };
    const bridge = await forTest(startTestBridge(world));
    const { service } = bridge.sandbox;
    const ada = await bridge.addUser('ada');
    for (const name of ['Board', 'Crew', 'Cooks', 'Pilots', 'Guests'])
      service.createGroup({ name });
    await bridge.sweep();
    const find = (name: string) => findIdOf(bridge, 'Groups', `displayName eq "${name}"`);
    const ids = [await find('Crew'), await find('Cooks'), await find('Guests')];
    for (const name of ['Crew', 'Cooks', 'Pilots', 'Guests']) service.deleteGroup(name);
    const joining = toPatch({ op: 'add', path: 'members', value: toMembers([ada]) });

    const answers = [
      await bridge.request('PATCH', `/Groups/${ids[0]}`, joining),
      await bridge.request('PUT', `/Groups/${ids[1]}`, toGroup('Cooks', [ada])),
      await bridge.request('DELETE', `/Groups/${ids[2]}`),
      await bridge.request('POST', '/Groups', toGroup('Pilots', [ada])),
    ];

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 201]);
    expect(service.members('Pilots')).toEqual(['ada@example.com']);
    expect(await countFound(bridge, 'Groups')).toBe(2);
  });
});

async function readEtags(bridge: TestBridge, ids: readonly string[]): Promise<unknown[]> {
  const groups = await Promise.all(ids.map((id) => bridge.send('GET', `/Groups/${id}`)));
  return groups.map(({ body }) => Object(body.meta).version);
}
