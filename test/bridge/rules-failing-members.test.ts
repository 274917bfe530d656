import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { GROUP_EXTENSION } from '../support/drift-cells.ts';
import { readFormsOf } from '../support/forms.ts';
import {
  addGroup,
  addUsers,
  listStuck,
  send,
  toGroup,
  toMembers,
  toPatch,
} from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';
import { type TimedBridge, untilQuiet, withTimedBridge } from '../support/timed-bridge.ts';

const words = 'the sandbox was told to fail';
const broken = { kind: 'status', status: 500, body: 'message' } as const;
/** Longer than the backoff of a few attempts, shorter than what is stuck rests. */
const MINUTES_MS = 10 * 60_000;

const PATIENT = { interval: 10 };

type Settings = Readonly<Record<string, string>>;

function withBridge(run: (timed: TimedBridge) => Promise<void>, settings: Settings = {}) {
  return withTimedBridge({ settings: { SCIM_WRITE_WAIT: '40ms', ...settings } }, run);
}

const toChange = (op: string, ids: readonly string[]) =>
  toPatch({ op, path: 'members', value: toMembers(ids) });
const toName = (value: string) => toPatch({ op: 'replace', path: 'displayName', value });

/** Every call about this person's place in a group fails. */
function breakPerson({ bridge }: TimedBridge, email: string) {
  const { faults, service } = bridge.sandbox;
  const { id } = service.getUser(email);
  const rules = [
    { operation: 'scim.updateGroup', about: `"value":${id}}` },
    { operation: 'groupUsers.addUserToGroup', about: `"user_id":${id}}` },
    { operation: 'groupUsers.removeUserFromGroup', about: `/users/${id} ` },
    { operation: 'groupAdmins.addAdminToGroup', about: `"user_id":${id}}` },
    { operation: 'groupAdmins.removeAdminFromGroup', about: `/admins/${id} ` },
  ] as const;
  const active = rules.map((rule) => faults.add({ ...rule, fault: broken }));
  return {
    count: () => active.reduce((sum, { met }) => sum + met, 0),
    end() {
      for (const fault of active) fault.remove();
    },
  };
}

async function listStuckPeople({ bridge }: TimedBridge) {
  const stuck = await listStuck(bridge);
  return stuck.map(
    (one) => `${one.field} ${'person' in one ? one.person : ''}: ${Object(one.problem).words}`,
  );
}

const others = (count: number, ...without: number[]) =>
  Array.from({ length: count }, (_, n) => n + 1)
    .filter((n) => !without.includes(n))
    .map((n) => `person${n}@example.com`)
    .toSorted();

describe('of a batch of members one with whom every call fails', () => {
  test('is found and rests alone: the others are in, and the group gets its new name', async () =>
    withBridge(
      async (timed) => {
        const { bridge } = timed;
        const { calls, service } = bridge.sandbox;
        const ids = await addUsers(bridge, 12);
        const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
        breakPerson(timed, 'person7@example.com');
        calls.reset();

        await send(bridge, 'PATCH', path, toChange('add', ids));
        await send(bridge, 'PATCH', path, toName('Aces'));
        await untilQuiet(timed, MINUTES_MS);

        expect(service.members('Aces').toSorted()).toEqual(others(12, 7));
        expect(await listStuckPeople(timed)).toEqual([`members ${ids[6]}: ${words}`]);
        expect(calls.count()).toBeLessThan(40);
      },
      { DATABASE_URL: await makeStoreUrl() },
    ));
});

describe('of a batch', () => {
  test('one who fails is found also while nothing else works, so that it looks like an outage', () =>
    withBridge(async (timed) => {
      const { bridge, clock } = timed;
      const { faults, service } = bridge.sandbox;
      const ids = await addUsers(bridge, 7);
      const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
      await untilQuiet(timed, MINUTES_MS);
      breakPerson(timed, 'person1@example.com');
      const users = faults.add({ operation: 'scim.updateUser', fault: broken });
      const end = toPatch({ op: 'replace', path: 'active', value: false });
      for (const id of ids.slice(5)) await send(bridge, 'PATCH', `/Users/${id}`, end);
      await expect.poll(() => users.met, PATIENT).toBeGreaterThan(5);

      await send(bridge, 'PATCH', path, toChange('add', ids.slice(0, 5)));
      const show = () => {
        clock.leap(500);
        return service.members('Pilots').toSorted();
      };

      await expect.poll(show, PATIENT).toEqual(others(5, 1));
    }));

  test('one whose removal fails keeps nobody else in the group', () =>
    withBridge(async (timed) => {
      const { bridge } = timed;
      const ids = await addUsers(bridge, 8);
      const path = `/Groups/${await addGroup(bridge, 'Pilots', ids)}`;
      await untilQuiet(timed, MINUTES_MS);
      breakPerson(timed, 'person1@example.com');

      await send(bridge, 'PATCH', path, toChange('remove', ids));
      await untilQuiet(timed, MINUTES_MS);

      expect(bridge.sandbox.service.members('Pilots')).toEqual(['person1@example.com']);
    }));

  test('nobody is blamed for an outage, and everybody is in after it', () =>
    withBridge(async (timed) => {
      const { bridge, clock } = timed;
      const { faults, service } = bridge.sandbox;
      const ids = await addUsers(bridge, 10);
      await addGroup(bridge, 'A group that teaches the form', ids.slice(0, 2));
      const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;
      await untilQuiet(timed, MINUTES_MS);
      const before = await readFormsOf(bridge);
      const calls = [
        'scim.updateGroup',
        'groupUsers.addUserToGroup',
        'groups.updateGroup',
      ] as const;
      const outage = calls.map((operation) => faults.add({ operation, fault: broken }));

      await send(bridge, 'PATCH', path, toChange('add', ids));
      await send(bridge, 'PATCH', path, toName('Aces'));
      const goOn = () => {
        clock.leap(500);
        return outage[0]?.met;
      };
      await expect.poll(goOn, PATIENT).toBeGreaterThan(10);
      expect(await listStuckPeople(timed)).toEqual([]);
      for (const fault of outage) fault.remove();
      await untilQuiet(timed, MINUTES_MS);

      expect(service.members('Aces')).toHaveLength(10);
      expect(await readFormsOf(bridge)).toEqual(before);
    }));
});

