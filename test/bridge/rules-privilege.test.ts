import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addUser,
  findId,
  readMemberIds,
  send,
  toGroup,
  toMembers,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const ada = 'ada@example.com';
const disable = toPatch({ op: 'replace', path: 'active', value: false });
const rename = toPatch({ op: 'replace', path: 'displayName', value: 'Crew' });
const remove = (ids: string[]) => toPatch({ op: 'remove', path: 'members', value: toMembers(ids) });

function addAda({ service }: Sandbox): void {
  service.addUser({ email: ada, userName: ada, fullName: 'Ada Example' });
}

function addPilots(sandbox: Sandbox): void {
  addAda(sandbox);
  sandbox.service.createGroup({ name: 'Pilots' });
}

function countMutations({ sandbox }: TestBridge): number {
  return sandbox.calls.count({ mutating: true });
}

interface PrivilegedRow {
  readonly what: string;
  readonly settings?: Record<string, string>;
  prepare(sandbox: Sandbox): void;
}

const people: PrivilegedRow[] = [
  {
    what: 'an owner of the company',
    prepare(sandbox) {
      addAda(sandbox);
      sandbox.service.setRole(ada, 1);
    },
  },
  {
    what: 'somebody whom the settings protect by address',
    settings: { PROTECT_USERS: 'ada@*' },
    prepare: addAda,
  },
];

describe.each(people)('$what', ({ settings = {}, prepare }) => {
  test('is never adopted: 409 to POST, 403 otherwise, nothing stored and no call', () =>
    withTestBridge({ settings, prepare }, async (bridge) => {
      const path = `/Users/${await findId(bridge, { type: 'Users', name: ada })}`;

      const answers = [
        await bridge.request('POST', '/Users', toUser('ada')),
        await bridge.request('PUT', path, toUser('ada', { title: 'Dr' })),
        await bridge.request('PATCH', path, disable),
        await bridge.request('DELETE', path),
      ];

      expect(answers.map(({ status }) => status)).toEqual([409, 403, 403, 403]);
      for (const { body } of answers) expect(String(body.detail)).not.toBe('');
      expect((await send(bridge, 'GET', path)).body).toMatchObject({ active: true });
      expect(countMutations(bridge)).toBe(0);
    }));
});

test('the account behind our own token is neither adopted nor deactivated nor deleted', () =>
  withTestBridge(
    {
      prepare({ service }) {
        service.addUser({ email: ada, userName: ada });
        service.setRole(ada, 1);
        service.setRole('owner@example.com', 2);
      },
    },
    async (bridge) => {
      const path = `/Users/${await findId(bridge, { type: 'Users', name: 'owner' })}`;

      const answers = [
        await bridge.request('POST', '/Users', { schemas: [], userName: 'owner@example.com' }),
        await bridge.request('PATCH', path, disable),
        await bridge.request('DELETE', path),
      ];

      expect(answers.map(({ status }) => status)).toEqual([409, 403, 403]);
      expect(countMutations(bridge)).toBe(0);
    },
  ));

test('somebody managed whom the settings protect is not deactivated or deleted, and may be renamed', () =>
  withTestBridge({ settings: { PROTECT_USERS: ada } }, async (bridge) => {
    const path = `/Users/${await addUser(bridge, 'ada')}`;

    const disabled = await bridge.request('PATCH', path, disable);
    const deleted = await bridge.request('DELETE', path);
    await send(
      bridge,
      'PATCH',
      path,
      toPatch({ op: 'replace', path: 'name.familyName', value: 'K' }),
    );

    expect([disabled.status, deleted.status]).toEqual([403, 403]);
    expect(disabled.body.detail).toContain('protected');
    expect(bridge.sandbox.service.getUser(ada)).toMatchObject({ active: true, fullName: 'Ada K' });
  }));

const groups: PrivilegedRow[] = [
  {
    what: 'a group that holds permissions',
    prepare(sandbox) {
      addPilots(sandbox);
      sandbox.service.setPermissions('Pilots', 16);
    },
  },
  {
    what: 'a group that has admins',
    prepare(sandbox) {
      addPilots(sandbox);
      sandbox.service.addAdmin('Pilots', ada);
    },
  },
  {
    what: 'a group whose name the settings protect',
    settings: { PROTECT_GROUPS: 'Pil*' },
    prepare: addPilots,
  },
];

describe.each(groups)('$what', ({ settings = {}, prepare }) => {
  test('is never adopted: 409 to POST, 403 otherwise, nothing stored and no change upstream', () =>
    withTestBridge({ settings, prepare }, async (bridge) => {
      const path = `/Groups/${await findId(bridge, { type: 'Groups', name: 'Pilots' })}`;

      const answers = [
        await bridge.request('POST', '/Groups', toGroup('Pilots')),
        await bridge.request('PATCH', path, rename),
        await bridge.request('PUT', path, toGroup('Pilots', [])),
        await bridge.request('DELETE', path),
      ];

      expect(answers.map(({ status }) => status)).toEqual([409, 403, 403, 403]);
      expect(countMutations(bridge)).toBe(0);
    }));
});

