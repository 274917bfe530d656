import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { failing } from '../support/faults.ts';
import { forSuite, forTest } from '../support/lifetimes.ts';
import { admit, expel, replace } from '../support/provider.ts';
import { startTimedBridge, untilQuiet } from '../support/timed-bridge.ts';

const words = 'the sandbox was told to fail';
const broken = failing(500, 'message');
const MINUTES_MS = 10 * 60_000;

const SETTINGS = { SCIM_WRITE_WAIT: '40ms' };

const timed = forSuite(() => startTimedBridge({ settings: SETTINGS }));
let ids: string[];

beforeAll(async () => {
  ids = await timed.bridge.addUsers(12);
});

afterEach(async () => {
  timed.bridge.sandbox.faults.clear();
  await untilQuiet(timed);
});

const toName = (value: string) => replace('displayName', value);

function breakPerson(email: string): void {
  const { faults, service } = timed.bridge.sandbox;
  const { id } = service.getUser(email);
  const rules = [
    { operation: 'scim.updateGroup', about: `"value":${id}}` },
    { operation: 'groupUsers.addUserToGroup', about: `"user_id":${id}}` },
    { operation: 'groupUsers.removeUserFromGroup', about: `/users/${id} ` },
    { operation: 'groupAdmins.addAdminToGroup', about: `"user_id":${id}}` },
    { operation: 'groupAdmins.removeAdminFromGroup', about: `/admins/${id} ` },
  ] as const;
  for (const rule of rules) faults.add({ ...rule, fault: broken });
}

async function listStuckPeople() {
  return (await timed.bridge.listStuck()).map(
    (one) => `${one.field} ${'person' in one ? one.person : ''}: ${Object(one.problem).words}`,
  );
}

const others = (count: number, ...without: number[]) =>
  Array.from({ length: count }, (_, n) => n + 1)
    .filter((n) => !without.includes(n))
    .map((n) => `person${n}@example.com`)
    .toSorted();

describe('of a batch of members', () => {
  test('one with whom every call fails is found and rests alone: the others are in, and the group gets its new name', async () => {
    const { bridge } = timed;
    const { calls, service } = bridge.sandbox;
    const path = `/Groups/${await bridge.addGroup('Pilots')}`;
    breakPerson('person7@example.com');
    calls.reset();

    await bridge.patch(path, admit(...ids));
    await bridge.patch(path, toName('Aces'));
    await untilQuiet(timed, MINUTES_MS);

    expect(service.members('Aces').toSorted()).toEqual(others(12, 7));
    expect(await listStuckPeople()).toEqual([`members ${ids[6]}: ${words}`]);
    expect(calls.count()).toBeLessThan(4 * ids.length);
  });

  test('one who fails is found also while nothing else works, so that it looks like an outage', async () => {
    const { bridge, clock } = timed;
    const { faults, service } = bridge.sandbox;
    const leavers = await bridge.addPeople('lea', 'leo');
    const path = `/Groups/${await bridge.addGroup('Outage')}`;
    await untilQuiet(timed, MINUTES_MS);
    breakPerson('person1@example.com');
    const users = faults.add({ operation: 'scim.updateUser', fault: broken });
    for (const id of leavers) await bridge.patch(`/Users/${id}`, replace('active', false));
    await expect.poll(() => users.met).toBeGreaterThan(5);

    await bridge.patch(path, admit(...ids.slice(0, 5)));
    const show = () => {
      clock.leap(500);
      return service.members('Outage').toSorted();
    };

    await expect.poll(show).toEqual(others(5, 1));
  });

  test('nobody is blamed for an outage, and everybody is in after it', async () => {
    const { bridge, clock } = timed;
    const { faults, service } = bridge.sandbox;
    await bridge.addGroup('A group that teaches the form', ids.slice(0, 2));
    const path = `/Groups/${await bridge.addGroup('Blameless')}`;
    await untilQuiet(timed, MINUTES_MS);
    const calls = ['scim.updateGroup', 'groupUsers.addUserToGroup', 'groups.updateGroup'] as const;
    const outage = calls.map((operation) => faults.add({ operation, fault: broken }));

    await bridge.patch(path, admit(...ids));
    await bridge.patch(path, toName('All in'));
    const goOn = () => {
      clock.leap(500);
      return outage[0]?.met;
    };
    await expect.poll(goOn).toBeGreaterThan(10);
    expect(await listStuckPeople()).toEqual([]);
    for (const fault of outage) fault.remove();
    await untilQuiet(timed, MINUTES_MS);

    expect(service.members('All in')).toHaveLength(12);
    bridge.sandbox.calls.reset();
    await bridge.patch(path, expel(...ids));
    await untilQuiet(timed, MINUTES_MS);
    expect(bridge.sandbox.calls.count()).toBe(1);
  });
});

describe('a way to write several members that always fails', () => {
  const forms = [
    { known: 'operations', fails: '},{"op"' },
    { known: 'array', fails: '"value":[' },
  ] as const;

  test.each(forms)('is left for the other one, known as it was: $known', async (form) => {
    const { known, fails } = form;
    const { bridge } = timed;
    const { calls, faults, service } = bridge.sandbox;
    bridge.sandbox.setShape({ memberPatch: known === 'array' ? 'array' : 'one-per-operation' });
    await bridge.addGroup(`A group that teaches ${known}`, ids.slice(0, 2));
    await untilQuiet(timed, MINUTES_MS);
    bridge.sandbox.setShape({ memberPatch: 'both' });
    faults.add({ operation: 'scim.updateGroup', about: fails, fault: broken });
    const path = `/Groups/${await bridge.addGroup(`Not by ${known}`)}`;

    await bridge.patch(path, admit(...ids));
    await untilQuiet(timed, MINUTES_MS);

    expect(service.members(`Not by ${known}`)).toHaveLength(12);
    expect(await listStuckPeople()).toEqual([]);
    calls.reset();
    await bridge.patch(path, expel(...ids));
    await untilQuiet(timed, MINUTES_MS);
    expect(calls.count()).toBe(1);
  });

  test('is not left where the settings name it, and people are in one by one', async () => {
    const settings = { ...SETTINGS, UPSTREAM_QUIRKS: '{"memberForm":"operations"}' };
    const given = await forTest(startTimedBridge({ settings }));
    const { bridge } = given;
    const { faults, service } = bridge.sandbox;
    const people = await bridge.addUsers(3);
    bridge.sandbox.setShape({ memberPatch: 'both' });
    const operation = 'scim.updateGroup';
    faults.add({ operation, about: '},{"op"', fault: broken });
    const array = faults.add({ operation, about: '"value":[', fault: broken });

    await bridge.addGroup('Pilots', people);
    await untilQuiet(given, MINUTES_MS);

    expect(service.members('Pilots')).toHaveLength(3);
    expect(array.met).toBe(0);
  });
});
