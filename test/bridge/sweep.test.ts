import { describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import {
  ada,
  addCompany,
  assertFindsEveryKind,
  bob,
  driftCells,
  isMetAlone,
} from '../support/drift-cells.ts';
import { failing, HANGING } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { addPilots, countMembers, intrude, readPlan, untilApplied } from '../support/pilots.ts';
import { admit, expel, toGroup, toMembers } from '../support/provider.ts';
import { copyStore, makeStoreFile } from '../support/take-store.ts';
import { tamperWith } from '../support/tampering-proxy.ts';
import { startTimedBridge } from '../support/timed-bridge.ts';

const settings = { SWEEP_ADMINS_EVERY: '1', GROUPS_PERMISSIONS_MAX: '31' };

function listChanges({ sandbox }: TestBridge): string[] {
  const pattern = /\.(add|update|create|remove|delete)/;
  return Object.keys(sandbox.calls.counts()).filter((name) => pattern.test(name));
}

test('a sweep finds differences of every kind, writes nothing, and sees that they are gone', async () => {
  const bridge = await bridgeForTest({ settings });
  const { service, calls } = bridge.sandbox;
  await assertFindsEveryKind(bridge);
  calls.reset();
  for (const { kind, name, change, changeBack } of driftCells.filter(isMetAlone)) {
    change(service);

    const first = await bridge.sweep();
    const found = await bridge.listDrifts();
    const second = await bridge.sweep();

    expect(first).toMatchObject({ status: 'complete', counts: { opened: 1, unknown: 0 } });
    expect(found).toEqual([`${kind} ${name}`]);
    expect(second).toMatchObject({ status: 'complete', counts: { opened: 0, gone: 0 } });
    expect(await bridge.listDrifts()).toEqual(found);
    if (changeBack === undefined) continue;
    changeBack(service);
    await bridge.sweep();
    expect(await bridge.listDrifts()).toEqual([]);
  }
  expect(listChanges(bridge)).toEqual([]);
  expect(await bridge.ops('GET', '/sweeps')).toMatchObject({ status: 200 });
});

test('whom others made an admin before the admins were first read differs, and not the account of the token', async () => {
  const bridge = await bridgeForTest({ settings });
  const { service } = bridge.sandbox;
  const [id] = await bridge.addPeople('ada', 'bob');
  const crew = toGroup('Crew', [], { admins: toMembers([id]) });
  await bridge.settled(bridge.send('POST', '/Groups', crew));
  service.link('Crew', 'bob@example.com', 'admin');
  await bridge.sweep();

  expect(await bridge.listDrifts()).toEqual(['admin.added Crew of bob@example.com']);
});

test('20 people and 4 groups cost a call a page, and one a group when admin lists are due', async () => {
  const paid = { ...settings, SWEEP_ADMINS_EVERY: '2', UPSTREAM_PAGE_SIZE: '5' };
  const bridge = await bridgeForTest({ settings: paid, sandbox: { seed: { users: 19 } } });
  const id = await bridge.addUser('ada');
  const toRuled = (n: number) => toGroup(`Group ${n}`, [id], { admins: toMembers([id]) });
  await Promise.all([0, 1, 2, 3].map((n) => bridge.send('POST', '/Groups', toRuled(n))));
  await bridge.untilSettled();
  const { calls } = bridge.sandbox;

  calls.reset();
  const lists = await bridge.sweep();
  const listCalls = calls.count();
  calls.reset();
  const withAdmins = await bridge.sweep();

  expect(lists).toMatchObject({ status: 'complete', admins: false, calls: listCalls });
  expect(listCalls).toBeLessThanOrEqual(2 * 5 + 2 * 1 + 4);
  expect(withAdmins).toMatchObject({ status: 'complete', admins: true, calls: calls.count() });
  expect(calls.count()).toBe(listCalls + 4);
  expect(await bridge.listDrifts()).toEqual([]);
});

test('of more missing groups than one sweep looks for, the managed ones are looked for first', async () => {
  const seed = { users: 1, groups: 240, membersPerGroup: 0 };
  const bridge = await bridgeForTest({ settings, sandbox: { seed } });
  const { service } = bridge.sandbox;
  const names = ['Cooks', 'Drivers', 'Editors', 'Farmers'];
  for (const name of ['Bakers', ...names]) await bridge.settled(bridge.addGroup(name));
  const unmanaged = service.state.groups.all().filter(({ name }) => name.startsWith('Group '));
  for (const { id } of unmanaged) service.deleteGroup(id);
  for (const name of names) service.deleteGroup(name);

  const sweep = await bridge.sweep();

  const reasons = ['44 more groups are missing and were not looked for yet'];
  expect(sweep).toMatchObject({ status: 'incomplete', reasons });
  expect(await bridge.listDrifts()).toEqual(names.map((name) => `group.missing ${name}`));
});

test('a start compares a store that was filled before, and not one that has just been read', async () => {
  const service = await forTest(startSandbox({ seed: { users: 1 } }));
  const logs: JsonObject[] = [];
  const onLog = (line: JsonObject) => void logs.push(line);
  const swept = () => logs.filter(({ msg }) => msg === 'the service was compared with the store');
  const hourly = { ...settings, SWEEP_INTERVAL: '1h', DATABASE_URL: makeStoreFile() };
  const first = await startTestBridge({ service, settings: hourly, onLog });
  await first.settled(first.addUser('ada'));
  const { body } = await first.ops('GET', '/sweeps');
  await first.stop();
  service.service.as('user00001@example.com').updateUser(ada, { active: false });

  const second = await bridgeForTest({ service, settings: hourly, onLog });
  await expect.poll(swept).toHaveLength(1);

  expect(body.items).toEqual([]);
  expect(await second.listDrifts()).toEqual([`user.deactivated ${ada}`]);
});

test('scim-bridge sweep tells what differs, and by its exit code whether anything managed does', async () => {
  const bridge = await bridgeForTest({ settings });
  await bridge.addUser('ada');
  const run = (args: string) => runner(bridge)(...args.split(' '));

  const before = await run('sweep --exit-code');
  bridge.sandbox.service.updateUser(ada, { active: false });
  const after = await run('sweep --exit-code');
  const json = await run('sweep --json');
  bridge.sandbox.faults.add({ operation: 'scim.getGroups', fault: failing(400) });
  const incomplete = await run('sweep');

  expect(before.code).toBe(0);
  expect(after).toMatchObject({ code: 2, text: expect.stringMatching(/user\.deactivated +1\n/) });
  // A scheduled job may print it.
  expect(after.text).toContain('1 unmanaged: scim-bridge unmanaged');
  expect(after.text).not.toMatch(/@example\.com/);
  expect(json).toMatchObject({ code: 0, text: expect.stringContaining(ada) });
  expect(JSON.parse(json.text)).toMatchObject({ sweep: { status: 'complete' } });
  expect(incomplete.code).toBe(1);
  expect(incomplete.text).toContain('not concluded: scim.getGroups');
});

const NAMES = ['ada', 'bob'];

async function startWorld(prepare?: (service: Sandbox['service']) => void) {
  const sandbox = await forTest(startSandbox());
  prepare?.(sandbox.service);
  const proxy = await forTest(tamperWith(sandbox));
  const settings = { SCIM_WRITE_WAIT: '0' };
  return { sandbox, proxy, bridge: await bridgeForTest({ settings, service: proxy.service }) };
}

test.each<[what: string, count: number, operation: OperationName]>([
  ['several members', 2, 'scim.updateGroup'],
  ['one member', 1, 'groupUsers.removeUserFromGroup'],
])(
  'a list that was asked for before the removal of %s ended does not pass for news',
  async (_, count, operation) => {
    const { sandbox, proxy, bridge } = await startWorld();
    const ids = await Promise.all(NAMES.map((name) => bridge.addUser(name)));
    const group = await bridge.settled(bridge.addGroup('Pilots', ids));
    await bridge.sweep();
    const members = ids.slice(0, count);
    const removal = sandbox.faults.add({ operation, fault: HANGING, times: 1 });
    const [listed, shown, stored] = [open(), open(), open()];
    proxy.setTamper(async (url, body) => {
      if (url.pathname === '/scim/v2/Groups') {
        listed.resolve();
        await shown.promise;
      }
      // The next list is asked for when the one before is stored.
      if (url.pathname.endsWith('/groups')) stored.resolve();
      return body;
    });

    await bridge.patch(`/Groups/${group}`, expel(...members));
    await removal.until(1);
    const { body } = await bridge.ops('POST', '/sweeps');
    await listed.promise;
    sandbox.faults.release(HANGING);
    await bridge.untilSettled();
    shown.resolve();
    await stored.promise;
    await bridge.settled(bridge.patch(`/Groups/${group}`, admit(...members)));
    await bridge.untilSwept(String(body.id));

    expect(sandbox.service.members('Pilots').toSorted()).toEqual([ada, bob]);
  },
);

test('a list of admins that was read before one was made does not pass for news', async () => {
  const prepare = (service: Sandbox['service']) => void service.createGroup({ name: 'Pilots' });
  const { sandbox, proxy, bridge } = await startWorld(prepare);
  const [ada, bob] = await Promise.all(NAMES.map((name) => bridge.addUser(name)));
  const path = `/Groups/${await bridge.findId({ type: 'Groups', name: 'Pilots' })}`;
  const admins = { path: `${GROUP_EXTENSION}:admins`, value: toMembers([String(ada)]) };
  const reads = [0, 1].map(() => ({ asked: open(), shown: open() }));
  let count = 0;
  proxy.setTamper(async (url, body) => {
    if (!url.pathname.endsWith('/admins')) return body;
    const read = reads[count];
    count += 1;
    read?.asked.resolve();
    await read?.shown.promise;
    return body;
  });

  const first = bridge.patch(path, { op: 'add', ...admins });
  await reads[0]?.asked.promise;
  const second = bridge.patch(path, admit(String(bob)));
  await reads[1]?.asked.promise;
  reads[0]?.shown.resolve();
  await first;
  await bridge.untilSettled();
  reads[1]?.shown.resolve();
  await second;
  await bridge.settled(bridge.patch(path, { op: 'remove', ...admins }));

  expect(sandbox.service.admins('Pilots')).toEqual([]);
});

function open() {
  return Promise.withResolvers<void>();
}

describe('sweep crash', () => {
  const paged = { ...settings, UPSTREAM_PAGE_SIZE: '2' };
  const ADMIN = 'admin@example.com';
  const CHANGED = [`member.added Pilots of ${bob}`, `user.deactivated ${ada}`];
  const DRIFTS = ['group.missing Cooks', ...CHANGED];

  /** Where a sweep stands when its process is killed: the call that is on its way, after so many of the same. */
  const places: { what: string; operation: OperationName; skip?: number }[] = [
    { what: 'in the list of people', operation: 'scim.getUsers', skip: 1 },
    { what: 'when it looks at a group again', operation: 'groupUsers.getListOfGroupUsers' },
  ];

  async function startWorld(): Promise<Sandbox> {
    const service = await forTest(startSandbox());
    service.service.addUser({ email: ADMIN, fullName: 'An Admin' });
    return service;
  }

  async function addChangedCompany(bridge: TestBridge): Promise<void> {
    await addCompany(bridge);
    await bridge.addGroup('Cooks');
    expect(await bridge.sweep()).toMatchObject({ status: 'complete', counts: { unknown: 0 } });
    // By somebody else: by our own account it would look like a restored backup.
    const behind = bridge.sandbox.service.as(ADMIN);
    behind.updateUser(ada, { active: false });
    behind.link('Pilots', bob);
    behind.deleteGroup('Cooks');
  }

  async function kill(bridge: TestBridge, { faults }: Sandbox, url: string): Promise<string> {
    const copy = copyStore(url);
    faults.clear();
    await bridge.stop();
    return copy;
  }

  for (const { what, operation, skip } of places) {
    test(`a sweep that is killed ${what} begins again at the next start, and finds each difference once`, async () => {
      const service = await startWorld();
      const url = makeStoreFile();
      const first = await startTestBridge({ service, settings: { ...paged, DATABASE_URL: url } });
      await addChangedCompany(first);
      const hang = service.faults.add({ operation, fault: HANGING, skip });
      const { body } = await first.ops('POST', '/sweeps');
      await hang.until(1);
      const DATABASE_URL = await kill(first, service, url);

      const second = await bridgeForTest({ service, settings: { ...paged, DATABASE_URL } });
      const ended = await second.untilSwept(String(body.id));
      const found = await second.listDrifts();
      const again = await second.sweep();

      expect(ended).toMatchObject({ status: 'complete', reasons: [] });
      expect(found).toEqual(DRIFTS);
      expect(again).toMatchObject({ status: 'complete', counts: { opened: 0, gone: 0 } });
      expect(await second.listOps('/drifts')).toHaveLength(DRIFTS.length);
    });
  }

  test('a page of the audit log that is on its way at a kill is read at the next start, each event once', async () => {
    const service = await startWorld();
    const url = makeStoreFile();
    const polled = { ...paged, AUDIT_POLL_INTERVAL: '1s' };
    const first = await startTestBridge({ service, settings: { ...polled, DATABASE_URL: url } });
    await addCompany(first);
    await first.untilSettled();
    const operation = 'auditLogs.retrieveAuditLogEvents';
    const hang = service.faults.add({ operation, fault: HANGING, skip: 1 });
    const behind = service.service.as(ADMIN);
    behind.updateUser(ada, { active: false });
    behind.link('Pilots', bob);
    await hang.until(1);
    const DATABASE_URL = await kill(first, service, url);

    const clock = createLeapingClock();
    const second = await bridgeForTest({ service, settings: { ...polled, DATABASE_URL }, clock });
    await expect.poll(() => second.listDrifts()).toEqual(CHANGED);
    await second.untilSettled();

    expect(await second.listOps('/drifts')).toHaveLength(CHANGED.length);
  });
});

describe('repairs by the hour', () => {
  const settings = { DRIFT_POLICY: 'repair', LIMITS_REPAIR: '5' };
  const hours = 3;

  test('four an hour are held once they are more than five in a day, and go on being held', async () => {
    const { bridge, clock } = await forTest(startTimedBridge({ settings }));
    await addPilots(bridge, 4 * hours);
    const planned: (string | undefined)[] = [];
    for (let hour = 0; hour < hours; hour += 1) {
      intrude(bridge, hour * 4, (hour + 1) * 4);
      const { status, planId } = await bridge.sweep();
      if (status === 'complete' && planId !== null) await untilApplied(bridge, planId);
      planned.push(String(status));
      clock.leap(3_600_000);
    }

    expect(planned).toEqual(['complete', ...Array.from({ length: hours - 1 }, () => 'held')]);
    expect(countMembers(bridge)).toBe(4 * (hours - 1));
    const { body } = await bridge.ops('GET', '/plans?status=held');
    expect(body.items).toMatchObject([{ counts: { total: 4 * (hours - 1) } }]);
  });
});

const addresses = [1, 2, 3, 4, 5].map((number) => `person${number}@example.com`);

async function sweepAndRead(bridge: TestBridge): Promise<[unknown, string]> {
  const { planId } = await bridge.settled(bridge.sweep());
  const { status, reason } = await readPlan(bridge, planId);
  return [status, String(reason)];
}

test('people whom somebody locked out are not let in beyond the limits, and members whom somebody took out are not put back', async () => {
  const settings = { DRIFT_POLICY: '{"default":"repair"}', LIMITS_REPAIR: '3' };
  const bridge = await bridgeForTest({ settings });
  const { service } = bridge.sandbox;
  await bridge.settled(bridge.addGroup('Pilots', await bridge.addUsers(addresses.length)));
  for (const address of addresses.slice(1)) service.unlink('Pilots', address);
  const ofMembers = await sweepAndRead(bridge);
  for (const address of addresses) service.updateUser(address, { active: false });
  const ofPeople = await sweepAndRead(bridge);

  expect(ofMembers).toEqual(['held', expect.stringContaining('addMember: 4')]);
  expect(ofPeople).toEqual(['held', expect.stringContaining('activate: 5')]);
  expect(service.members('Pilots')).toEqual(addresses.slice(0, 1));
  expect(service.users().filter(({ active }) => active)).toHaveLength(1);
});
