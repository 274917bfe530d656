import { describe, expect, test } from 'vitest';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { TestBridge } from '../support/bridge.ts';
import { type CalmClock, startCalmBridge } from '../support/calm-clock.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { toObjects } from '../support/operator.ts';
import { emailOf } from '../support/pilots.ts';
import { expel, replace } from '../support/provider.ts';

const MINUTE_MS = 60_000;
const words = 'the sandbox was told to fail';

const BROKEN = failing(500, 'message');

const toName = (familyName: string) => replace('name.familyName', familyName);
const toActive = (active: boolean) => replace('active', active);
const toDisplayName = (value: string) => replace('displayName', value);

function breakChanges({ sandbox }: TestBridge, operation: OperationName, about: string) {
  return sandbox.faults.add({ operation, about, fault: BROKEN });
}

function accountOf({ sandbox }: TestBridge, address: string): string {
  return `/${sandbox.service.getUser(address).id} `;
}

async function listStuckParts(bridge: TestBridge) {
  const stuck = await bridge.listStuck();
  return stuck.map(({ name, field, problem }) => `${name}, ${field}: ${Object(problem).words}`);
}

const listFailing = async (bridge: TestBridge) =>
  toObjects((await bridge.ops('GET', '/status')).body.failing);

const calm = { settings: { SCIM_WRITE_WAIT: '1s', UPSTREAM_ATTEMPTS_BEFORE_STUCK: '8' } };

test('a change that the service fails at, while it makes others is tried ever less often, is told while it fails, and ends as stuck with the words of the service', async () => {
  const { bridge, clock } = await forTest(startCalmBridge({ ...calm, requestsPerSecond: 5 }));
  const { sandbox } = bridge;
  const create = bridge.addUser('ada');
  await clock.passFor(bridge.sandbox, 2_000);
  const path = `/Users/${await create}`;
  breakChanges(bridge, 'scim.updateUser', accountOf(bridge, 'ada@example.com'));
  sandbox.calls.reset();

  const answer = bridge.tryPatch(path, toActive(false));
  await clock.passFor(bridge.sandbox, 75_000);
  const patches = sandbox.calls.count({ operation: 'scim.updateUser' });
  const failing = await listFailing(bridge);

  expect((await answer).status).toBe(200);
  expect(patches).toBeGreaterThan(4);
  expect(patches).toBeLessThan(12);
  expect(failing).toMatchObject([{ name: 'ada@example.com', problem: { words } }]);
  expect(clock.now() - Date.parse(String(failing[0]?.since))).toBeGreaterThan(70_000);

  await clock.passFor(bridge.sandbox, 2 * MINUTE_MS);
  expect(await listStuckParts(bridge)).toEqual([`ada@example.com, active: ${words}`]);
  expect(await listFailing(bridge)).toEqual([]);
  expect(sandbox.calls.count({ operation: 'scim.updateUser' })).toBeLessThan(15);

  sandbox.calls.reset();
  await clock.passFor(bridge.sandbox, 3 * MINUTE_MS);
  expect(sandbox.calls.count()).toBe(0);
});

describe('an outage of the service', () => {
  const addresses = ['person1', 'person2', 'person3', 'person4'];

  test('in which it only refuses to change anything makes nothing stuck, however long it takes', async () => {
    const { bridge, clock } = await forTest(startCalmBridge(calm));
    const { sandbox } = bridge;
    const created = bridge.addUsers(4);
    await clock.passFor(bridge.sandbox, 3_000);
    const ids = await created;
    const outage = sandbox.faults.add({ operation: 'scim.updateUser', fault: BROKEN });
    sandbox.calls.reset();
    for (const id of ids) void bridge.tryPatch(`/Users/${id}`, toActive(false));
    await clock.passFor(bridge.sandbox, 6 * MINUTE_MS);
    const calls = sandbox.calls.count();
    const stuck = await listStuckParts(bridge);
    const failing = await listFailing(bridge);

    outage.remove();
    const isDone = () =>
      addresses.every((name) => !sandbox.service.getUser(`${name}@example.com`).active);
    const backAt = clock.now();
    await clock.pass(sandbox, isDone);

    expect(stuck).toEqual([]);
    expect(failing).toHaveLength(4);
    expect(calls).toBeLessThan(4 * 20);
    expect(clock.now() - backAt).toBeLessThan(5 * MINUTE_MS + 2_000);
  });

  test('over, lets all that waits of users and of groups go on: removals of access before everything else', async () => {
    const { bridge, clock } = await forTest(startCalmBridge({ ...calm, requestsPerSecond: 5 }));
    const { sandbox } = bridge;
    const { service } = sandbox;
    const created = bridge.addUsers(4);
    await clock.passFor(bridge.sandbox, 8_000);
    const ids = await created;
    const names = ids.map((_, index) => `Group ${index}`);
    const made = Promise.all(names.map((name, index) => bridge.addGroup(name, [ids[index] ?? ''])));
    await clock.passFor(bridge.sandbox, 20_000);
    const groups = await made;
    const half = groups.length / 2;
    sandbox.faults.add({ operation: '*', fault: failing(503) });
    for (const [index, id] of groups.entries()) {
      if (index < half) {
        void bridge.tryPatch(`/Users/${ids[index]}`, toName('Other'));
        void bridge.tryPatch(`/Groups/${id}`, toDisplayName(`New ${index}`));
      } else {
        void bridge.tryPatch(`/Groups/${id}`, expel(ids[index] ?? ''));
        void bridge.tryPatch(`/Users/${ids[index]}`, toActive(false));
      }
      await clock.passFor(bridge.sandbox, 10_000);
    }
    await clock.passFor(bridge.sandbox, 3 * MINUTE_MS);
    const waiting = names.map((name) => service.members(name).length);
    sandbox.faults.clear();

    const isOut = (index: number) =>
      service.members(names[index] ?? '').length === 0 && !service.getUser(emailOf(index)).active;
    const areOut = () => groups.every((_, index) => index < half || isOut(index));
    const countNew = () =>
      groups.filter((_, index) => service.findGroup(`New ${index}`) !== undefined).length +
      ids.filter((_, index) => service.getUser(emailOf(index)).fullName.endsWith('Other')).length;
    await clock.pass(sandbox, () => countNew() > 0 || areOut());
    const firstAt = clock.now();
    await clock.pass(sandbox, areOut);
    const before = countNew();
    await clock.pass(sandbox, () => countNew() === 2 * half);

    expect(waiting).toEqual(names.map(() => 1));
    // The call that finds out that the service answers again is any that waits.
    expect(before).toBeLessThanOrEqual(1);
    expect(clock.now() - firstAt).toBeLessThan(15_000);
  });

  test('over, lets a removal of access go on at once, although it was all that waited, and although a name of the user is stuck', async () => {
    const { bridge, clock } = await forTest(startCalmBridge({ ...calm, requestsPerSecond: 5 }));
    const { sandbox } = bridge;
    const created = bridge.addUsers(2);
    await clock.passFor(bridge.sandbox, 4_000);
    const [leaver, other] = await created;
    const name = breakChanges(bridge, 'scim.updateUser', accountOf(bridge, emailOf(0)));
    void bridge.tryPatch(`/Users/${leaver}`, toName('King'));
    await clock.passFor(bridge.sandbox, 3 * MINUTE_MS);
    name.remove();
    for (const operation of ['scim.updateUser', 'scim.getUser'] as const)
      sandbox.faults.add({ operation, fault: failing(503) });
    void bridge.tryPatch(`/Users/${leaver}`, toActive(false));
    await clock.passFor(bridge.sandbox, 4 * MINUTE_MS);
    sandbox.faults.clear();

    void bridge.tryPatch(`/Users/${other}`, toName('Other'));
    const isActive = () => sandbox.service.getUser(emailOf(0)).active;
    const hasName = () => sandbox.service.getUser(emailOf(1)).fullName.endsWith('Other');
    await clock.pass(sandbox, hasName);
    const answeredAt = clock.now();
    await clock.pass(sandbox, () => !isActive());

    expect(clock.now() - answeredAt).toBeLessThan(3_000);
  });
});

