import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { startTestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  send,
  toGroup,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { SWEEP_SETTINGS, sweep } from '../support/sweep.ts';
import { tamperWith, withEntries } from '../support/tampering-proxy.ts';

const settings = SWEEP_SETTINGS;
const ghost = { email: 'ghost@example.com', userName: 'ghost', fullName: 'A Ghost', virtual: true };
const disable = toPatch({ op: 'replace', path: 'active', value: false });

function rename(path: string, value: string): JsonObject {
  return toPatch({ op: 'replace', path, value });
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
  return Number((await send(bridge, 'GET', `/${type}${query}`)).body.totalResults);
}

async function findIdOf(bridge: TestBridge, type: 'Users' | 'Groups', filter: string) {
  const { body } = await send(bridge, 'GET', `/${type}?${new URLSearchParams({ filter })}`);
  const [first] = Array.isArray(body.Resources) ? body.Resources : [];
  return String(Object(first).id);
}

describe('somebody unmanaged whom the service deleted', () => {
  test('is in no list, filter, group and uniqueness any more once a sweep missed them and a look said so', async () => {
    const world = { settings: { ...settings } };
    await withTestBridge(world, async (bridge) => {
      const { service, calls } = bridge.sandbox;
      service.addUser(ghost);
      service.createGroup({ name: 'Crew' });
      service.addMember('Crew', ghost.email);
      await sweep(bridge);
      const id = await findIdOf(bridge, 'Users', 'userName eq "ghost"');
      const group = await findIdOf(bridge, 'Groups', 'displayName eq "Crew"');
      const pilots = await addGroup(bridge, 'Pilots', [id]);
      const before = await countFound(bridge, 'Users');
      const etags = await readEtags(bridge, [group, pilots]);

      service.removeUser(ghost.email);
      calls.reset();
      await sweep(bridge);
      const after = await countFound(bridge, 'Users');

      expect(after).toBe(before - 1);
      expect(calls.count({ operation: 'scim.getUser' })).toBeLessThanOrEqual(2);
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
        expect((await send(bridge, 'GET', `/Groups/${each}`)).body.members ?? []).toEqual([]);
      }
      const changed = await readEtags(bridge, [group, pilots]);
      expect(changed.map((etag, index) => etag === etags[index])).toEqual([false, false]);
      const again = await addUser(bridge, 'ghost', { userName: 'ghost' });
      expect(again).not.toBe(id);
    });
  });

  test('does not count as another owner, whom the company still has', async () => {
    const world = { settings: { ...settings } };
    await withTestBridge(world, async (bridge) => {
      const { service, faults } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      service.addUser(ghost);
      service.setRole('ada@example.com', 1);
      service.setRole(ghost.email, 1);
      service.setRole('owner@example.com', 2);
      await sweep(bridge);
      service.removeUser(ghost.email);
      // Not even while nobody can be sure.
      const failing = faults.add({
        operation: 'scim.getUser',
        fault: { kind: 'status', status: 500 },
      });
      await sweep(bridge);
      const unsure = await bridge.request('PATCH', `/Users/${id}`, disable);
      failing.remove();
      await sweep(bridge);
      const sure = await bridge.request('PATCH', `/Users/${id}`, disable);

      expect([unsure.status, sure.status]).toEqual([403, 403]);
      expect(service.getUser('ada@example.com').active).toBe(true);
    });
  });

  test('stays while nothing proves it: the list leaves them out, or no look can be made', async () => {
    const world = { settings: { ...settings } };
    await withTestBridge(world, async (bridge) => {
      const { service, faults } = bridge.sandbox;
      service.addUser(ghost);
      await sweep(bridge);
      service.removeUser(ghost.email);
      const incomplete = faults.add({
        operation: 'scim.getUsers',
        fault: { kind: 'status', status: 500 },
      });
      await sweep(bridge);
      const afterIncomplete = await countFound(bridge, 'Users', 'userName eq "ghost"');
      incomplete.remove();
      const blind = faults.add({
        operation: 'scim.getUser',
        fault: { kind: 'status', status: 500 },
      });
      await sweep(bridge);
      const afterBlind = await countFound(bridge, 'Users', 'userName eq "ghost"');
      blind.remove();
      service.addUser(ghost);
      await sweep(bridge);

      expect([afterIncomplete, afterBlind]).toEqual([1, 1]);
      expect(await countFound(bridge, 'Users', 'userName eq "ghost"')).toBe(1);
    });
  });
});

