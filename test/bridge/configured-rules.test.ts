import { beforeAll, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION, USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { Rule } from '../../src/domain/rule-book.ts';
import { isJsonObject } from '../../src/domain/values.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { makeLives } from '../support/lives.ts';
import { decide, untilApplied } from '../support/pilots.ts';
import { admit, expel, replace } from '../support/provider.ts';

const [ada, bob] = ['ada@example.com', 'bob@example.com'];

const rules: Rule[] = [
  { group: 'Board*', permissions: 16, addToCardsAndSpacesEnabled: true },
  { adminsOf: '*', from: '* Admins' },
  { membersOf: '*Guests*', appsPermissions: 2 },
  { membersOf: 'On leave*', temporarilyInactive: true },
  { membersOf: 'G*', appsPermissions: 5 },
];

const ACCEPTS = '{"member.added":"accept","group.renamed":"accept"}';
const rename = (displayName: string) => replace('displayName', displayName);

function listMutations({ sandbox }: TestBridge): string[] {
  return sandbox.calls
    .recent()
    .flatMap(({ method, operation }) => (method === 'GET' ? [] : [operation]))
    .sort();
}

describe('rules of the configuration', () => {
  const bridge = bridgeForSuite({
    settings: { RULES: JSON.stringify(rules), PROTECT_USERS: bob },
  });
  beforeAll(async () => {
    await bridge.addUser('bob');
  });
  const findBob = () => bridge.findId({ type: 'Users', name: bob });

  const openRuled = (given: Rule[], settings: Record<string, string> = {}) =>
    bridgeForTest({ settings: { RULES: JSON.stringify(given), ...settings } });

  test('a member of the source becomes an admin with one call, and is none any more when out of it', async () => {
    const { service } = bridge.sandbox;
    const id = await bridge.addUser('ann');
    await bridge.addGroup('Pilots');
    const source = `/Groups/${await bridge.addGroup('Pilots Admins')}`;
    await bridge.untilSettled();
    bridge.sandbox.calls.reset();

    await bridge.settled(bridge.patch(source, admit(id)));
    const during = [...service.admins('Pilots')];
    await bridge.settled(bridge.patch(source, expel(id)));

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
    const id = await bridge.addUser('eva');
    const guests = `/Groups/${await bridge.addGroup('Guests')}`;
    await bridge.settled(bridge.addGroup('Gardeners', [id]));
    const before = service.getUser('eva@example.com').appsPermissions;
    bridge.sandbox.calls.reset();

    await bridge.settled(bridge.patch(guests, admit(id)));
    const during = (await bridge.send('GET', `/Users/${id}`)).body[USER_EXTENSION];
    const calls = listMutations(bridge);
    bridge.sandbox.calls.reset();
    for (const name of ['Guests', 'Gardeners']) {
      const path = `/Groups/${await bridge.findId({ type: 'Groups', name })}`;
      await bridge.settled(bridge.patch(path, expel(id)));
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
    const after = (await bridge.send('GET', `/Users/${id}`)).body[USER_EXTENSION];
    expect(isJsonObject(after) && after.appsPermissions).toBeFalsy();
  });

  test('a group is created with what its rule says, and a person is given all that rules say, with one call', async () => {
    const { service } = bridge.sandbox;
    const id = await bridge.addUser('dot');
    const guests = await bridge.settled(bridge.addGroup('On leave, Guests'));
    bridge.sandbox.calls.reset();

    await bridge.settled(bridge.addGroup('Board of one'));
    await bridge.settled(bridge.patch(`/Groups/${guests}`, admit(id)));

    expect(service.getGroup('Board of one').permissions).toBe(16);
    const given = { appsPermissions: 2, temporarilyInactive: true };
    expect(service.getUser('dot@example.com')).toMatchObject(given);
    expect(listMutations(bridge)).toEqual([
      'companyUsers.updateUser',
      'groupUsers.addUserToGroup',
      'groups.createGroup',
    ]);
  });

  test('admins whom others put in stay, and so do protected ones', async () => {
    const { service } = bridge.sandbox;
    const ids = [await bridge.addUser('ida'), await findBob()];
    await bridge.addUser('eve');
    await bridge.settled(bridge.addGroup('Chef'));
    service.link('Chef', 'eve@example.com', 'admin');
    const source = `/Groups/${await bridge.addGroup('Chef Admins', ids)}`;
    await bridge.untilSettled();
    const before = service.admins('Chef').length;

    const deletion = await bridge.request('DELETE', source);
    await bridge.settled(bridge.patch(source, rename('Others')));

    expect(deletion.status).toBe(403);
    expect(service.admins('Chef')).toContain('eve@example.com');
    expect(service.admins('Chef')).toContain(bob);
    expect(service.admins('Chef').length).toBe(before - 1);
  });

  test('groups that administer each other come to rest', async () => {
    const own = await openRuled([
      { adminsOf: 'X', from: 'Y' },
      { adminsOf: 'Y', from: 'X' },
    ]);
    const ids = await own.addPeople('ada', 'bob');
    await own.addGroup('X', ids.slice(0, 1));
    await own.settled(own.addGroup('Y', ids.slice(1)));

    const { service } = own.sandbox;
    const listTwo = (name: string) =>
      service.admins(name).filter((one) => [ada, bob].includes(one));
    expect([listTwo('X'), listTwo('Y')]).toEqual([[bob], [ada]]);
  });

  test('other rules at the next start hold everywhere, and none at all take theirs back', async () => {
    const lives = await makeLives();
    const { service } = lives.sandbox;
    const seen: object[] = [];
    const run = (given: Rule[], act: (bridge: TestBridge) => Promise<unknown>) =>
      lives.live(
        async (own) => {
          await own.bridge.rulesApplied();
          await act(own);
          await own.untilSettled();
          const { permissions } = service.getGroup('Board');
          const { appsPermissions } = service.getUser(ada);
          const isAdmin = service.admins('Board').includes(ada);
          const path = `/Users/${await own.findId({ type: 'Users', name: ada })}`;
          const { body } = await own.send('GET', path);
          const shown = Object(body[USER_EXTENSION]).appsPermissions ?? null;
          seen.push({ permissions, appsPermissions, isAdmin, shown });
        },
        { RULES: JSON.stringify(given) },
      );
    const nothing = async () => undefined;

    await run([], async (own) => {
      const id = await own.addUser('ada');
      await own.addGroup('Board');
      await own.addGroup('Board Admins', [id]);
      await own.addGroup('Guests', [id]);
    });
    await run(rules, nothing);
    const others = { membersOf: 'Guests', appsPermissions: 5 };
    await run([{ group: 'Board', permissions: 1 }, others], nothing);
    await run([], nothing);

    expect(seen).toEqual([
      { permissions: 0, appsPermissions: 1, isAdmin: false, shown: null },
      { permissions: 16, appsPermissions: 2, isAdmin: true, shown: 2 },
      { permissions: 1, appsPermissions: 5, isAdmin: false, shown: 5 },
      { permissions: 1, appsPermissions: 5, isAdmin: false, shown: null },
    ]);
  });

  test.each([{ by: 'an operator' }, { by: 'the policy', settings: { DRIFT_POLICY: ACCEPTS } }])(
    'what follows from a difference that $by accepts is sent at once',
    async ({ settings }) => {
      const own = await openRuled(rules, settings);
      const { service } = own.sandbox;
      await own.addUser('ada');
      for (const name of ['Pilots', 'Pilots Admins', 'Friends']) await own.addGroup(name);
      const left = await own.settled(own.addGroup('Board'));
      service.link('Pilots Admins', ada);
      service.updateGroup('Board', { name: 'Cooks' });
      service.updateGroup('Friends', { name: 'Board of friends' });

      await own.sweep();
      const drifts = await own.listOps('/drifts?status=open');
      const body = { decision: 'accept', ids: drifts.map(({ id }) => String(id)) };
      await own.ops('POST', '/drifts/decide', body);

      await untilSoon(() => service.admins('Pilots').includes(ada));
      await untilSoon(() => service.getGroup('Board of friends').permissions === 16);
      const { body: cooks } = await own.send('GET', `/Groups/${left}`);
      expect(Object(cooks[GROUP_EXTENSION]).permissions).toBeFalsy();
    },
  );

  test('no word for all kinds accepts what rules or outer groups would give more for', async () => {
    const own = await openRuled(rules, { DRIFT_POLICY: 'accept', SWEEP_ADMINS_EVERY: '1' });
    const { service } = own.sandbox;
    await own.ops('POST', '/providers/default/change', { nestedGroups: 'flatten' });
    const [id = ''] = await own.addPeople('ada', 'bob');
    await own.addGroup('Pilots Admins', [id]);
    await own.addGroup('Outer', [await own.addGroup('Inner')]);
    for (const name of ['Pilots', 'Friends', 'Plain']) await own.settled(own.addGroup(name));
    await own.sweep();
    for (const name of ['Pilots Admins', 'Inner', 'Plain']) service.link(name, bob);
    service.link('Pilots', bob, 'admin');
    service.updateGroup('Friends', { name: 'Board' });
    await own.sweep();

    const granting = ['Inner', 'Pilots Admins'].map((name) => `member.added ${name} of ${bob}`);
    const open = [`admin.added Pilots of ${bob}`, 'group.renamed Friends', ...granting];
    expect(await own.listDrifts()).toEqual(open);
    expect(await own.listDrifts('accepted')).toEqual([`member.added Plain of ${bob}`]);
  });

  test('undoing gives nobody what nobody had, and keeps whom a rule put in as the rule’s', async () => {
    const own = await openRuled(rules, { DRIFT_POLICY: 'repair', SWEEP_ADMINS_EVERY: '1' });
    const { service } = own.sandbox;
    const [id = ''] = await own.addPeople('ada', 'bob');
    await own.addGroup('Pilots');
    const source = await own.settled(own.addGroup('Pilots Admins', [id]));
    service.link('Pilots Admins', bob);
    const repaired = await untilApplied(own, (await own.sweep()).planId);
    const undone = await decide(own, repaired, 'undo');
    service.unlink('Pilots', ada, 'admin');
    let plan = await untilApplied(own, (await own.sweep()).planId);
    for (const _ of ['undo', 'undo of the undo'])
      plan = await untilApplied(own, (await decide(own, plan, 'undo')).body.id);
    const again = service.admins('Pilots').includes(ada);
    await own.settled(own.patch(`/Groups/${source}`, expel(id)));

    expect(undone.body).toMatchObject({ code: 'nothing-to-undo', leftOut: 1 });
    expect([again, service.admins('Pilots').includes(ada)]).toEqual([true, false]);
  });

  test('what follows from discarded removals is sent at once', async () => {
    const own = await openRuled(rules, { LIMITS_PROVIDER: '1', LIMITS_PROVIDER_PERCENT: '0' });
    const { service } = own.sandbox;
    const ids = await own.addPeople('ada', 'bob');
    const guests = await own.addGroup('Guests', ids);
    await own.settled(own.addGroup('Gardeners', ids));
    await own.settled(own.patch(`/Groups/${guests}`, expel(...ids)));
    const without = service.getUser(ada).appsPermissions;

    for (const { id } of await own.listOps('/plans?status=held'))
      await own.ops('POST', `/plans/${id}/discard`);

    await untilSoon(() => service.getUser(ada).appsPermissions === 2);
    expect(without).toBe(5);
  });
});

const SOON_MS = 10_000;

async function untilSoon(isSo: () => boolean): Promise<void> {
  await expect.poll(isSo, { timeout: SOON_MS }).toBe(true);
}