describe('somebody or something at which the service fails, looks included', () => {
  const settings = { SCIM_WRITE_WAIT: '1s', UPSTREAM_ATTEMPTS_BEFORE_STUCK: '5' };
  const options = { settings, requestsPerSecond: 5 };

  function breakLooks({ sandbox }: TestBridge, about: string): void {
    const looks = ['scim.getUser', 'groups.getGroup', 'scim.getGroup'] as const;
    for (const operation of looks) sandbox.faults.add({ operation, about, fault: BROKEN });
  }

  async function passBusyTime(bridge: TestBridge, clock: CalmClock, minutes: number) {
    for (let minute = 0; minute < minutes; minute += 1) {
      void bridge.addUser(`other${clock.now()}`);
      await clock.passFor(bridge.sandbox, MINUTE_MS);
    }
  }

  test('ends as stuck, with the words of the service', async () => {
    const { bridge, clock } = await forTest(startCalmBridge(options));
    const create = bridge.addUser('ada');
    await clock.passFor(bridge.sandbox, 2_000);
    const account = accountOf(bridge, 'ada@example.com');
    breakChanges(bridge, 'scim.updateUser', account);
    breakLooks(bridge, account);

    const answer = bridge.tryPatch(`/Users/${await create}`, toName('King'));
    await passBusyTime(bridge, clock, 10);

    expect((await answer).status).toBe(200);
    expect(await listStuckParts(bridge)).toEqual([`ada@example.com, name: ${words}`]);
  });

  test('still loses access, members and the group itself: after three failures it is done without a look', async () => {
    const { bridge, clock } = await forTest(startCalmBridge(options));
    const creating = (async () => {
      const [ada, ...ids] = await bridge.addPeople('ada', 'bob', 'cy');
      const group = await bridge.addGroup('Pilots', ids);
      return { ada, ids, group, crew: await bridge.addGroup('Crew') };
    })();
    await clock.passFor(bridge.sandbox, 20_000);
    const { ada, ids, group, crew } = await creating;
    const { service, faults } = bridge.sandbox;
    const groups = ['Pilots', 'Crew'].map((name) => service.getGroup(name));
    const ofGroups = groups.flatMap(({ id, uid }) => [`/${id} `, `/${uid} `]);
    const account = accountOf(bridge, 'ada@example.com');
    const broken = { fault: BROKEN, times: 4 };
    faults.add({ operation: 'scim.updateUser', about: account, ...broken });
    faults.add({ operation: 'groupUsers.removeUserFromGroup', ...broken });
    faults.add({ operation: 'groups.removeGroup', ...broken });
    for (const about of [account, ...ofGroups]) breakLooks(bridge, about);
    const answers = [
      bridge.tryPatch(`/Users/${ada}`, toActive(false)),
      bridge.tryPatch(`/Groups/${group}`, expel(ids[0])),
    ];
    await passBusyTime(bridge, clock, 4);
    answers.push(bridge.request('DELETE', `/Groups/${crew}`));
    await passBusyTime(bridge, clock, 20);

    for (const { status } of await Promise.all(answers)) expect(status).toBeLessThan(300);
    expect(service.getUser('ada@example.com').active).toBe(false);
    expect(service.members('Pilots')).toEqual(['cy@example.com']);
    expect(service.findGroup('Crew')).toBeUndefined();
    expect(await listStuckParts(bridge)).toEqual([]);
  });
});
