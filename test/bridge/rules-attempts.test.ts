import { describe, expect, test } from 'vitest';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import type { CalmClock } from '../support/calm-clock.ts';
import { startCalmBridge } from '../support/calm-clock.ts';
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

/** The service fails to change the account of the first person. */
function breakChanges({ sandbox }: TestBridge) {
  const about = accountOf(sandbox, emailOf(0));
  return sandbox.faults.add({ operation: 'scim.updateUser', about, fault: BROKEN });
}

const accountOf = ({ service }: Sandbox, address: string) => `/${service.getUser(address).id} `;

async function listStuckParts(bridge: TestBridge) {
  const stuck = await bridge.listStuck();
  return stuck.map(({ name, field, problem }) => `${name}, ${field}: ${Object(problem).words}`);
}

const listFailing = async (bridge: TestBridge) =>
  toObjects((await bridge.ops('GET', '/status')).body.failing);

const settings = { SCIM_WRITE_WAIT: '1s', UPSTREAM_ATTEMPTS_BEFORE_STUCK: '8' };

async function openWith(people: number, given = settings) {
  const options = { settings: given, requestsPerSecond: 5 };
  const { bridge, clock } = await forTest(startCalmBridge(options));
  const created = bridge.addUsers(people);
  await clock.passFor(bridge.sandbox, people * 2_000);
  return { bridge, clock, sandbox: bridge.sandbox, ids: await created };
}

test('a change that the service fails at, while it makes others is tried ever less often, is told while it fails, and ends as stuck with the words of the service', async () => {
  const { bridge, clock, sandbox, ids } = await openWith(1);
  breakChanges(bridge);
  sandbox.calls.reset();

  const answer = bridge.tryPatch(`/Users/${ids[0]}`, toActive(false));
  await clock.passFor(bridge.sandbox, 60_000);
  const patches = sandbox.calls.count({ operation: 'scim.updateUser' });
  const failing = await listFailing(bridge);

  expect((await answer).status).toBe(200);
  expect(patches).toBeGreaterThan(4);
  expect(patches).toBeLessThan(12);
  expect(failing).toMatchObject([{ name: emailOf(0), problem: { words } }]);
  expect(clock.now() - Date.parse(String(failing[0]?.since))).toBeGreaterThan(55_000);

  await clock.passFor(bridge.sandbox, 2 * MINUTE_MS);
  expect(await listStuckParts(bridge)).toEqual([`${emailOf(0)}, active: ${words}`]);
  expect(await listFailing(bridge)).toEqual([]);
  expect(sandbox.calls.count({ operation: 'scim.updateUser' })).toBeLessThan(15);

  sandbox.calls.reset();
  await clock.passFor(bridge.sandbox, 3 * MINUTE_MS);
  expect(sandbox.calls.count()).toBe(0);
});

describe('an outage of the service', () => {
  test('in which it only refuses to change anything makes nothing stuck, however long it takes', async () => {
    const { bridge, clock, sandbox, ids } = await openWith(4);
    const outage = sandbox.faults.add({ operation: 'scim.updateUser', fault: BROKEN });
    sandbox.calls.reset();
    for (const id of ids) void bridge.tryPatch(`/Users/${id}`, toActive(false));
    await clock.passFor(bridge.sandbox, 6 * MINUTE_MS);
    const calls = sandbox.calls.count();
    const stuck = await listStuckParts(bridge);
    const failing = await listFailing(bridge);

    outage.remove();
    const isDone = () => ids.every((_, index) => !sandbox.service.getUser(emailOf(index)).active);
    const backAt = clock.now();
    await clock.pass(sandbox, isDone);

    expect(stuck).toEqual([]);
    expect(failing).toHaveLength(4);
    expect(calls).toBeLessThan(4 * 20);
    expect(clock.now() - backAt).toBeLessThan(5 * MINUTE_MS + 2_000);
  });

  test('over, lets all that waits of users and of groups go on: removals of access before everything else', async () => {
    const { bridge, clock, sandbox, ids } = await openWith(4);
    const { service } = sandbox;
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
    const { bridge, clock, sandbox, ids } = await openWith(2);
    const [leaver, other] = ids;
    const name = breakChanges(bridge);
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
  const hasty = { ...settings, UPSTREAM_ATTEMPTS_BEFORE_STUCK: '5' };

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
    const { bridge, clock, sandbox, ids } = await openWith(1, hasty);
    breakChanges(bridge);
    breakLooks(bridge, accountOf(sandbox, emailOf(0)));

    const answer = bridge.tryPatch(`/Users/${ids[0]}`, toName('King'));
    await passBusyTime(bridge, clock, 10);

    expect((await answer).status).toBe(200);
    expect(await listStuckParts(bridge)).toEqual([`${emailOf(0)}, name: ${words}`]);
  });

  test('still loses access, members and the group itself: after three failures it is done without a look', async () => {
    const { bridge, clock, sandbox, ids } = await openWith(3, hasty);
    const { service, faults } = sandbox;
    const creating = [bridge.addGroup('Pilots', ids.slice(1)), bridge.addGroup('Crew')];
    await clock.passFor(sandbox, 20_000);
    const [group, crew] = await Promise.all(creating);
    const groups = ['Pilots', 'Crew'].map((name) => service.getGroup(name));
    const ofGroups = groups.flatMap(({ id, uid }) => [`/${id} `, `/${uid} `]);
    const account = accountOf(sandbox, emailOf(0));
    const broken = { fault: BROKEN, times: 3 };
    faults.add({ operation: 'scim.updateUser', about: account, ...broken });
    faults.add({ operation: 'groupUsers.removeUserFromGroup', ...broken });
    faults.add({ operation: 'groups.removeGroup', ...broken });
    for (const about of [account, ...ofGroups]) breakLooks(bridge, about);
    const answers = [
      bridge.tryPatch(`/Users/${ids[0]}`, toActive(false)),
      bridge.tryPatch(`/Groups/${group}`, expel(...ids.slice(1, 2))),
    ];
    await passBusyTime(bridge, clock, 4);
    answers.push(bridge.request('DELETE', `/Groups/${crew}`));
    await passBusyTime(bridge, clock, 20);

    for (const { status } of await Promise.all(answers)) expect(status).toBeLessThan(300);
    expect(service.getUser(emailOf(0)).active).toBe(false);
    expect(service.members('Pilots')).toEqual([emailOf(2)]);
    expect(service.findGroup('Crew')).toBeUndefined();
    expect(await listStuckParts(bridge)).toEqual([]);
  });
});