const writes: readonly { what: string; method: string; body: JsonObject }[] = [
  { what: 'a new name', method: 'PATCH', body: rename('name.givenName', 'Zoe') },
  { what: 'a deactivation', method: 'PATCH', body: disable },
  { what: 'a PUT', method: 'PUT', body: toUser('zoe', { userName: 'ghost' }) },
];
for (const { what, method, body } of writes) {
  test(`${what} of somebody unmanaged who is gone is answered with 404, and makes nobody`, () =>
    withTestBridge({ settings, prepare: addGhost }, async (bridge) => {
      const id = await findIdOf(bridge, 'Users', 'userName eq "ghost"');
      const pilots = await addGroup(bridge, 'Pilots', [id]);
      const etags = await readEtags(bridge, [pilots]);
      bridge.sandbox.service.removeUser(ghost.email);
      const answer = await bridge.request(method, `/Users/${id}`, body);
      await untilSettled(bridge);

      expect(answer.status).toBe(404);
      expect((await bridge.request('GET', `/Users/${id}`)).status).toBe(404);
      expect((await send(bridge, 'GET', `/Groups/${pilots}`)).body.members ?? []).toEqual([]);
      expect(await readEtags(bridge, [pilots])).not.toEqual(etags);
      expect(bridge.sandbox.service.users()).toHaveLength(1);
      expect(await addUser(bridge, 'ghost', { userName: 'ghost' })).not.toBe(id);
    }));
}

test('a write of somebody unmanaged who is gone, acknowledged before the service could say so, becomes true', () =>
  withTestBridge(
    { settings: { ...settings, SCIM_WRITE_WAIT: '0s' }, prepare: addGhost },
    async (bridge) => {
      const id = await findIdOf(bridge, 'Users', 'userName eq "ghost"');
      bridge.sandbox.service.removeUser(ghost.email);
      await send(bridge, 'PATCH', `/Users/${id}`, rename('name.givenName', 'Zoe'));
      await untilSettled(bridge);

      expect(bridge.sandbox.service.getUser(ghost.email).fullName).toContain('Zoe');
    },
  ));

describe('an unmanaged group that the service deleted', () => {
  test('is gone after a sweep, with its name, and from the people who were in it', async () => {
    const world = { settings: { ...settings } };
    await withTestBridge(world, async (bridge) => {
      const { service } = bridge.sandbox;
      const ada = await addUser(bridge, 'ada');
      service.createGroup({ name: 'Crew' });
      service.addMember('Crew', 'ada@example.com');
      await sweep(bridge);
      const id = await findIdOf(bridge, 'Groups', 'displayName eq "Crew"');
      const shown = (await send(bridge, 'GET', `/Users/${ada}`)).body.groups;
      service.deleteGroup('Crew');
      await sweep(bridge);

      expect(shown).toMatchObject([{ value: id }]);
      expect(await countFound(bridge, 'Groups')).toBe(0);
      expect((await send(bridge, 'GET', `/Users/${ada}`)).body.groups ?? []).toEqual([]);
      expect(await countFound(bridge, 'Users', `groups.value eq "${id}"`)).toBe(0);
      const rename = toPatch({ op: 'replace', path: 'displayName', value: 'Crews' });
      expect((await bridge.request('PATCH', `/Groups/${id}`, rename)).status).toBe(404);
      const other = await addGroup(bridge, 'Crew', [ada]);
      expect(other).not.toBe(id);
      expect(service.members('Crew')).toEqual(['ada@example.com']);
    });
  });

  test('answers a write with 404 as soon as the service says so, and its name is free', async () => {
    const adopting = { ...settings, GROUPS_ADOPT_ON_DELETE: 'yes' };
    const world = { settings: { ...adopting } };
    await withTestBridge(world, async (bridge) => {
      const { service } = bridge.sandbox;
      const ada = await addUser(bridge, 'ada');
      for (const name of ['Crew', 'Cooks', 'Pilots', 'Guests']) service.createGroup({ name });
      await sweep(bridge);
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
      expect(await countFound(bridge, 'Groups')).toBe(1);
    });
  });

  test('answers so too where one interface alone has ever shown it, so that nobody can name its admins', async () => {
    const sandbox = await startSandbox();
    const proxy = await tamperWith(sandbox);
    const leaveOut = withEntries((entries) =>
      entries.filter((entry) => Object(entry).name !== 'Crew'),
    );
    proxy.setTamper((url, body) => (url.pathname.includes('/scim/') ? body : leaveOut(body)));
    sandbox.service.createGroup({ name: 'Crew' });
    const world = { settings: { ...settings } };
    const bridge = await startTestBridge({ ...world, service: proxy.service });
    const id = await findIdOf(bridge, 'Groups', 'displayName eq "Crew"');
    const rename = toPatch({ op: 'replace', path: 'displayName', value: 'Crews' });
    const early = await bridge.request('PATCH', `/Groups/${id}`, rename);
    sandbox.service.deleteGroup('Crew');
    const late = await bridge.request('PATCH', `/Groups/${id}`, rename);
    const found = await countFound(bridge, 'Groups');
    await bridge.stop();
    await proxy.stop();
    await sandbox.stop();

    expect([early.status, late.status]).toEqual([503, 404]);
    expect(found).toBe(0);
  });
});

async function readEtags(bridge: TestBridge, ids: readonly string[]): Promise<unknown[]> {
  const groups = await Promise.all(ids.map((id) => send(bridge, 'GET', `/Groups/${id}`)));
  return groups.map(({ body }) => Object(body.meta).version);
}
