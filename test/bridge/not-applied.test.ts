import { afterEach, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startAudit } from '../support/audit-world.ts';
import { startBridgeOf } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forSuite } from '../support/lifetimes.ts';
import { admit, dismiss, replace, toMembers } from '../support/provider.ts';
import { tamperWith, withEntries } from '../support/tampering-proxy.ts';
import { untilQuiet } from '../support/timed-bridge.ts';

const MINUTE_MS = 60_000;
const ATTEMPTS = 3;
const words = 'the service accepted the change and still says otherwise';
const problem = { code: 'not-applied', words };

const settings = {
  ...{ SWEEP_ADMINS_EVERY: '1', SCIM_WRITE_WAIT: '50ms', USERS_ADOPT_ON_DELETE: 'yes' },
  UPSTREAM_ATTEMPTS_BEFORE_STUCK: `${ATTEMPTS}`,
};
const world = forSuite(() => startAudit({ settings }));
const untilCalm = (ms: number) => untilQuiet({ bridge: world, clock: world.clock }, ms);

const path = `${GROUP_EXTENSION}:admins`;
const toAdmin = (op: 'add' | 'remove', id: string) => ({ op, path, value: toMembers([id]) });

/** The service answers these with 204 and does nothing. @returns how often each was called since */
function doNothing(...operations: readonly OperationName[]) {
  const { faults, calls } = world.sandbox;
  calls.reset();
  for (const operation of operations) faults.add({ operation, fault: failing(204) });
  return () => operations.map((operation) => calls.count({ operation }));
}

async function recover(): Promise<void> {
  world.sandbox.faults.clear();
  await untilCalm(120 * MINUTE_MS);
  expect(await world.listStuck()).toEqual([]);
  expect(await world.readWork()).toMatchObject({ due: 0 });
}

test('a change that the service answers with 204 and does not make is drift, found by the next sweep', async () => {
  const [ada, bob] = await world.addPeople('ada', 'bob');
  const [pilots, crew] = [await world.addGroup('Pilots'), await world.addGroup('Crew')];
  await world.patch(`/Groups/${crew}`, toAdmin('add', bob));
  await untilCalm(MINUTE_MS);
  await world.sweep();
  const countCalls = doNothing('groupUsers.addUserToGroup', 'groupAdmins.removeAdminFromGroup');
  await world.patch(`/Groups/${pilots}`, admit(ada));
  await world.patch(`/Groups/${crew}`, toAdmin('remove', bob));
  await untilCalm(MINUTE_MS);
  await world.sweep();
  const found = await world.listDrifts();
  const calls = countCalls();
  await recover();

  const ofAda = 'member.removed Pilots of ada@example.com';
  expect(found).toEqual(['admin.added Crew of bob@example.com', ofAda]);
  expect(calls).toEqual([1, 1]);
});

test('a removal that the service answers with 204 and does not make ends as stuck: of a virtual user at once, of a group once a list shows it', async () => {
  const { service } = world.sandbox;
  service.addUser({ email: 'vera@example.com', fullName: 'Vera', virtual: true });
  await world.sweep();
  const vera = await world.findId({ type: 'Users', name: 'vera' });
  const group = await world.addGroup('Cooks');
  await untilCalm(MINUTE_MS);
  const countCalls = doNothing('groups.removeGroup', 'companyUsers.removeVirtualUser');
  await world.send('DELETE', `/Groups/${group}`);
  await untilCalm(MINUTE_MS);
  const believed = countCalls();
  world.clock.leap(MINUTE_MS);
  await world.sweep();
  await world.send('DELETE', `/Users/${vera}`);
  await untilCalm(10 * MINUTE_MS);
  const stuck = await world.listStuck();
  const calls = countCalls();
  await recover();

  expect(believed).toEqual([1, 0]);
  const fields = ['active', 'existence'];
  expect(stuck.toSorted(byField)).toMatchObject(fields.map((field) => ({ field, problem })));
  expect(calls).toEqual([ATTEMPTS, ATTEMPTS]);
  expect(service.findGroup('Cooks')).toBeUndefined();
  expect(service.findUser('vera@example.com')).toBeUndefined();
  expect((await world.request('GET', `/Groups/${group}`)).status).toBe(404);
});

