import { describe, expect, onTestFinished, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import type { Rule } from '../../src/domain/rules.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { type TestAnswer, type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  addUsers,
  findId,
  readMemberIds,
  readWork,
  send,
  toGroup,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { askOps, SWEEP_SETTINGS, sweep } from '../support/sweep.ts';

const [ada, bob] = ['ada@example.com', 'bob@example.com'];

const rules: Rule[] = [
  { group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true },
  { adminsOf: '*', from: '* Admins' },
  { membersOf: 'Guests', appsPermissions: 2 },
  { membersOf: 'On leave', temporarilyInactive: true },
  { membersOf: 'G*', appsPermissions: 5 },
];

function change(op: 'add' | 'remove', ids: readonly string[]) {
  return toPatch({ op, path: 'members', value: toMembers(ids) });
}

function rename(displayName: string) {
  return toPatch({ op: 'replace', path: 'displayName', value: displayName });
}

function set(urn: string, value: JsonObject) {
  return toPatch({ op: 'replace', value: { [urn]: value } });
}

/** By name: what follows from a group is done beside it, so the order is nobody's promise. */
function listMutations({ sandbox }: TestBridge): string[] {
  return sandbox.calls
    .recent()
    .flatMap(({ method, operation }) => (method === 'GET' ? [] : [operation]))
    .sort();
}

describe('rules of the configuration', () => {
  async function withRules(
    run: (bridge: TestBridge) => Promise<void>,
    { settings = {}, given = rules }: { settings?: Record<string, string>; given?: Rule[] } = {},
  ): Promise<void> {
    await withTestBridge({ settings: { RULES: JSON.stringify(given), ...settings } }, run);
  }

  test('a group is created with what its name gives, in the same call', () =>
    withRules(async (bridge) => {
      bridge.sandbox.calls.reset();

      const id = await addGroup(bridge, 'Board of directors');
      await untilSettled(bridge);

      const { permissions, addToCardsAndSpacesEnabled } =
        bridge.sandbox.service.getGroup('Board of directors');
      expect({ permissions, addToCardsAndSpacesEnabled }).toEqual({
        permissions: 16,
        addToCardsAndSpacesEnabled: true,
      });
      expect(listMutations(bridge)).toEqual(['groups.createGroup']);
      const { body } = await send(bridge, 'GET', `/Groups/${id}`);
      expect(body[GROUP_EXTENSION]).toEqual({ permissions: 16, addToCardsAndSpacesEnabled: true });
    }));

  test('a group that is renamed into a pattern is given its values, and out of it keeps them unowned', () =>
    withRules(async (bridge) => {
      const { service } = bridge.sandbox;
      const path = `/Groups/${await addGroup(bridge, 'Cooks')}`;
      bridge.sandbox.calls.reset();

      await send(bridge, 'PATCH', path, rename('Board'));
      await untilSettled(bridge);
      const inside = service.getGroup('Board').permissions;
      await send(bridge, 'PATCH', path, rename('Cooks'));
      await untilSettled(bridge);

      expect(inside).toBe(16);
      expect(listMutations(bridge)).toEqual(['groups.updateGroup', 'groups.updateGroup']);
      expect(service.getGroup('Cooks').permissions).toBe(16);
      expect((await send(bridge, 'GET', path)).body[GROUP_EXTENSION]).toBeUndefined();
    }));

  test('a member of the source becomes an admin with one call, and is none any more when out of it', () =>
    withRules(async (bridge) => {
      const { service } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      await addGroup(bridge, 'Pilots');
      const source = `/Groups/${await addGroup(bridge, 'Pilots Admins')}`;
      await untilSettled(bridge);
      bridge.sandbox.calls.reset();

      await send(bridge, 'PATCH', source, change('add', [id]));
      await untilSettled(bridge);
      const during = [...service.admins('Pilots')];
      await send(bridge, 'PATCH', source, change('remove', [id]));
      await untilSettled(bridge);

      expect(during).toContain(ada);
      expect(service.admins('Pilots')).not.toContain(ada);
      expect(listMutations(bridge)).toEqual([
        'groupAdmins.addAdminToGroup',
        'groupAdmins.removeAdminFromGroup',
        'groupUsers.addUserToGroup',
        'groupUsers.removeUserFromGroup',
      ]);
    }));

  test('a person is given what the first matching rule says, with one call, and keeps it unowned afterwards', () =>
    withRules(async (bridge) => {
      const { service } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      const guests = `/Groups/${await addGroup(bridge, 'Guests')}`;
      await addGroup(bridge, 'Gardeners', [id]);
      await untilSettled(bridge);
      const before = service.getUser(ada).appsPermissions;
      bridge.sandbox.calls.reset();

      await send(bridge, 'PATCH', guests, change('add', [id]));
      await untilSettled(bridge);
      const during = (await send(bridge, 'GET', `/Users/${id}`)).body[USER_EXTENSION];
      const calls = listMutations(bridge);
      bridge.sandbox.calls.reset();
      for (const name of ['Guests', 'Gardeners']) {
        const path = `/Groups/${await findId(bridge, { type: 'Groups', name })}`;
        await send(bridge, 'PATCH', path, change('remove', [id]));
        await untilSettled(bridge);
      }

      expect(before).toBe(5);
      expect(during).toMatchObject({ appsPermissions: 2 });
      expect(calls).toEqual(['companyUsers.updateUser', 'groupUsers.addUserToGroup']);
      expect(listMutations(bridge)).toEqual([
        'companyUsers.updateUser',
        'groupUsers.removeUserFromGroup',
        'groupUsers.removeUserFromGroup',
      ]);
      expect(service.getUser(ada).appsPermissions).toBe(5);
      const after = (await send(bridge, 'GET', `/Users/${id}`)).body[USER_EXTENSION];
      expect(isJsonObject(after) && after.appsPermissions).toBeFalsy();
    }));

  test('a rule suspends the members of a group, but nobody who is protected', () =>
    withRules(
      async (bridge) => {
        const { service } = bridge.sandbox;
        const ids = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];

        await addGroup(bridge, 'On leave', ids);
        await untilSettled(bridge);

        expect(service.getUser(ada).temporarilyInactive).toBe(true);
        expect(service.getUser(bob).temporarilyInactive).toBe(false);
      },
      { settings: { PROTECT_USERS: bob } },
    ));

  test('what a provider sends for a person wins, and gives way when it is taken back', () =>
    withRules(async (bridge) => {
      const { service } = bridge.sandbox;
      const path = `/Users/${await addUser(bridge, 'ada')}`;
      await addGroup(bridge, 'Guests', [path.slice('/Users/'.length)]);
      await untilSettled(bridge);
      const versions = [(await send(bridge, 'GET', path)).headers.etag];

      await send(bridge, 'PATCH', path, set(USER_EXTENSION, { appsPermissions: 4 }));
      await untilSettled(bridge);
      const asked = service.getUser(ada).appsPermissions;
      versions.push((await send(bridge, 'GET', path)).headers.etag);
      const operation = { op: 'remove', path: `${USER_EXTENSION}:appsPermissions` };
      await send(bridge, 'PATCH', path, toPatch(operation));
      await untilSettled(bridge);
      versions.push((await send(bridge, 'GET', path)).headers.etag);

      expect(asked).toBe(4);
      expect(service.getUser(ada).appsPermissions).toBe(2);
      expect(new Set(versions).size).toBe(3);
    }));

  test('a provider that puts back what it read has asked for nothing', () =>
    withRules(async (bridge) => {
      const { service } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      const source = `/Groups/${await addGroup(bridge, 'Board Admins', [id])}`;
      const guests = `/Groups/${await addGroup(bridge, 'Guests', [id])}`;
      const board = `/Groups/${await addGroup(bridge, 'Board')}`;
      await untilSettled(bridge);

      for (const path of [`/Users/${id}`, board]) {
        await send(bridge, 'PUT', path, (await send(bridge, 'GET', path)).body);
      }
      await send(bridge, 'PATCH', guests, change('remove', [id]));
      await send(bridge, 'PATCH', source, change('remove', [id]));
      await send(bridge, 'PATCH', board, rename('Cooks'));
      await untilSettled(bridge);

      const person = (await send(bridge, 'GET', `/Users/${id}`)).body[USER_EXTENSION];
      const group = (await send(bridge, 'GET', board)).body[GROUP_EXTENSION];
      expect(isJsonObject(person) && person.appsPermissions).toBeFalsy();
      expect(isJsonObject(group) && group.permissions).toBeFalsy();
      expect(service.admins('Cooks')).not.toContain(ada);
    }));

  test('permissions of a rule are not limited, those of a provider are, and it may say the rule’s again', () =>
    withRules(async (bridge) => {
      const path = `/Groups/${await addGroup(bridge, 'Board')}`;
      const write = (permissions: number) =>
        bridge.request('PATCH', path, set(GROUP_EXTENSION, { permissions }));

      const answers = [await write(16), await write(17), await write(0)];
      await untilSettled(bridge);
      const asked = bridge.sandbox.service.getGroup('Board').permissions;
      await send(
        bridge,
        'PATCH',
        path,
        toPatch({ op: 'remove', path: `${GROUP_EXTENSION}:permissions` }),
      );
      await untilSettled(bridge);

      expect(answers.map(({ status }) => status)).toEqual([204, 403, 204]);
      expect(asked).toBe(0);
      expect(bridge.sandbox.service.getGroup('Board').permissions).toBe(16);
    }));

  test('a source that is renamed, comes or goes takes its admins with it', () =>
    withRules(async (bridge) => {
      const { service } = bridge.sandbox;
      const ids = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const source = `/Groups/${await addGroup(bridge, 'Cook Admins', ids)}`;
      await addGroup(bridge, 'Cook');
      await addGroup(bridge, 'Pilot');
      const seen: object[] = [];
      const look = async () => {
        await untilSettled(bridge);
        const list = (name: string) => service.admins(name).filter((a) => [ada, bob].includes(a));
        seen.push({ cook: list('Cook').length, pilot: list('Pilot').length });
      };

      await look();
      await send(bridge, 'PATCH', source, rename('Pilot Admins'));
      await look();
      await send(bridge, 'PATCH', source, rename('Nobody'));
      await look();
      await send(bridge, 'PATCH', source, rename('Cook Admins'));
      await look();
      await send(bridge, 'DELETE', source);
      await look();

      expect(seen).toEqual([
        { cook: 2, pilot: 0 },
        { cook: 0, pilot: 2 },
        { cook: 0, pilot: 0 },
        { cook: 2, pilot: 0 },
        { cook: 0, pilot: 0 },
      ]);
    }));

  test('admins whom others put in stay, and so do protected ones', () =>
    withRules(
      async (bridge) => {
        const { service } = bridge.sandbox;
        const ids = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
        await addUser(bridge, 'eve');
        await addGroup(bridge, 'Cook');
        await untilSettled(bridge);
        service.addAdmin('Cook', 'eve@example.com');
        const source = `/Groups/${await addGroup(bridge, 'Cook Admins', ids)}`;
        await untilSettled(bridge);
        const before = service.admins('Cook').length;

        const deletion = await bridge.request('DELETE', source);
        await send(bridge, 'PATCH', source, change('remove', ids));
        await untilSettled(bridge);

        expect(deletion.status).toBe(403);
        expect(service.admins('Cook')).toContain('eve@example.com');
        expect(service.admins('Cook')).toContain(bob);
        expect(service.admins('Cook').length).toBe(before - 1);
      },
      { settings: { PROTECT_USERS: bob } },
    ));

  test('a protected person stays in a group whose members administer another', () =>
    withRules(
      async (bridge) => {
        const ids = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
        const source = `/Groups/${await addGroup(bridge, 'Cook Admins', ids)}`;

        await send(bridge, 'PATCH', source, change('remove', ids));

        expect(await readMemberIds(bridge, source.slice('/Groups/'.length))).toEqual([ids[1]]);
      },
      { settings: { PROTECT_USERS: bob } },
    ));

  test('a list of admins that a provider writes is the provider’s, until it is emptied', () =>
    withRules(async (bridge) => {
      const { service } = bridge.sandbox;
      const [a, b] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const cook = `/Groups/${await addGroup(bridge, 'Cook')}`;
      await send(bridge, 'PATCH', cook, set(GROUP_EXTENSION, { admins: toMembers([a]) }));
      const source = `/Groups/${await addGroup(bridge, 'Cook Admins', [b])}`;
      await untilSettled(bridge);
      const asked = [...service.admins('Cook')];

      await send(
        bridge,
        'PATCH',
        cook,
        toPatch({ op: 'remove', path: `${GROUP_EXTENSION}:admins` }),
      );
      await untilSettled(bridge);
      const emptied = [...service.admins('Cook')];
      await send(bridge, 'PATCH', source, change('remove', [b]));
      await untilSettled(bridge);

      expect(asked).toContain(ada);
      expect(asked).not.toContain(bob);
      expect(emptied).toContain(bob);
      expect(emptied).not.toContain(ada);
      expect(service.admins('Cook')).not.toContain(bob);
    }));

  test('a member whom the service refuses is given nothing by the rules', () =>
    withRules(async (bridge) => {
      const { service, faults } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      await addGroup(bridge, 'Cook');
      const source = `/Groups/${await addGroup(bridge, 'Cook Admins')}`;
      const guests = `/Groups/${await addGroup(bridge, 'Guests')}`;
      await untilSettled(bridge);
      faults.add({
        operation: 'groupUsers.addUserToGroup',
        fault: { kind: 'status', status: 422 },
      });

      const answers = [
        await bridge.request('PATCH', source, change('add', [id])),
        await bridge.request('PATCH', guests, change('add', [id])),
      ];
      await untilSettled(bridge);

      expect(answers.map(({ status }) => status)).toEqual([400, 400]);
      expect(service.admins('Cook')).not.toContain(ada);
      const { body } = await send(bridge, 'GET', `/Users/${id}`);
      expect(body[USER_EXTENSION]).toBeUndefined();
    }));

  test('a name that the service refuses takes back what it would have given', () =>
    withRules(async (bridge) => {
      const { service, faults } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      await addGroup(bridge, 'Board', [id]);
      const path = `/Groups/${await addGroup(bridge, 'Cooks', [id])}`;
      await untilSettled(bridge);
      faults.add({ operation: 'groups.updateGroup', fault: { kind: 'status', status: 422 } });

      const answers = [
        await bridge.request('PATCH', path, rename('Board of cooks')),
        await bridge.request('PATCH', path, rename('Board Admins')),
        await bridge.request('PATCH', path, rename('Guests')),
      ];
      await untilSettled(bridge);

      expect(answers.map(({ status }) => status)).toEqual([400, 400, 400]);
      expect(service.admins('Board')).not.toContain(ada);
      const person = (await send(bridge, 'GET', `/Users/${id}`)).body[USER_EXTENSION];
      expect(isJsonObject(person) && person.appsPermissions).toBeFalsy();
      const { body } = await send(bridge, 'GET', path);
      expect(body).toMatchObject({ displayName: 'Cooks' });
      expect(body[GROUP_EXTENSION]).toBeUndefined();
      expect(await readWork(bridge)).toMatchObject({ stuck: 0 });
    }));

  test('a list of admins that the service refuses from a provider stays the rules’', () =>
    withRules(async (bridge) => {
      const { service, faults } = bridge.sandbox;
      const [a, b] = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
      const cook = `/Groups/${await addGroup(bridge, 'Cook')}`;
      await untilSettled(bridge);
      const refusal = { kind: 'status', status: 422 } as const;
      faults.add({ operation: 'groupAdmins.addAdminToGroup', fault: refusal, times: 1 });

      const value = { [GROUP_EXTENSION]: { admins: toMembers([a]) } };
      const { status } = await bridge.request('PATCH', cook, toPatch({ op: 'add', value }));
      await addGroup(bridge, 'Cook Admins', [b]);
      await untilSettled(bridge);

      expect(status).toBe(400);
      expect(service.admins('Cook')).toContain(bob);
      expect(service.admins('Cook')).not.toContain(ada);
    }));

  test('permissions that the service refuses are not told to the provider who renamed nothing', () =>
    withRules(async (bridge) => {
      const { faults } = bridge.sandbox;
      const id = await addUser(bridge, 'ada');
      const guests = `/Groups/${await addGroup(bridge, 'Guests')}`;
      await untilSettled(bridge);
      faults.add({
        operation: 'companyUsers.updateUser',
        fault: { kind: 'status', status: 422 },
      });

      const { status } = await bridge.request('PATCH', guests, change('add', [id]));
      await untilStuck(bridge);

      expect(status).toBe(204);
      const { body } = await send(bridge, 'GET', `/Users/${id}`);
      expect(body[USER_EXTENSION]).toMatchObject({ appsPermissions: 2 });
    }));

  test('groups that administer each other come to rest', () =>
    withRules(
      async (bridge) => {
        const ids = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
        await addGroup(bridge, 'X', ids.slice(0, 1));
        await addGroup(bridge, 'Y', ids.slice(1));
        await untilSettled(bridge);

        const { service } = bridge.sandbox;
        expect([service.admins('X').includes(bob), service.admins('X').includes(ada)]).toEqual([
          true,
          false,
        ]);
        expect([service.admins('Y').includes(bob), service.admins('Y').includes(ada)]).toEqual([
          false,
          true,
        ]);
      },
      {
        given: [
          { adminsOf: 'X', from: 'Y' },
          { adminsOf: 'Y', from: 'X' },
        ],
      },
    ));

  test('an existing group that rules give rights to, or take them from, is not taken over by itself', async () => {
    await withTestBridge(
      {
        settings: { RULES: JSON.stringify(rules) },
        sandbox: { seed: { users: 1 } },
        prepare({ service }) {
          for (const name of ['Board', 'Cook Admins', 'Guests']) {
            service.createGroup({ name });
            service.addMember(name, 'user00001@example.com');
          }
        },
      },
      async (bridge) => {
        const statuses: number[] = [];
        for (const displayName of ['Board', 'Cook Admins', 'Guests']) {
          statuses.push((await bridge.request('POST', '/Groups', toGroup(displayName))).status);
        }
        await addGroup(bridge, 'Cook');
        await untilSettled(bridge);

        expect(statuses).toEqual([409, 409, 201]);
        expect(bridge.sandbox.service.getGroup('Board').permissions).toBe(0);
        expect(bridge.sandbox.service.admins('Cook')).not.toContain('user00001@example.com');
        // Of people whom nobody manages nothing is written.
        expect(bridge.sandbox.service.getUser('user00001@example.com').appsPermissions).toBe(1);
        const known = { userName: 'user00001', emails: [{ value: 'user00001@example.com' }] };
        await send(bridge, 'POST', '/Users', { schemas: [], ...known });
        await untilSettled(bridge);
        expect(bridge.sandbox.service.getUser('user00001@example.com').appsPermissions).toBe(2);
      },
    );
  });

  test('other rules at the next start hold everywhere, and none at all take theirs back', async () => {
    const service = await startSandbox();
    onTestFinished(() => service.stop());
    const url = await makeStoreUrl();
    const seen: object[] = [];
    const run = (given: Rule[], act: (bridge: TestBridge) => Promise<unknown>) =>
      withTestBridge(
        { service, settings: { DATABASE_URL: url, RULES: JSON.stringify(given) } },
        async (bridge) => {
          await bridge.bridge.rulesApplied();
          await act(bridge);
          await untilSettled(bridge);
          const { permissions } = service.service.getGroup('Board');
          const { appsPermissions } = service.service.getUser(ada);
          const isAdmin = service.service.admins('Board').includes(ada);
          const path = `/Users/${await findId(bridge, { type: 'Users', name: ada })}`;
          const { body } = await send(bridge, 'GET', path);
          const shown = isJsonObject(body[USER_EXTENSION])
            ? body[USER_EXTENSION].appsPermissions
            : null;
          seen.push({ permissions, appsPermissions, isAdmin, shown });
        },
      );
    const nothing = async () => undefined;

    await run([], async (bridge) => {
      const id = await addUser(bridge, 'ada');
      await addGroup(bridge, 'Board');
      await addGroup(bridge, 'Board Admins', [id]);
      await addGroup(bridge, 'Guests', [id]);
    });
    await run(rules, nothing);
    await run(
      [
        { group: 'Board', permissions: 1 },
        { membersOf: 'Guests', appsPermissions: 5 },
      ],
      nothing,
    );
    await run([], nothing);

    expect(seen).toEqual([
      { permissions: 0, appsPermissions: 1, isAdmin: false, shown: null },
      { permissions: 16, appsPermissions: 2, isAdmin: true, shown: 2 },
      { permissions: 1, appsPermissions: 5, isAdmin: false, shown: 5 },
      { permissions: 1, appsPermissions: 5, isAdmin: false, shown: null },
    ]);
  });

  test.each([
    { by: 'an operator', settings: {} },
    { by: 'the policy', settings: { DRIFT_POLICY: '{"member.added":"accept"}' } },
  ])('what follows from a difference that $by accepts is sent at once', ({ settings }) =>
    withRules(
      async (bridge) => {
        const { service } = bridge.sandbox;
        await addUser(bridge, 'ada');
        await addGroup(bridge, 'Pilots');
        await addGroup(bridge, 'Pilots Admins');
        service.addMember('Pilots Admins', ada);

        await sweep(bridge);
        await acceptDrifts(bridge);

        await untilSoon(() => service.admins('Pilots').includes(ada));
      },
      { settings: { ...SWEEP_SETTINGS, ...settings } },
    ),
  );

  test('what follows from discarded removals is sent at once', () =>
    withRules(
      async (bridge) => {
        const { service } = bridge.sandbox;
        const ids = [await addUser(bridge, 'ada'), await addUser(bridge, 'bob')];
        const guests = await addGroup(bridge, 'Guests', ids);
        await addGroup(bridge, 'Gardeners', ids);
        await untilSettled(bridge);
        await send(bridge, 'PATCH', `/Groups/${guests}`, change('remove', ids));
        await untilSettled(bridge);
        const without = service.getUser(ada).appsPermissions;

        const plans = await askOps(bridge, 'GET', '/plans?status=held');
        for (const id of listIds(plans)) await askOps(bridge, 'POST', `/plans/${id}/discard`);

        await untilSoon(() => service.getUser(ada).appsPermissions === 2);
        expect(without).toBe(5);
      },
      { settings: { ...SWEEP_SETTINGS, LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' } },
    ));

  test('people and groups that come at the same time miss nothing', () =>
    withRules(async (bridge) => {
      const ids = await addUsers(bridge, 12);
      const source = `/Groups/${await addGroup(bridge, 'Cook Admins')}`;

      const adding = ids.map((id) => send(bridge, 'PATCH', source, change('add', [id])));
      await Promise.all([...adding, addGroup(bridge, 'Cook'), addGroup(bridge, 'Guests', ids)]);
      await untilSettled(bridge);

      const { service } = bridge.sandbox;
      expect(service.admins('Cook').filter((name) => name.startsWith('person')).length).toBe(12);
      expect(service.users().filter(({ appsPermissions }) => appsPermissions === 2).length).toBe(
        12,
      );
    }));
});

async function untilStuck(bridge: TestBridge): Promise<void> {
  await expect.poll(() => readWork(bridge)).toMatchObject({ stuck: 1 });
}

/** Well below the longest sleep of the workers, in milliseconds. */
const SOON_MS = 10_000;

async function untilSoon(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: SOON_MS }).toBe(true);
}

async function acceptDrifts(bridge: TestBridge): Promise<void> {
  for (const id of listIds(await askOps(bridge, 'GET', '/drifts?kind=member.added&status=open')))
    await askOps(bridge, 'POST', `/drifts/${id}/accept`);
}

function listIds({ body }: TestAnswer): string[] {
  const items: unknown[] = Array.isArray(body.items) ? body.items : [];
  return items.map((item) => String(Object(item).id));
}
