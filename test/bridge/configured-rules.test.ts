import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import { isJsonObject, type JsonObject } from '../../src/domain/json.ts';
import type { Rule } from '../../src/domain/rules.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import {
  startTestBridge,
  type TestAnswer,
  type TestBridge,
  withTestBridge,
} from '../support/bridge.ts';
import {
  addGroup,
  addUser,
  findId,
  send,
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
  { membersOf: 'Guests*', appsPermissions: 2 },
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
  let bridge: TestBridge;
  beforeAll(async () => {
    const settings = { RULES: JSON.stringify(rules), PROTECT_USERS: bob };
    bridge = await startTestBridge({ settings });
    await addUser(bridge, 'bob');
  });
  afterAll(() => bridge.stop());
  const findBob = () => findId(bridge, { type: 'Users', name: bob });

  async function withRules(
    run: (bridge: TestBridge) => Promise<void>,
    { settings = {}, given = rules }: { settings?: Record<string, string>; given?: Rule[] } = {},
  ): Promise<void> {
    await withTestBridge({ settings: { RULES: JSON.stringify(given), ...settings } }, run);
  }

  test('a member of the source becomes an admin with one call, and is none any more when out of it', async () => {
    const { service } = bridge.sandbox;
    const id = await addUser(bridge, 'ann');
    await addGroup(bridge, 'Pilots');
    const source = `/Groups/${await addGroup(bridge, 'Pilots Admins')}`;
    await untilSettled(bridge);
    bridge.sandbox.calls.reset();

    await send(bridge, 'PATCH', source, change('add', [id]));
    await untilSettled(bridge);
    const during = [...service.admins('Pilots')];
    await send(bridge, 'PATCH', source, change('remove', [id]));
    await untilSettled(bridge);

    expect(during).toContain('ann@example.com');
    expect(service.admins('Pilots')).not.toContain('ann@example.com');
    expect(listMutations(bridge)).toEqual([
      'groupAdmins.addAdminToGroup',
      'groupAdmins.removeAdminFromGroup',
      'groupUsers.addUserToGroup',
      'groupUsers.removeUserFromGroup',
    ]);
  });

  test('a person is given what the first matching rule says, with one call, and keeps it unowned afterwards', async () => {
    const { service } = bridge.sandbox;
    const id = await addUser(bridge, 'eva');
    const guests = `/Groups/${await addGroup(bridge, 'Guests')}`;
    await addGroup(bridge, 'Gardeners', [id]);
    await untilSettled(bridge);
    const before = service.getUser('eva@example.com').appsPermissions;
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
    expect(service.getUser('eva@example.com').appsPermissions).toBe(5);
    const after = (await send(bridge, 'GET', `/Users/${id}`)).body[USER_EXTENSION];
    expect(isJsonObject(after) && after.appsPermissions).toBeFalsy();
  });

  test('a rule suspends the members of a group, but nobody who is protected', async () => {
    const { service } = bridge.sandbox;
    const ids = [await addUser(bridge, 'fay'), await findBob()];

    await addGroup(bridge, 'On leave', ids);
    await untilSettled(bridge);

    expect(service.getUser('fay@example.com').temporarilyInactive).toBe(true);
    expect(service.getUser(bob).temporarilyInactive).toBe(false);
  });

  test('what a provider sends for a person wins, and gives way when it is taken back', async () => {
    const { service } = bridge.sandbox;
    const path = `/Users/${await addUser(bridge, 'gus')}`;
    await addGroup(bridge, 'Guests of honour', [path.slice('/Users/'.length)]);
    await untilSettled(bridge);
    const versions = [(await send(bridge, 'GET', path)).headers.etag];

    await send(bridge, 'PATCH', path, set(USER_EXTENSION, { appsPermissions: 4 }));
    await untilSettled(bridge);
    const asked = service.getUser('gus@example.com').appsPermissions;
    versions.push((await send(bridge, 'GET', path)).headers.etag);
    const operation = { op: 'remove', path: `${USER_EXTENSION}:appsPermissions` };
    await send(bridge, 'PATCH', path, toPatch(operation));
    await untilSettled(bridge);
    versions.push((await send(bridge, 'GET', path)).headers.etag);

    expect(asked).toBe(4);
    expect(service.getUser('gus@example.com').appsPermissions).toBe(2);
    expect(new Set(versions).size).toBe(3);
  });

  test('a provider that puts back what it read has asked for nothing', async () => {
    const { service } = bridge.sandbox;
    const id = await addUser(bridge, 'hal');
    const source = `/Groups/${await addGroup(bridge, 'Board Admins', [id])}`;
    const guests = `/Groups/${await addGroup(bridge, 'Guests for a day', [id])}`;
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
    expect(service.admins('Cooks')).not.toContain('hal@example.com');
  });

  test('admins whom others put in stay, and so do protected ones', async () => {
    const { service } = bridge.sandbox;
    const ids = [await addUser(bridge, 'ida'), await findBob()];
    await addUser(bridge, 'eve');
    await addGroup(bridge, 'Chef');
    await untilSettled(bridge);
    service.addAdmin('Chef', 'eve@example.com');
    const source = `/Groups/${await addGroup(bridge, 'Chef Admins', ids)}`;
    await untilSettled(bridge);
    const before = service.admins('Chef').length;

    const deletion = await bridge.request('DELETE', source);
    await send(bridge, 'PATCH', source, change('remove', ids));
    await untilSettled(bridge);

    expect(deletion.status).toBe(403);
    expect(service.admins('Chef')).toContain('eve@example.com');
    expect(service.admins('Chef')).toContain(bob);
    expect(service.admins('Chef').length).toBe(before - 1);
  });

  test('the admins of a group whose list a provider wrote are those of the provider', async () => {
    const { service } = bridge.sandbox;
    const [jo = '', kim = ''] = [await addUser(bridge, 'jo'), await addUser(bridge, 'kim')];
    const group = `/Groups/${await addGroup(bridge, 'Duty')}`;
    const path = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0:Group:admins';
    await send(bridge, 'PATCH', group, toPatch({ op: 'replace', path, value: toMembers([jo]) }));
    await addGroup(bridge, 'Duty Admins', [kim]);
    await untilSettled(bridge);

    expect(service.admins('Duty')).toContain('jo@example.com');
    expect(service.admins('Duty')).not.toContain('kim@example.com');
  });

  test('groups that administer each other come to rest', () =>
    withRules(
      async (own) => {
        const ids = [await addUser(own, 'ada'), await addUser(own, 'bob')];
        await addGroup(own, 'X', ids.slice(0, 1));
        await addGroup(own, 'Y', ids.slice(1));
        await untilSettled(own);

        const { service } = own.sandbox;
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

  test('other rules at the next start hold everywhere, and none at all take theirs back', async () => {
    const service = await startSandbox();
    onTestFinished(() => service.stop());
    const url = await makeStoreUrl();
    const seen: object[] = [];
    const run = (given: Rule[], act: (bridge: TestBridge) => Promise<unknown>) =>
      withTestBridge(
        { service, settings: { DATABASE_URL: url, RULES: JSON.stringify(given) } },
        async (own) => {
          await own.bridge.rulesApplied();
          await act(own);
          await untilSettled(own);
          const { permissions } = service.service.getGroup('Board');
          const { appsPermissions } = service.service.getUser(ada);
          const isAdmin = service.service.admins('Board').includes(ada);
          const path = `/Users/${await findId(own, { type: 'Users', name: ada })}`;
          const { body } = await send(own, 'GET', path);
          const shown = isJsonObject(body[USER_EXTENSION])
            ? body[USER_EXTENSION].appsPermissions
            : null;
          seen.push({ permissions, appsPermissions, isAdmin, shown });
        },
      );
    const nothing = async () => undefined;

    await run([], async (own) => {
      const id = await addUser(own, 'ada');
      await addGroup(own, 'Board');
      await addGroup(own, 'Board Admins', [id]);
      await addGroup(own, 'Guests', [id]);
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
      async (own) => {
        const { service } = own.sandbox;
        await addUser(own, 'ada');
        await addGroup(own, 'Pilots');
        await addGroup(own, 'Pilots Admins');
        service.addMember('Pilots Admins', ada);

        await sweep(own);
        await acceptDrifts(own);

        await untilSoon(() => service.admins('Pilots').includes(ada));
      },
      { settings: { ...SWEEP_SETTINGS, ...settings } },
    ),
  );

  test('what follows from discarded removals is sent at once', () =>
    withRules(
      async (own) => {
        const { service } = own.sandbox;
        const ids = [await addUser(own, 'ada'), await addUser(own, 'bob')];
        const guests = await addGroup(own, 'Guests', ids);
        await addGroup(own, 'Gardeners', ids);
        await untilSettled(own);
        await send(own, 'PATCH', `/Groups/${guests}`, change('remove', ids));
        await untilSettled(own);
        const without = service.getUser(ada).appsPermissions;

        const plans = await askOps(own, 'GET', '/plans?status=held');
        for (const id of listIds(plans)) await askOps(own, 'POST', `/plans/${id}/discard`);

        await untilSoon(() => service.getUser(ada).appsPermissions === 2);
        expect(without).toBe(5);
      },
      { settings: { ...SWEEP_SETTINGS, LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' } },
    ));
});

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
