import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { SandboxPreset, SandboxShapeChange } from '../../src/sandbox/shape.ts';
import { type TestBridge, withTestBridge } from '../support/bridge.ts';
import {
  addUser,
  listResources,
  send,
  toGroup,
  toPatch,
  toUser,
  untilSettled,
} from '../support/provider.ts';

const ada = 'ada@example.com';

/** Whoever the service has beside its owner, by address. */
function listAddresses({ sandbox }: TestBridge): string[] {
  const addresses = sandbox.service.users().map(({ email }) => email);
  return addresses.filter((address) => address !== 'owner@example.com');
}

const lookShapes: { what: string; shape: SandboxPreset | SandboxShapeChange }[] = [
  { what: 'that honours filters', shape: { filter: 'honoured' } },
  { what: 'that ignores filters', shape: { filter: 'ignored' } },
  { what: 'that refuses filters', shape: { filter: 'refused' } },
  { what: 'of the narrowest shape', shape: 'narrowest' },
];

for (const { what, shape } of lookShapes) {
  test.concurrent(`a lost create is looked up before another is sent, in a service ${what}`, async ({
    expect,
  }) =>
    withTestBridge({ sandbox: { shape, seed: { users: 150 } } }, async (bridge) => {
      await addUser(bridge, 'bob');
      const fault = { kind: 'reset', at: 'after-effect' } as const;
      bridge.sandbox.faults.add({ operation: 'scim.addUser', fault, times: 1 });
      bridge.sandbox.calls.reset();

      await addUser(bridge, 'ada');
      await untilSettled(bridge);

      expect(bridge.sandbox.calls.count({ operation: 'scim.addUser' })).toBe(1);
      expect(bridge.sandbox.service.getUser(ada).fullName).toBe('Ada Example');
    }));
}

test.concurrent('a group that a list shows and nobody finds any more is looked for again', async ({
  expect,
}) =>
  withTestBridge({}, async (bridge) => {
    const { faults, service, calls } = bridge.sandbox;
    const lost = { kind: 'reset', at: 'after-effect' } as const;
    faults.add({ operation: 'groups.createGroup', fault: lost, times: 1 });
    faults.add({ operation: 'groups.getGroup', fault: { kind: 'status', status: 404 }, times: 1 });

    const created = await bridge.request('POST', '/Groups', toGroup('Pilots'));
    await untilSettled(bridge);

    expect(created.status).toBe(201);
    expect(service.groups().map(({ name }) => name)).toEqual(['Pilots']);
    expect(calls.count({ operation: 'groups.createGroup' })).toBe(1);
  }));

test('a person is created again only after a list that proves that nobody is there', () =>
  withTestBridge({ settings: { SCIM_WRITE_WAIT: '100ms' } }, async (bridge) => {
    const { faults, calls } = bridge.sandbox;
    const fault = { kind: 'reset', at: 'before-effect' } as const;
    faults.add({ operation: 'scim.addUser', fault, times: 1 });
    const blind = faults.add({
      operation: 'scim.getUsers',
      fault: { kind: 'status', status: 403 },
    });

    await addUser(bridge, 'ada');
    await blind.until(1);
    const createsWhileBlind = calls.count({ operation: 'scim.addUser' });
    blind.remove();
    await untilSettled(bridge);

    expect(createsWhileBlind).toBe(1);
    expect(listAddresses(bridge)).toEqual([ada]);
  }));

const primary = { value: 'primary@example.com', primary: true };
const work = { value: 'work@example.com', type: 'work' };
const home = { value: 'home@example.com', type: 'home' };

const addresses: { what: string; user: JsonObject; created: string }[] = [
  {
    what: 'the primary one',
    user: { userName: 'ada', emails: [work, home, primary] },
    created: primary.value,
  },
  {
    what: 'else the one of type work',
    user: { userName: 'ada', emails: [home, work] },
    created: work.value,
  },
  {
    what: 'else the first',
    user: { userName: 'ada', emails: [home, { value: 'b@c.example' }] },
    created: home.value,
  },
  { what: 'else the userName', user: { userName: ada }, created: ada },
];

for (const { what, user, created } of addresses) {
  test(`an account is created with an e-mail address: ${what}`, () =>
    withTestBridge({}, async (bridge) => {
      await send(bridge, 'POST', '/Users', user);

      expect(listAddresses(bridge)).toEqual([created]);
    }));
}

test('without any e-mail address a create is refused before anything is stored', () =>
  withTestBridge({}, async (bridge) => {
    const answer = await bridge.request('POST', '/Users', { schemas: [], userName: 'ada' });

    expect(answer).toMatchObject({ status: 400, body: { scimType: 'invalidValue' } });
    expect(answer.body.detail).toContain('e-mail');
    expect(listResources(await send(bridge, 'GET', '/Users'))).toHaveLength(1);
    expect(bridge.sandbox.calls.count({ operation: 'scim.addUser' })).toBe(0);
  }));

test('somebody created inactive is nobody to the service until activated, and then named', () =>
  withTestBridge({}, async (bridge) => {
    const id = await addUser(bridge, 'ada', { active: false });
    const before = listAddresses(bridge);

    await send(
      bridge,
      'PATCH',
      `/Users/${id}`,
      toPatch({ op: 'replace', value: { active: true } }),
    );

    expect(before).toEqual([]);
    expect(bridge.sandbox.service.getUser(ada)).toMatchObject({ fullName: 'Ada Example' });
  }));

describe('creating at the same time', () => {
  test('50 creates of 25 people make 25 accounts, and the others are told that the name is taken', async () =>
    withTestBridge({}, async (bridge) => {
      const names = Array.from({ length: 50 }, (_, index) => `person${(index % 25) + 1}`);

      const answers = await Promise.all(
        names.map((name) => bridge.request('POST', '/Users', toUser(name))),
      );
      await untilSettled(bridge);

      const statuses = answers.map(({ status }) => status).sort();
      expect(statuses).toEqual([...Array(25).fill(201), ...Array(25).fill(409)]);
      expect(listAddresses(bridge)).toHaveLength(25);
    }));
});
