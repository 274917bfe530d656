import { expect, test } from 'vitest';
import {
  addGroup,
  addUser,
  addUsers,
  send,
  toMembers,
  toPatch,
  untilSettled,
} from '../support/provider.ts';
import { askOps, OPS_TOKEN } from '../support/sweep.ts';
import { type TimedBridge, untilQuiet, withTimedBridge } from '../support/timed-bridge.ts';

const settings = { OPS_TOKEN, LIMITS_PROVIDER: '2', SCIM_WRITE_WAIT: '0' };
const disable = toPatch({ op: 'replace', path: 'active', value: false });
const FAILED = { kind: 'status', status: 500 } as const;
const REFUSED = { kind: 'status', status: 400 } as const;
/** Failed calls are tried again sooner than this. */
const AHEAD_MS = 60_000;

const toLeaving = (id: string | undefined) =>
  toPatch({ op: 'remove', path: `members[value eq "${id}"]` });

async function readPlans({ bridge }: TimedBridge): Promise<string> {
  return JSON.stringify((await askOps(bridge, 'GET', '/plans')).body);
}

async function readHealth({ bridge }: TimedBridge): Promise<string> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return JSON.stringify(body);
}

test('one person whom the service fails to deactivate counts once, and holds nobody else', () =>
  withTimedBridge({ settings: { ...settings, LIMITS_DEACTIVATE_COUNT: '1' } }, async (timed) => {
    const { bridge } = timed;
    const people = await addUsers(bridge, 3);
    await untilSettled(bridge);
    const { faults, service } = bridge.sandbox;
    const listActive = () =>
      people.map((_, index) => service.getUser(`person${index + 1}@example.com`).active);
    faults.add({ operation: 'scim.updateUser', times: 5, fault: FAILED });

    await send(bridge, 'PATCH', `/Users/${people[0]}`, disable);
    await untilQuiet(timed);
    const afterOne = await readHealth(timed);
    await send(bridge, 'PATCH', `/Users/${people[1]}`, disable);
    await untilQuiet(timed);
    const afterTwo = listActive();
    timed.clock.leap(AHEAD_MS);
    const health = await readHealth(timed);
    await send(bridge, 'PATCH', `/Users/${people[2]}`, disable);
    await untilQuiet(timed, AHEAD_MS);

    expect(afterOne).not.toContain('provider-harm');
    expect(afterTwo).toEqual([false, false, true]);
    expect(health).toContain('2 people deactivated');
    expect(listActive()).toEqual([false, false, true]);
    expect(await readPlans(timed)).toContain(
      '3 people deactivated in 24 hours, limits.provider allows 2',
    );
  }));

test('removals are held where they are many and a quarter of all, and readiness tells how many wait', () =>
  withTimedBridge({ settings: { ...settings, LIMITS_DEACTIVATE_COUNT: '1000' } }, async (timed) => {
    const { bridge } = timed;
    const people = await addUsers(bridge, 12);
    await untilSettled(bridge);
    const countOff = () => bridge.sandbox.service.users().filter(({ active }) => !active).length;

    for (const id of people.slice(0, 3)) {
      await send(bridge, 'PATCH', `/Users/${id}`, disable);
      await untilQuiet(timed, AHEAD_MS);
    }
    const quarter = countOff();
    for (const id of people.slice(3, 5)) {
      await send(bridge, 'PATCH', `/Users/${id}`, disable);
      await untilQuiet(timed, AHEAD_MS);
    }
    const health = await readHealth(timed);

    expect([quarter, countOff()]).toEqual([3, 3]);
    expect(health).toContain('A plan of 2 removals by identity providers waits for an operator');
  }));

test('who was refused lost nothing, and the same person counts in each group they leave', () =>
  withTimedBridge({ settings }, async (timed) => {
    const { bridge } = timed;
    const people = await addUsers(bridge, 3);
    const [pilots, cooks] = [
      await addGroup(bridge, 'Pilots', people),
      await addGroup(bridge, 'Cooks', people),
    ];
    await untilSettled(bridge);
    const { faults, service } = bridge.sandbox;
    const refusing = (['scim.updateGroup', 'groupUsers.removeUserFromGroup'] as const).map(
      (operation) => faults.add({ operation, fault: REFUSED }),
    );
    await send(bridge, 'PATCH', `/Groups/${pilots}`, toLeaving(people[2]));
    await untilQuiet(timed, AHEAD_MS);
    for (const fault of refusing) fault.remove();
    for (const group of [pilots, cooks]) {
      await send(bridge, 'PATCH', `/Groups/${group}`, toLeaving(people[0]));
      await untilQuiet(timed, AHEAD_MS);
    }
    const before = [service.members('Pilots').length, service.members('Cooks').length];
    await send(bridge, 'PATCH', `/Groups/${cooks}`, toLeaving(people[1]));
    await untilQuiet(timed, AHEAD_MS);

    expect(before).toEqual([2, 2]);
    expect(service.members('Cooks')).toHaveLength(2);
    expect(await readPlans(timed)).toContain('3 members removed from groups in 24 hours');
  }));

test('what became of each call is told with it', () =>
  withTimedBridge({ settings: { OPS_TOKEN, SCIM_WRITE_WAIT: '0' } }, async (timed) => {
    const { bridge } = timed;
    const { faults } = bridge.sandbox;
    const id = await addUser(bridge, 'ada');
    await untilQuiet(timed);
    faults.add({ operation: 'scim.updateUser', times: 1, fault: FAILED });
    await send(bridge, 'PATCH', `/Users/${id}`, disable);
    await untilQuiet(timed);
    const group = await addGroup(bridge, 'Pilots');
    await untilQuiet(timed);
    for (const operation of ['scim.updateGroup', 'groupUsers.addUserToGroup'] as const)
      faults.add({ operation, fault: REFUSED });
    const joining = toPatch({ op: 'add', path: 'members', value: toMembers([id]) });
    await send(bridge, 'PATCH', `/Groups/${group}`, joining);
    await untilQuiet(timed, AHEAD_MS);
    faults.add({ operation: 'scim.addUser', times: 1, fault: REFUSED });
    const bob = await addUser(bridge, 'bob');
    await untilQuiet(timed, AHEAD_MS);

    const listCalls = async (of: string) => {
      const { items } = (await askOps(bridge, 'GET', `/timeline/${of}`)).body;
      const all = Array.isArray(items) ? items.map((item) => JSON.stringify(item)) : [];
      return all.filter((item) => item.includes('"source":"bridge"')).join('\n');
    };
    const ofAda = await listCalls(id);
    expect(ofAda).toContain('"user.create, by scim.addUser: done"');
    expect(ofAda).toContain(
      '"user.deactivate, by scim.updateUser: failed (unavailable 500), it may have been done"',
    );
    expect(ofAda).toContain('"user.deactivate, by scim.updateUser: done"');
    expect(ofAda).toMatch(/"member\.add, by [a-zA-Z.]+: refused \(refused 400\)"/);
    expect(await listCalls(bob)).toContain('"user.create, by scim.addUser: refused (refused 400)"');
    expect(ofAda).toContain('"outcome":"refused","error":"refused 400"');
  }));