test.each([0, 1, 2])(
  'a removal of an admin who is out already is not refused where the list cannot be read: %i times read before',
  async (skip) => {
    const { service, faults } = world.sandbox;
    const [name, group] = [`gus${skip}`, `Desk ${skip}`];
    const [gus, desk] = [await world.addUser(name), await world.addGroup(group)];
    await world.patch(`/Groups/${desk}`, toAdmin('add', gus));
    await untilCalm(MINUTE_MS);
    service.unlink(group, `${name}@example.com`, 'admin');
    const unreadable = {
      operation: 'groupAdmins.getListOfGroupAdmins',
      fault: { kind: 'html' },
    } as const;
    for (const rule of [{ times: 1 }, { skip, times: 1 }]) faults.add({ ...unreadable, ...rule });
    await world.patch(`/Groups/${desk}`, toAdmin('remove', gus));
    await untilCalm(MINUTE_MS);

    expect(await world.listStuck()).toEqual([]);
  },
);

const byField = (one: JsonObject, other: JsonObject) =>
  String(one.field).localeCompare(String(other.field));

const OUT = replace('active', false);
const RECHECK_MS = 360_000;

describe('what the service does not show, or shows in place of another', () => {
  const clock = createLeapingClock();
  const settings = { SCIM_WRITE_WAIT: '0s', DRIFT_POLICY: '{"default":"repair"}' };
  const sandbox = forSuite(() => startSandbox({ clock: () => clock.now() }));
  const tampered = forSuite(() => tamperWith(sandbox, 'any'));
  const bridge = forSuite(() => startBridgeOf(tampered.service, { clock, settings }));
  afterEach(() => see());

  /** A token that has lost its rights: lists show nobody but these, and nobody is found by id. */
  function blind(shown: readonly number[]): void {
    tampered.setTamper((url, body) => {
      if (!/\/(Users|groups|users|Groups)$/.test(url.pathname)) return body;
      const left = withEntries((all) => all.filter((one) => shown.includes(Object(one).id)))(body);
      const totalResults = Object(Object(left).Resources).length;
      return Array.isArray(left) ? left : { ...Object(left), totalResults };
    });
    const looks = ['scim.getUser', 'scim.updateUser', 'scim.getGroup', 'groups.getGroup'] as const;
    for (const operation of looks) sandbox.faults.add({ operation, fault: failing(404) });
  }

  function see(): void {
    tampered.setTamper(undefined);
    sandbox.faults.clear();
  }

  const isActive = (name: string) => sandbox.service.getUser(`${name}@example.com`).active;
  /** Moves time on, while no call is under way that would come to its limit by that, until this is so. */
  async function untilSeen(read: () => unknown, wanted: unknown): Promise<void> {
    const goOn = () => {
      if (sandbox.calls.open === 0) clock.leap(RECHECK_MS);
      return read();
    };
    await expect.poll(goOn).toBe(wanted);
  }
  test.each([
    { shows: 'nothing', shown: [], names: ['ada', 'bob', 'cy'] },
    { shows: 'itself alone', shown: ['owner@example.com'], names: ['ann', 'ben', 'cor'] },
  ])(
    'a token that the service shows $shows makes nobody missing, and what was asked meanwhile comes true',
    async ({ shows, shown, names }) => {
      const [ada = '', bob = ''] = names;
      const { service } = sandbox;
      const ids = await bridge.addPeople(...names);
      const team = await bridge.settled(bridge.addGroup(shows, ids));
      blind(shown.map((email) => service.getUser(email).id));
      const swept = await bridge.sweep();
      await bridge.patch(`/Users/${ids[1]}`, OUT);
      await bridge.patch(`/Groups/${team}`, dismiss(ids[2]));
      await expect.poll(bridge.listReasons).toContain('section-closed');
      see();
      await untilSeen(() => isActive(bob), false);
      await untilSeen(async () => (await bridge.readWork())?.due, 0);
      const members = service.members(shows).length;
      await bridge.settled(bridge.sweep());

      expect(swept.status).toBe('incomplete');
      expect(members).toBe(2);
      expect(await bridge.listDrifts()).toEqual([]);
      expect(service.groups().filter(({ name }) => name === shows)).toHaveLength(1);
      expect(isActive(ada)).toBe(true);
      await expect.poll(bridge.listReasons).not.toContain('section-closed');
    },
  );

  test('the answer to a create that is about another account or group leaves both alone', async () => {
    const { service } = sandbox;
    const stranger = service.addUser({ email: 'eve@elsewhere.com', fullName: 'Eve Else' });
    const foreign = service.createGroup({ name: 'Foreign' });
    await bridge.sweep();
    const answers = Object.entries<object>({ '/Users': stranger, '/groups': foreign });
    let isMixed = true;
    tampered.setTamper((url, body) => {
      const other = answers.find(([path]) => url.pathname.endsWith(path))?.[1];
      if (!isMixed || other === undefined || Array.isArray(body)) return body;
      if (Object(body).Resources !== undefined) return body;
      const { id, uid, userName, email, name, created } = Object(other);
      return userName === undefined
        ? { ...Object(body), id, uid, name, created }
        : { ...Object(body), id, userName, emails: [{ value: email }] };
    });
    const mine = await bridge.addUser('mine');
    await bridge.addGroup('Mine', [mine]);
    await untilSeen(() => service.findGroup('Mine')?.name, 'Mine');
    isMixed = false;
    await untilSeen(async () => (await bridge.readWork())?.due, 0);
    await bridge.patch(`/Users/${mine}`, OUT);
    await untilSeen(() => isActive('mine'), false);

    expect(service.getUser(stranger.id)).toEqual(stranger);
    expect(service.getGroup(foreign.id)).toEqual(foreign);
    expect(service.groups().filter(({ name }) => name === 'Mine')).toHaveLength(1);
  });

  test('a service that answers 404 to everything has nobody made anew', async () => {
    const fay = await bridge.addUser('fay');
    await bridge.settled(bridge.addGroup('Crew', [fay]));
    sandbox.calls.reset();
    const lost = sandbox.faults.add({ operation: '*', fault: failing(404) });
    await bridge.patch(`/Users/${fay}`, replace('name.familyName', 'King'));
    await lost.until(4);
    await expect.poll(async () => (await bridge.readReadiness()).text).toContain('section-closed');
    see();
    await untilSeen(() => sandbox.service.getUser('fay@example.com').fullName, 'Fay King');

    expect(sandbox.calls.count({ operation: 'scim.addUser' })).toBe(0);
    expect(sandbox.calls.count({ operation: 'groupUsers.addUserToGroup' })).toBe(0);
  });

  function hide(text: string): void {
    const isHidden = (body: unknown) => JSON.stringify(body).includes(text);
    const leaveOut = withEntries((entries) => entries.filter((entry) => !isHidden(entry)));
    tampered.setTamper((url, body) => {
      if (!isHidden(body)) return body;
      if (!/\/(Users|groups|users|Groups)$/.test(url.pathname)) return undefined;
      if (Array.isArray(body)) return leaveOut(body);
      // The answer to a create is no list.
      if (Object(body).Resources === undefined) return body;
      const { Resources } = Object(leaveOut(body));
      return { ...Object(body), Resources, totalResults: Resources.length };
    });
  }

  test('somebody who is hidden while a repair makes the account anew is found by the next sweep', async () => {
    const gwen = await bridge.settled(bridge.addUser('gwen'));
    hide('gwen@');
    sandbox.calls.reset();
    await bridge.sweep();
    await expect.poll(() => sandbox.calls.count({ operation: 'scim.addUser' })).toBeGreaterThan(0);
    see();
    await untilSeen(async () => (await bridge.sweep()).status, 'complete');
    await bridge.untilSettled();
    await bridge.patch(`/Users/${gwen}`, OUT);

    await untilSeen(() => isActive('gwen'), false);
    expect(await bridge.find('/Users', 'userName eq "gwen@example.com"')).toHaveLength(1);
  });

  test('a group that the service does not show is made anew once, and not again and again', async () => {
    const [hal = '', ...others] = await bridge.addUsers(3);
    const group = await bridge.settled(bridge.addGroup('Ghost', others));
    sandbox.service.deleteGroup('Ghost');
    hide('Ghost');
    sandbox.calls.reset();
    await bridge.patch(`/Groups/${group}`, admit(hal));
    const looks = () => {
      clock.leap(2_000);
      return sandbox.calls.count({ operation: 'groups.getGroup' });
    };
    await expect.poll(looks).toBeGreaterThan(12);

    expect(sandbox.calls.count({ operation: 'groups.createGroup' })).toBe(1);
  });

  test('an answer about another account proves nothing', async () => {
    const [cleo, dora] = await bridge.addPeople('cleo', 'dora');
    await bridge.settled(bridge.patch(`/Users/${dora}`, OUT));
    const { id } = sandbox.service.getUser('cleo@example.com');
    const { id: otherId } = sandbox.service.getUser('dora@example.com');
    const other = { id: String(otherId), userName: 'dora@example.com', active: false };
    const fault = { kind: 'reset', at: 'before-effect' } as const;
    sandbox.faults.add({ operation: 'scim.updateUser', fault, times: 1 });
    tampered.setTamper((url, body) => (url.pathname.endsWith(`/Users/${id}`) ? other : body));
    await bridge.patch(`/Users/${cleo}`, OUT);
    const looks = () => {
      clock.leap(60_000);
      return sandbox.calls.count({ operation: 'scim.getUser' });
    };
    sandbox.calls.reset();
    await expect.poll(looks).toBeGreaterThan(1);
    const [before] = Object((await bridge.ops('GET', `/leavers?resource=${cleo}`)).body).items;
    see();
    await untilSeen(() => isActive('cleo'), false);

    expect(before.status).toBe('waits');
  });

  test('an answer about another group changes nothing that is known', async () => {
    const id = await bridge.addGroup('Mixed', [await bridge.addUser('ella')]);
    await bridge.settled(bridge.addGroup('Other'));
    const [mixed, other] = [sandbox.service.getGroup('Mixed'), sandbox.service.getGroup('Other')];
    const ids = { id: other.id, uid: other.uid, name: 'Other' };
    const isOfMixed = ({ pathname }: URL) => pathname.endsWith(`/groups/${mixed.uid}`);
    const mix = () =>
      tampered.setTamper((url, body) => (isOfMixed(url) ? { ...Object(body), ...ids } : body));
    mix();
    const looked = await bridge.ops('POST', `/groups/${id}/look`, {});
    see();
    expect(looked.status).toBe(503);
    expect(await bridge.listDrifts()).toEqual([]);

    mix();
    sandbox.calls.reset();
    await bridge.patch(`/Groups/${id}`, replace('displayName', 'Mixed again'));
    const look = { operation: 'groups.getGroup' } as const;
    await untilSeen(() => sandbox.calls.count(look) > 0, true);
  });

  test('a removal of an admin that a list of nobody seems to confirm waits while the service shows no people', async () => {
    const { service, faults, calls } = sandbox;
    const [ivy, desk] = [await bridge.addUser('ivy'), await bridge.addGroup('Desk')];
    await bridge.settled(bridge.patch(`/Groups/${desk}`, toAdmin('add', ivy)));
    // No sweep is half way through when people begin to be hidden.
    await bridge.sweep();
    calls.reset();
    const operation = 'groupAdmins.removeAdminFromGroup';
    faults.add({ operation, fault: failing(404) });
    tampered.setTamper((url, body) => {
      if (url.pathname.endsWith('/admins')) return [];
      return url.pathname.endsWith('/Users') ? { Resources: [], totalResults: 0 } : body;
    });
    await bridge.patch(`/Groups/${desk}`, toAdmin('remove', ivy));
    await untilSeen(() => calls.count({ operation }) > 1, true);
    see();
    await untilSeen(() => service.admins('Desk').includes('ivy@example.com'), false);
    await expect.poll(bridge.listStuck).toEqual([]);
  });
});
