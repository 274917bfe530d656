import { describe, expect, test } from 'vitest';
import type { Sandbox, SandboxOptions } from '../../src/sandbox/sandbox.ts';
import type { TestBridge } from '../support/bridge.ts';
import { failing } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { makeLives } from '../support/lives.ts';
import { admit } from '../support/provider.ts';
import type { TimedBridge } from '../support/timed-bridge.ts';
import { startTimedBridge, untilQuiet } from '../support/timed-bridge.ts';

const ghost = 'ghost@example.com';
const DAY_MS = 25 * 60 * 60_000;
const HALVES_OF_32 = 10;

function addPeople({ service }: Sandbox) {
  service.seed({ users: 15 });
  service.addUser({ email: ghost, fullName: 'Ghost', virtual: true });
  service.seed({ users: 31 });
}

async function listPeople(bridge: TestBridge): Promise<string[]> {
  const users = await bridge.list('/Users?count=200');
  const ids = users.filter(({ userName }) => userName !== 'owner').map(({ id }) => String(id));
  expect(ids).toHaveLength(32);
  return ids;
}

async function teachForm(bridge: TestBridge): Promise<void> {
  const ids = await bridge.addPeople('ada', 'bob');
  await bridge.settled(bridge.addGroup('A group that teaches the form', ids));
}

const openPeople = (SCIM_WRITE_WAIT = '60s'): Promise<TimedBridge> =>
  forTest(startTimedBridge({ prepare: addPeople, settings: { SCIM_WRITE_WAIT } }));

describe('of 32 members one whom the service refuses', () => {
  test.each([
    { wait: '60s', what: 'named: nobody is in', status: 400, inService: 0, shown: 0 },
    { wait: '0', what: 'stuck, after an acknowledgement', status: 204, inService: 31, shown: 32 },
  ])('is found by halves and $what, with few calls', async (row) => {
    const timed = await openPeople(row.wait);
    const { bridge } = timed;
    const { calls, service } = bridge.sandbox;
    const ids = await listPeople(bridge);
    await teachForm(bridge);
    const id = await bridge.settled(bridge.addGroup('Pilots'));
    const ghostId = await bridge.findId({ type: 'Users', name: 'ghost' });
    service.removeUser(ghost);
    calls.reset();

    const { status, body } = await bridge.tryPatch(`/Groups/${id}`, admit(...ids));
    await untilQuiet(timed, 60_000);

    expect(status).toBe(row.status);
    if (status === 400) expect(body.detail).toContain(ghostId);
    expect(service.members('Pilots')).toHaveLength(row.inService);
    expect(await bridge.readMemberIds(id)).toHaveLength(row.shown);
    // Where the request is refused, the others leave again by one more call.
    expect(calls.count({ operation: 'scim.updateGroup' })).toBeLessThanOrEqual(HALVES_OF_32 + 1);
    expect(calls.count({ operation: 'scim.getGroup' })).toBe(0);
    expect(calls.count({ operation: 'groupUsers.addUserToGroup' })).toBeLessThanOrEqual(2);
  });

  test('teaches nothing about the form, also where it was not known', async () => {
    const { bridge } = await openPeople();
    const { calls, service } = bridge.sandbox;
    const ids = await listPeople(bridge);
    const path = `/Groups/${await bridge.addGroup('Pilots')}`;
    const other = `/Groups/${await bridge.addGroup('Crew')}`;
    service.removeUser(ghost);
    calls.reset();

    await bridge.settled(bridge.tryPatch(path, admit(...ids)));
    const found = calls.count();
    await bridge.settled(bridge.patch(other, admit(...ids.slice(0, 10))));

    expect(service.members('Pilots')).toEqual([]);
    // Beside the halves: the SCIM id, two forms of the whole, a pair, whether the ghost is inactive, the way back.
    expect(found).toBeLessThanOrEqual(HALVES_OF_32 + 7);
    expect(calls.count() - found).toBe(1);
  });
});

test('a batch that is too large is halved, and smaller ones are sent for a day', async () => {
  const { bridge, clock } = await openPeople();
  const { calls, faults, service } = bridge.sandbox;
  const ids = (await listPeople(bridge)).slice(0, 20);
  await teachForm(bridge);
  const paths = [];
  for (const name of ['First', 'Second', 'Third'])
    paths.push(`/Groups/${await bridge.addGroup(name)}`);
  const [first = '', second = '', third = ''] = paths;
  faults.add({ operation: 'scim.updateGroup', fault: failing(413), times: 1 });
  const count = async (path: string) => {
    calls.reset();
    await bridge.settled(bridge.patch(path, admit(...ids)));
    return calls.count({ operation: 'scim.updateGroup' });
  };

  const found = await count(first);
  const sameDay = await count(second);
  clock.leap(DAY_MS);
  const nextDay = await count(third);

  expect([found, sameDay, nextDay]).toEqual([3, 2, 1]);
  expect(service.members('First')).toHaveLength(20);
  expect(service.members('Third')).toHaveLength(20);
});

test('a form that the service refuses is not tried again after a restart', async () => {
  const { live, sandbox } = await makeLives({ sandbox: { shape: { memberPatch: 'array' } } });
  const refused: number[] = [];

  for (const name of ['first', 'second']) {
    await live(async (bridge) => {
      const ids = await bridge.addPeople(`ada-${name}`, `bob-${name}`);
      sandbox.calls.reset();
      await bridge.settled(bridge.addGroup(name, ids));
    });
    refused.push(sandbox.calls.count({ operation: 'scim.updateGroup', status: 400 }));
    expect(sandbox.service.members(name)).toHaveLength(2);
  }

  expect(refused).toEqual([1, 0]);
});

test('a userName that is refused at creation is left out once two people have shown it, for a day', async () => {
  const sandbox: SandboxOptions = { shape: { createUserName: 'refused' } };
  const settings = { SCIM_WRITE_WAIT: '60s' };
  const { bridge, clock } = await forTest(startTimedBridge({ sandbox, settings }));
  const { calls } = bridge.sandbox;
  const costs: number[] = [];
  for (const name of ['ada', 'bob', 'cyd', 'dan']) {
    if (name === 'dan') clock.leap(DAY_MS);
    calls.reset();
    await bridge.addUser(name);
    costs.push(calls.count({ operation: 'scim.addUser' }));
  }

  expect(costs).toEqual([5, 2, 1, 2]);
});