describe('a way to write several members that always fails', () => {
  const forms = [
    { known: 'operations', fails: '},{"op"', next: 'array' },
    { known: 'array', fails: '"value":[', next: 'operations' },
  ] as const;
  for (const { known, fails, next } of forms) {
    test(`is left for the other one, known as it was: ${known}`, () =>
      withBridge(async (timed) => {
        const { bridge } = timed;
        const { calls, faults, service } = bridge.sandbox;
        const ids = await addUsers(bridge, 12);
        bridge.sandbox.setShape({ memberPatch: known === 'array' ? 'array' : 'one-per-operation' });
        await addGroup(bridge, 'A group that teaches the form', ids.slice(0, 2));
        await untilQuiet(timed, MINUTES_MS);
        expect(await readFormsOf(bridge)).toMatchObject({ memberForm: known });
        bridge.sandbox.setShape({ memberPatch: 'both' });
        faults.add({ operation: 'scim.updateGroup', about: fails, fault: broken });
        const path = `/Groups/${await addGroup(bridge, 'Pilots')}`;

        await send(bridge, 'PATCH', path, toChange('add', ids));
        await untilQuiet(timed, MINUTES_MS);

        expect(service.members('Pilots')).toHaveLength(12);
        expect(await readFormsOf(bridge)).toMatchObject({ memberForm: next });
        expect(await listStuckPeople(timed)).toEqual([]);
        calls.reset();
        await send(bridge, 'PATCH', path, toChange('remove', ids));
        await untilQuiet(timed, MINUTES_MS);
        expect(calls.count()).toBe(1);
      }));
  }

  test('is not left where the settings name it, and people are in one by one', () =>
    withBridge(
      async (timed) => {
        const { bridge } = timed;
        const { faults, service } = bridge.sandbox;
        const ids = await addUsers(bridge, 5);
        bridge.sandbox.setShape({ memberPatch: 'both' });
        faults.add({ operation: 'scim.updateGroup', about: '},{"op"', fault: broken });
        const array = faults.add({
          operation: 'scim.updateGroup',
          about: '"value":[',
          fault: broken,
        });

        await addGroup(bridge, 'Pilots', ids);
        await untilQuiet(timed, MINUTES_MS);

        expect(service.members('Pilots')).toHaveLength(5);
        expect(array.met).toBe(0);
      },
      { UPSTREAM_MEMBER_FORM: 'operations' },
    ));
});

describe('a change of a group with which every call fails', () => {
  /** One that fails for ever, and all others that wait for the same group. */
  const cases: readonly {
    what: string;
    settings?: Settings;
    break(timed: TimedBridge): unknown;
  }[] = [
    { what: 'a member of a batch', break: (timed) => breakPerson(timed, 'person1@example.com') },
    { what: 'an admin', break: (timed) => breakPerson(timed, 'person5@example.com') },
  ];

  test.each(cases)('holds up no other: $what', ({ settings, ...failing }) =>
    withBridge(async (timed) => {
      const { bridge, clock } = timed;
      const { service } = bridge.sandbox;
      const ids = await addUsers(bridge, 7);
      const admins: JsonObject = { admins: toMembers(ids.slice(6)) };
      const body = { ...toGroup('Pilots'), [GROUP_EXTENSION]: admins };
      const { body: group } = await send(bridge, 'POST', '/Groups', body);
      await untilQuiet(timed, MINUTES_MS);
      failing.break(timed);

      const Operations = [
        { op: 'add', path: 'members', value: toMembers(ids.slice(0, 4)) },
        { op: 'replace', path: `${GROUP_EXTENSION}:admins`, value: toMembers(ids.slice(4, 6)) },
        { op: 'replace', path: 'displayName', value: 'Aces' },
      ];
      await send(bridge, 'PATCH', `/Groups/${group.id}`, toPatch(...Operations));
      const show = () => {
        const [{ name } = { name: '' }] = service.groups();
        return {
          name,
          members: service.members(name).toSorted(),
          admins: service.admins(name).toSorted(),
        };
      };
      const isAdmin = failing.what === 'an admin';
      await expect
        .poll(() => {
          clock.leap(500);
          return show();
        }, PATIENT)
        .toEqual({
          name: 'Aces',
          members: isAdmin ? others(4) : others(4, 1),
          admins: isAdmin ? ['person6@example.com'] : others(6, 1, 2, 3, 4),
        });
    }, settings),
  );
});
