import { afterEach, describe, expect, test } from 'vitest';
import { USER_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { bridgeForSuite } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { failing } from '../support/faults.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forSuite } from '../support/lifetimes.ts';
import { admit, replace } from '../support/provider.ts';
import { startTimedBridge, untilQuiet } from '../support/timed-bridge.ts';

describe('rules stuck', () => {
  const words = 'the sandbox was told to fail';
  const SECONDS_MS = 30_000;
  const WRITE_WAIT_MS = 10_000;
  const HOURS_MS = 2 * 60 * 60_000;

  const clock = createLeapingClock();
  const bridge = bridgeForSuite({ settings: { SCIM_WRITE_WAIT: `${WRITE_WAIT_MS}ms` }, clock });

  afterEach(() => {
    bridge.sandbox.faults.clear();
    return goOn(HOURS_MS);
  });

  const goOn = (aheadMs: number) => untilQuiet({ bridge, clock }, aheadMs);

  function refuseLate(operation: OperationName) {
    const { sandbox } = bridge;
    const slow = sandbox.faults.add({ operation, fault: { kind: 'delay', delayMs: 120 } });
    const refused = sandbox.faults.add({ operation, fault: failing(400, 'message') });
    return {
      begun: () => slow.until(1),
      hurry: () => slow.remove(),
      end() {
        slow.remove();
        refused.remove();
      },
    };
  }

  async function makeStuck(operation: OperationName, path: string, change: JsonObject) {
    const refusal = refuseLate(operation);
    const sending = bridge.patch(path, change);
    await refusal.begun();
    clock.leap(WRITE_WAIT_MS);
    await sending;
    await goOn(SECONDS_MS);
    return refusal;
  }

  async function listStuckFields() {
    const stuck = await bridge.listStuck();
    return stuck.map(({ field, problem }) => `${field}: ${Object(problem).words}`);
  }

  async function addStuck(name: string): Promise<string> {
    const path = `/Users/${await bridge.addUser(name)}`;
    (await makeStuck('scim.updateUser', path, toName('King'))).end();
    return path;
  }

  const getAccount = (name: string) => bridge.sandbox.service.getUser(`${name}@example.com`);

  describe('what is refused after it was acknowledged', () => {
    test('one person of a group rests by himself, named with the words of the service', async () => {
      const [first, second] = await bridge.addPeople('carl', 'dan');
      const id = await bridge.addGroup('Cooks');
      const path = `/Groups/${id}`;
      (await makeStuck('groupUsers.addUserToGroup', path, admit(first))).end();

      await bridge.patch(path, admit(second));
      await bridge.patch(path, replace('displayName', 'Chefs'));
      await goOn(SECONDS_MS);

      expect(bridge.sandbox.service.members('Chefs')).toEqual(['dan@example.com']);
      expect(await bridge.listStuck()).toMatchObject([
        { type: 'group', id, name: 'Chefs', field: 'members', person: first, problem: { words } },
      ]);

      await goOn(HOURS_MS);
      expect(bridge.sandbox.service.members('Chefs')).toHaveLength(2);
      expect(await bridge.listStuck()).toEqual([]);
    });

    test('stays visible through a success of something else, is tried again after an hour, and no longer shown once it holds', async () => {
      const path = await addStuck('eve');

      await bridge.patch(path, replace(`${USER_EXTENSION}:appsPermissions`, 5));
      await goOn(SECONDS_MS);

      expect(getAccount('eve')).toMatchObject({ appsPermissions: 5, fullName: 'Eve Example' });
      expect(await listStuckFields()).toEqual([`name: ${words}`]);
      bridge.sandbox.calls.reset();

      clock.leap(50 * 60_000);
      await goOn(SECONDS_MS);
      const callsBefore = bridge.sandbox.calls.count();
      await goOn(HOURS_MS);

      expect(callsBefore).toBe(0);
      expect(getAccount('eve').fullName).toBe('Eve King');
      expect(await listStuckFields()).toEqual([]);
    });

    test('is tried at once by a new write of the field, and stays stuck when that is refused', async () => {
      const path = await addStuck('fay');
      const again = bridge.sandbox.faults.add({
        operation: 'scim.updateUser',
        fault: failing(409, 'message'),
      });

      const answer = await bridge.tryPatch(path, toName('Queen'));
      again.remove();

      expect(answer.status).toBe(409);
      expect((await bridge.send('GET', path)).body.name).toMatchObject({ familyName: 'King' });
      expect(await listStuckFields()).toEqual([`name: ${words}`]);

      await bridge.patch(path, toName('Queen'));
      expect(getAccount('fay').fullName).toBe('Fay Queen');
      expect(await listStuckFields()).toEqual([]);
    });

    test('is tried again when the service was looked at anew', async () => {
      const path = await addStuck('gus');
      const fault = { kind: 'html' } as const;
      bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault, times: 1 });
      bridge.sandbox.calls.reset();

      await bridge.patch(path, replace('active', false));
      await goOn(SECONDS_MS);

      expect(bridge.sandbox.calls.count({ operation: 'scim.getUser' })).toBe(1);
      expect(getAccount('gus').fullName).toBe('Gus King');
      expect(await listStuckFields()).toEqual([]);
    });

    test('has one reason and one next attempt wherever it is shown, whatever failed before and since', async () => {
      const operation = 'scim.updateUser';
      const { faults } = bridge.sandbox;
      const ids = await Promise.all([1, 2, 3].map((number) => bridge.addUser(`hal${number}`)));
      // The service is away: it fails for several, so nothing is sent for a while.
      const away = { operation, fault: failing(503) } as const;
      const before = faults.add(away);
      const sending = ids.map((id) => bridge.patch(`/Users/${id}`, replace('active', false)));
      await before.until(3);
      clock.leap(WRITE_WAIT_MS);
      await Promise.all(sending);
      await goOn(SECONDS_MS);
      before.remove();
      const refused = faults.add({ operation, fault: failing(422, 'message') });
      await goOn(10 * 60_000);
      const told = await Promise.all(ids.map(readReasons));
      refused.remove();
      // Their time has come, and the service is away again.
      const since = faults.add(away);
      clock.leap(HOURS_MS);
      await since.until(3);
      await goOn(SECONDS_MS);
      const later = await Promise.all(ids.map(readReasons));

      for (const reasons of [...told, ...later])
        expect(new Set(reasons)).toEqual(new Set([expect.stringContaining(words)]));
    });
  });

  async function readReasons(id: string): Promise<string[]> {
    const read = async (path: string) => (await bridge.ops('GET', path)).body;
    const explained = await read(`/users/${id}/explain`);
    const places = [
      { list: (await read('/status')).stuck, time: 'nextAttemptAt' },
      { list: (await read('/users?stuck=true')).items, time: 'dueAt' },
      { list: [explained], time: 'dueAt' },
      { list: (await read('/leavers?status=waits')).items, time: 'nextAttemptAt' },
    ];
    const run = runner(bridge);
    const dueAt = String(explained.dueAt)
      .replace('T', ' ')
      .replace(/\.\d+Z$/, 'Z');
    const texts = await Promise.all([
      run('users', '--stuck'),
      run('explain', id),
      run('leavers', '--status', 'waits'),
    ]);
    for (const { text } of texts) {
      expect(text).toContain(words);
      expect(text).toContain(`next attempt ${dueAt}`);
    }
    return places.map(({ list, time }) => {
      const items = [list].flat().map(Object);
      const one = items.find((item) => (item.person ?? item).id === id);
      return `${one.problem.words} ${one[time]}`;
    });
  }
});