test('where the admin list cannot be read, nobody knows whether a group is ordinary: 503', () =>
  withTestBridge({ prepare: addPilots }, async (bridge) => {
    const path = `/Groups/${await findId(bridge, { type: 'Groups', name: 'Pilots' })}`;
    bridge.sandbox.faults.refuse('admins', 403);

    const answer = await bridge.request('PATCH', path, rename);

    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(countMutations(bridge)).toBe(0);
  }));

function withPermissions(displayName: string, permissions: number): JsonObject {
  return { ...toGroup(displayName), [GROUP_EXTENSION]: { permissions } };
}

test('permission bits outside the mask answer 403 and store nothing, those inside are set', () =>
  withTestBridge({ settings: { GROUPS_PERMISSIONS_MAX: '6' } }, async (bridge) => {
    const refused = await bridge.request('POST', '/Groups', withPermissions('Pilots', 8));
    const granted = await bridge.request('POST', '/Groups', withPermissions('Pilots', 4));
    const path = `/Groups/${String(granted.body.id)}`;
    const raised = await bridge.request('PUT', path, withPermissions('Pilots', 12));

    expect([refused.status, granted.status, raised.status]).toEqual([403, 201, 403]);
    expect(bridge.sandbox.service.getGroup('Pilots').permissions).toBe(4);
  }));

test('a protected person stays in a privileged group, and the rest of the request applies', () =>
  withTestBridge(
    { settings: { PROTECT_USERS: ada, GROUPS_PERMISSIONS_MAX: '4' } },
    async (bridge) => {
      const [adaId, bobId] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const members = toMembers([adaId, bobId]);
      const { body } = await send(bridge, 'POST', '/Groups', {
        ...withPermissions('Pilots', 4),
        members,
      });

      await send(bridge, 'PATCH', `/Groups/${String(body.id)}`, remove([adaId, bobId]));
      await untilSettled(bridge);

      expect(await readMemberIds(bridge, String(body.id))).toEqual([adaId]);
      expect(bridge.sandbox.service.members('Pilots')).toEqual([ada]);
    },
  ));

test('a protected person is not taken off an admin list', () =>
  withTestBridge({ settings: { PROTECT_USERS: ada } }, async (bridge) => {
    const id = await addUser(bridge, 'ada');
    const admins = { [GROUP_EXTENSION]: { admins: toMembers([id]) } };
    const { body } = await send(bridge, 'POST', '/Groups', { ...toGroup('Pilots'), ...admins });
    const path = `${GROUP_EXTENSION}:admins`;

    const removal = toPatch({ op: 'remove', path, value: toMembers([id]) });
    const answer = await bridge.request('PATCH', `/Groups/${String(body.id)}`, removal);

    expect(answer.status).toBe(403);
    expect(bridge.sandbox.service.admins('Pilots')).toEqual([ada]);
  }));

const demotions = [
  { what: 'an admin of it', group: { [GROUP_EXTENSION]: { admins: 'ada' } }, status: 403 },
  {
    what: 'a member of it, and it holds permissions',
    group: { ...withPermissions('Pilots', 4), members: 'ada' },
    status: 403,
  },
  { what: 'a member of it, and it is an ordinary one', group: { members: 'ada' }, status: 204 },
] as const;
for (const { what, group, status } of demotions) {
  test(`a DELETE of a group while somebody protected is ${what}: ${status}`, () =>
    withTestBridge(
      { settings: { PROTECT_USERS: ada, GROUPS_PERMISSIONS_MAX: '4' } },
      async (bridge) => {
        const id = await addUser(bridge, 'ada');
        const text = JSON.stringify({ ...toGroup('Pilots'), ...group });
        const named = text.replaceAll('"ada"', JSON.stringify(toMembers([id])));
        const { body } = await send(bridge, 'POST', '/Groups', JSON.parse(named));
        await untilSettled(bridge);
        const before = countMutations(bridge);

        const answer = await bridge.request('DELETE', `/Groups/${String(body.id)}`);
        await untilSettled(bridge);

        expect(answer.status).toBe(status);
        expect(bridge.sandbox.service.groups()).toHaveLength(status === 403 ? 1 : 0);
        if (status === 403) expect(countMutations(bridge)).toBe(before);
      },
    ));
}

describe('a DELETE of a group that was taken over', () => {
  const settings = { ...SWEEP_SETTINGS, PROTECT_USERS: ada };
  test('leaves a protected admin whom it found there', () =>
    withTestBridge({ settings, prepare: addPilots }, async (bridge) => {
      const { service } = bridge.sandbox;
      service.addAdmin('Pilots', ada);
      await sweep(bridge);
      const id = await findId(bridge, { type: 'Groups', name: 'Pilots' });
      await askOps(bridge, 'POST', `/groups/${id}/adopt`, { privileged: true });
      await untilSettled(bridge);

      const { status } = await bridge.request('DELETE', `/Groups/${id}`);
      await untilSettled(bridge);

      expect(status).toBe(204);
      expect(service.admins('Pilots')).toEqual([ada]);
    }));
});