const MINUTE_MS = 60_000;
const MINUTES_MS = 10 * MINUTE_MS;
const BROKEN = failing(500, 'message');
const toName = (familyName: string) => replace('name.familyName', familyName);

const settings = { SCIM_WRITE_WAIT: '40ms', UPSTREAM_ATTEMPTS_BEFORE_STUCK: '3' };

const timed = forSuite(() => startTimedBridge({ settings }));

async function makeNameStuck(name: string): Promise<string> {
  const { bridge } = timed;
  const id = await bridge.addUser(name);
  // Nothing of the creation is under way any more.
  await untilQuiet(timed, 1_000);
  const fault = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: BROKEN });
  await bridge.patch(`/Users/${id}`, toName('King'));
  await untilQuiet(timed, MINUTES_MS);
  fault.remove();
  return id;
}

const countStuck = async (): Promise<number> => (await timed.bridge.listStuck()).length;

describe('retry', () => {
  test('has everything tried now that is stuck or waits for its next attempt, people in groups too', async () => {
    const { bridge } = timed;
    await makeNameStuck('ada');
    const [first = '', second = ''] = await bridge.addUsers(2);
    const groupId = await bridge.addGroup('Pilots');
    await untilQuiet(timed, 1_000);
    const fault = bridge.sandbox.faults.add({
      operation: 'groupUsers.addUserToGroup',
      fault: BROKEN,
    });
    await bridge.patch(`/Groups/${groupId}`, admit(first));
    await untilQuiet(timed, MINUTES_MS);
    const stuck = await countStuck();
    fault.remove();
    // Waits for its next attempt, and is not stuck.
    const outage = bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault: failing(503) });
    await bridge.patch(`/Users/${second}`, toName('Queen'));
    // Until its next attempt is so far away that it does not come by itself meanwhile.
    await untilQuiet(timed, MINUTE_MS);
    outage.remove();

    await bridge.ops('POST', '/pause', {});
    const later = await runner(bridge)('retry', 'ada@example.com');
    await bridge.ops('POST', '/resume');
    const tried = await runner(bridge)('retry', '--all');
    await untilQuiet(timed, 2_000);

    expect(stuck).toBe(2);
    expect(later.text).toMatch(/^Not tried yet, because changes are paused: 1\n/);
    expect(tried).toMatchObject({ code: 0, text: expect.stringMatching(/^Tried now: [23]\n/) });
    expect(bridge.sandbox.service.members('Pilots')).toEqual(['person1@example.com']);
    expect(bridge.sandbox.service.getUser('ada@example.com').fullName).toBe('Ada King');
    expect(await bridge.readWork()).toMatchObject({ due: 0, stuck: 0 });
  });

  test('comes by itself within five minutes, whatever pause a 503 asks for', async () => {
    const { bridge } = timed;
    const path = `/Users/${await bridge.addUser('mia')}`;
    await untilQuiet(timed, 1_000);
    const fault = { ...failing(503), headers: { 'retry-after': '86400' } };
    bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault, times: 1 });
    await bridge.patch(path, replace('active', false));
    await untilQuiet(timed, 5 * MINUTE_MS);

    expect(bridge.sandbox.service.getUser('mia@example.com').active).toBe(false);
  });

  test('counts also while an attempt is under way, which is refused then', async () => {
    const { bridge } = timed;
    const { service, faults } = bridge.sandbox;
    const id = await bridge.addUser('kim');
    await untilQuiet(timed, 1_000);
    const operation = 'scim.updateUser';
    faults.add({ operation, fault: { kind: 'delay', delayMs: 1_000 }, times: 1 });
    const call = faults.add({ operation, fault: failing(400), times: 1 });
    await bridge.patch(`/Users/${id}`, toName('King'));
    await call.until(1);

    await bridge.ops('POST', '/retry', { name: 'kim@example.com' });
    await expect.poll(() => service.getUser('kim@example.com').fullName).toBe('Kim King');
  });

  test.each([
    { type: 'user', name: 'lea@example.com', operation: 'scim.updateUser' },
    { type: 'group', name: 'Leaving', operation: 'groups.removeGroup' },
  ] as const)(
    'has a stuck deletion of a $type tried now, by name, and of nobody else of that name',
    async ({ type, name, operation }) => {
      const { bridge } = timed;
      const { service, faults } = bridge.sandbox;
      const make = () => (type === 'user' ? bridge.addUser('lea') : bridge.addGroup(name));
      const path = type === 'user' ? '/Users' : '/Groups';
      const id = await make();
      await untilQuiet(timed, 1_000);
      const fault = faults.add({ operation, fault: BROKEN });
      await bridge.send('DELETE', `${path}/${id}`);
      await untilQuiet(timed, MINUTES_MS);
      const stuck = await countStuck();
      fault.remove();

      const { body } = await bridge.ops('POST', '/retry', { name });
      await untilQuiet(timed, 10_000);
      const again = await bridge.ops('POST', '/retry', { name });
      const successor = await make();
      await untilQuiet(timed, 1_000);
      const { body: live } = await bridge.ops('GET', `/${type}s/${successor}/explain`);

      expect(stuck).toBe(1);
      expect(body).toMatchObject({ count: 1, tried: [{ type, id, name }] });
      expect(await countStuck()).toBe(0);
      expect(again).toMatchObject({ status: 200, body: { count: 0, tried: [] } });
      expect(live.id).toBe(successor);
      if (type === 'group')
        expect(service.groups().filter((group) => group.name === name)).toHaveLength(1);
    },
  );
});
