import { afterEach, describe, expect, test } from 'vitest';
import { GROUP_EXTENSION } from '../../src/domain/extensions.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import {
  bridgeForSuite,
  bridgeForTest,
  type TestBridge,
  type TestBridgeOptions,
} from '../support/bridge.ts';
import { failing, HANGING } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { admit, expel, replace, toGroup, toMembers, toUser } from '../support/provider.ts';
import { tamperWith } from '../support/tampering-proxy.ts';

/** Every call that reached the service, reads too; what is not named must not be called. */
type Calls = Partial<Record<OperationName, number>>;

/** What a request of an identity provider costs: what happened before gives the requests whose calls are counted. */
type CallRow = readonly [
  what: string,
  calls: Calls,
  prepare: (bridge: TestBridge) => Promise<() => Promise<unknown>>,
];

let counter = 0;

const row = (...given: CallRow): CallRow => given;

function withAda(
  what: string,
  calls: Calls,
  act: (bridge: TestBridge, path: string, name: string) => Promise<unknown>,
): CallRow {
  return row(what, calls, async (bridge) => {
    counter += 1;
    const name = `ada${counter}`;
    const path = `/Users/${await bridge.addUser(name)}`;
    return () => act(bridge, path, name);
  });
}

function withGroup(
  what: string,
  calls: Calls,
  act: (
    bridge: TestBridge,
    ids: { path: string; name: string; ada: string; bob: string },
  ) => Promise<unknown>,
): CallRow {
  return row(what, calls, async (bridge) => {
    counter += 1;
    const name = `Pilots ${counter}`;
    const [ada, bob] = await bridge.addPeople(`ada${counter}`, `bob${counter}`);
    const path = `/Groups/${await bridge.addGroup(name, [ada])}`;
    return () => act(bridge, { path, name, ada, bob });
  });
}

/** A test for each row. Rows share a bridge, before which 2 people were there and 1 group with both of them. */
function runCallTable(title: string, rows: readonly CallRow[], given: TestBridgeOptions = {}) {
  describe(title, () => {
    const sandbox = { seed: { users: 2, groups: 1 }, ...given.sandbox };
    const bridge = bridgeForSuite({ ...given, sandbox });
    for (const [what, calls, prepare] of rows)
      test(`${what}: ${toWords(calls)}`, async () => {
        expect(await countCalls(bridge, await prepare(bridge))).toEqual(withoutZeros(calls));
      });
  });
}

async function countCalls(bridge: TestBridge, act: () => Promise<unknown>) {
  const { calls } = bridge.sandbox;
  await bridge.untilSettled();
  calls.reset();
  await bridge.settled(act());
  const names = Object.keys(calls.counts()) as OperationName[];
  return Object.fromEntries(names.map((operation) => [operation, calls.count({ operation })]));
}

function withoutZeros(calls: Calls): Record<string, number> {
  return Object.fromEntries(Object.entries(calls).filter(([, count]) => count > 0));
}

function toWords(calls: Calls): string {
  const parts = Object.entries(withoutZeros(calls)).map(([name, count]) => `${count} ${name}`);
  return parts.length === 0 ? 'no call' : parts.join(', ');
}

const { emails = [] } = toUser('user00001');
const known = { userName: 'user00001', emails };

const disable = replace('active', false);

const reads: CallRow[] = [
  withGroup('a look-up, a list, a search and a read', {}, async (bridge, { path, ada }) => {
    await bridge.find('/Users', 'userName eq "x@y.example"');
    await bridge.send('GET', `/Users/${ada}`);
    await bridge.send('GET', '/Users?startIndex=1&count=10&sortBy=userName');
    await bridge.send('GET', '/Groups?excludedAttributes=members');
    await bridge.send('GET', path);
    await bridge.send('POST', '/.search', { filter: 'id pr' });
  }),
];

const UPDATE = { 'scim.updateUser': 1 };
const people: CallRow[] = [
  row('a create', { 'scim.addUser': 1 }, async (bridge) => () => bridge.addUser('newcomer')),
  withAda('a deactivation together with a rename', UPDATE, (bridge, path, ada) => {
    const name = { givenName: 'Ada', familyName: 'King' };
    return bridge.send('PUT', path, toUser(ada, { name, active: false }));
  }),
  row('a reactivation', { 'scim.updateUser': 1 }, async (bridge) => {
    const path = `/Users/${await bridge.addUser('returner')}`;
    await bridge.patch(path, disable);
    return () => bridge.send('PUT', path, toUser('returner'));
  }),
  row('a new userName once it is known that the service does not take it', {}, async (bridge) => {
    const path = `/Users/${await bridge.addUser('renamed')}`;
    await bridge.send('PUT', path, toUser('renamed', { userName: 'a@b.example' }));
    return () => bridge.send('PUT', path, toUser('renamed', { userName: 'c@d.example' }));
  }),
  row(
    'a delete of somebody in three groups',
    { 'scim.updateUser': 1, 'groupUsers.removeUserFromGroup': 3 },
    async (bridge) => {
      const ada = await bridge.addUser('leaver');
      for (const name of ['Pilots', 'Cooks', 'Sailors']) await bridge.addGroup(name, [ada]);
      return () => bridge.send('DELETE', `/Users/${ada}`);
    },
  ),
  row('a create of somebody who was deleted', { 'scim.updateUser': 1 }, async (bridge) => {
    await bridge.send('DELETE', `/Users/${await bridge.addUser('again')}`);
    return () => bridge.addUser('again');
  }),
];

/** Where no name is taken at creation, only objects as e-mails, and members one by one. */
const narrow: CallRow[] = [
  row(
    'the first create, where neither the form of e-mails nor the name is taken',
    { 'scim.addUser': 2, 'scim.updateUser': 1 },
    async (bridge) => () => bridge.addUser('ada'),
  ),
  row(
    'the activation of somebody who was created inactive, where no name is taken',
    { 'scim.addUser': 1, 'scim.updateUser': 1 },
    async (bridge) => {
      await bridge.addUser('bob');
      const path = `/Users/${await bridge.addUser('eve', { active: false })}`;
      return () => bridge.send('PUT', path, toUser('eve'));
    },
  ),
];

const nothing: CallRow[] = [
  withAda('what the bridge alone keeps', {}, (bridge, path) =>
    bridge.patch(path, replace('title', 'Pilot')),
  ),
  withAda('the same PUT again', {}, (bridge, path, ada) => bridge.send('PUT', path, toUser(ada))),
  row('disabling somebody who is disabled', {}, async (bridge) => {
    const path = `/Users/${await bridge.addUser('disabled')}`;
    await bridge.patch(path, disable);
    return () => bridge.patch(path, disable);
  }),
  row('a PUT of an unmanaged account as it is', {}, async (bridge) => {
    const path = `/Users/${await bridge.findId({ type: 'Users', name: 'user00001' })}`;
    const { body } = await bridge.send('GET', path);
    return () => bridge.send('PUT', path, body);
  }),
  row('a create that adopts an account as it is', {}, async (bridge) => {
    return () => bridge.send('POST', '/Users', { ...known, externalId: 'e-1' });
  }),
  withGroup('adding a member who is there', {}, (bridge, { path, ada }) =>
    bridge.patch(path, admit(ada)),
  ),
  withGroup('a PUT of the same group', {}, (bridge, { path, name, ada }) =>
    bridge.send('PUT', path, toGroup(name, [ada])),
  ),
];

const LEAVE = { 'groupUsers.removeUserFromGroup': 1 };
const groups: CallRow[] = [
  withGroup('one member who joins', { 'groupUsers.addUserToGroup': 1 }, (bridge, { path, bob }) =>
    bridge.patch(path, admit(bob)),
  ),
  withGroup('one member who leaves', LEAVE, (bridge, { path, ada }) =>
    bridge.patch(path, expel(ada)),
  ),
  row('exchanging one member for another', { 'scim.updateGroup': 1 }, async (bridge) => {
    const [ada, bob] = await bridge.addPeople('ada', 'bob');
    const path = `/Groups/${await bridge.addGroup('Pilots', [ada])}`;
    await bridge.addGroup('A group that teaches the form', [ada, bob]);
    return () => bridge.send('PUT', path, toGroup('Pilots', [bob]));
  }),
  withGroup('a delete of a group with members', { 'groups.removeGroup': 1 }, (bridge, { path }) =>
    bridge.send('DELETE', path),
  ),
  row(
    'the first change of a group that people made: its admins are read before it is adopted',
    { 'groupAdmins.getListOfGroupAdmins': 1, 'groups.updateGroup': 1 },
    async (bridge) => {
      const path = `/Groups/${await bridge.findId({ type: 'Groups', name: 'Group 001' })}`;
      return () => bridge.patch(path, replace('displayName', 'Crew'));
    },
  ),
];

const ONE = { 'scim.updateGroup': 1 };
const batch = (updates: number) => ({
  ...{ people: 40, added: ONE, removed: ONE },
  first: { 'scim.getGroup': 1, 'scim.updateGroup': updates },
});
const memberForms = [
  { memberPatch: 'one-per-operation', ...batch(1) },
  { memberPatch: 'array', ...batch(2) },
  {
    memberPatch: 'one-operation-per-request',
    people: 10,
    // The SCIM id, two forms of the whole, and a pair that tells the refused form from a refused member.
    first: { 'scim.getGroup': 1, 'scim.updateGroup': 4, 'groupUsers.addUserToGroup': 10 },
    added: { 'groupUsers.addUserToGroup': 10 },
    removed: { 'groupUsers.removeUserFromGroup': 10 },
  },
] as const;

test.each(memberForms)(
  '$people members join and leave in as few calls as the service allows ($memberPatch)',
  async ({ memberPatch, people, first, added, removed }) => {
    const sandbox = { shape: { memberPatch }, seed: { users: people } };
    const bridge = await bridgeForTest({ sandbox });
    const ids = (await bridge.find('/Users', 'userName sw "user0"')).map(({ id }) => String(id));
    const pilots = `/Groups/${await bridge.addGroup('Pilots')}`;
    const count = (change: JsonObject) => countCalls(bridge, () => bridge.patch(pilots, change));

    expect(await count(admit(...ids))).toEqual(first);
    expect(await count(expel(...ids))).toEqual(removed);
    const created = await countCalls(bridge, () => bridge.addGroup('Crew', ids));
    expect(created).toEqual({ 'groups.createGroup': 1, ...added });
  },
);

runCallTable('reading', reads);
runCallTable('people', people);
runCallTable('people where little is taken', narrow, { sandbox: { shape: 'narrowest' } });
runCallTable('groups', groups);
runCallTable('a write that changes nothing', nothing);

const EXTENSION = 'urn:ietf:params:scim:schemas:extension:workmanagement:2.0';
const shape = { changeStatus: 204, updatable: ['active', 'name', 'userName', 'emails'] } as const;

describe('a service that answers updates without a body', () => {
  const settings = { SCIM_WRITE_WAIT: '60s', GROUPS_PERMISSIONS_MAX: '31' };
  const bridge = bridgeForSuite({ settings, sandbox: { shape } });

  async function listCalls(path: string, ...operations: JsonObject[]): Promise<string[]> {
    await bridge.untilSettled();
    const { calls } = bridge.sandbox;
    calls.reset();
    await bridge.settled(bridge.patch(path, ...operations));
    return calls.recent().map(({ operation }) => operation);
  }

  test.each([
    ['name.familyName', 'King', ['scim.updateUser', 'scim.getUser']],
    // No call shows the licence of one person.
    [`${EXTENSION}:User:appsPermissions`, 2, ['companyUsers.updateUser']],
    [`${EXTENSION}:User:temporarilyInactive`, true, ['companyUsers.updateUser']],
  ])(
    'is sent %s of a person once, and looked at where one look can tell',
    async (path, value, calls) => {
      const user = await bridge.addUser(`user-${path.replace(/\W/g, '')}`);
      expect(await listCalls(`/Users/${user}`, replace(path, value))).toEqual(calls);
    },
  );

  test.each([
    ['displayName', 'Aviators'],
    [`${EXTENSION}:Group:permissions`, 2],
    [`${EXTENSION}:Group:addToCardsAndSpacesEnabled`, true],
  ])('is sent %s of a group once, and looked at', async (path, value) => {
    const group = `/Groups/${await bridge.addGroup(`Group with another ${path}`)}`;
    const calls = ['groups.updateGroup', 'groups.getGroup'];
    expect(await listCalls(group, replace(path, value))).toEqual(calls);
  });

  test('is sent what takes access away before anything else of a person', async () => {
    const [access, look] = ['companyUsers.updateUser', 'scim.getUser'];
    const [ada, bob] = (await bridge.addPeople('leaver', 'guest')).map((id) => `/Users/${id}`);
    const licence = replace(`${EXTENSION}:User:appsPermissions`, 2);
    expect(await listCalls(`${ada}`, licence, disable)).toEqual(['scim.updateUser', look, access]);
    const suspend = replace(`${EXTENSION}:User:temporarilyInactive`, true);
    const rename = replace('name.familyName', 'King');
    expect(await listCalls(`${bob}`, rename, suspend)).toEqual([access, 'scim.updateUser', look]);
  });
});

test('an update of a group whose answer lacks what was sent is looked at once', async () => {
  const sandbox = await forTest(startSandbox());
  const proxy = await forTest(tamperWith(sandbox, 'PATCH'));
  const settings = { SCIM_WRITE_WAIT: '60s', GROUPS_PERMISSIONS_MAX: '31' };
  const bridge = await bridgeForTest({ settings, service: proxy.service });
  const id = await bridge.settled(bridge.addGroup('Pilots'));
  sandbox.calls.reset();
  proxy.setTamper((_url, body) => ({ ...Object(body), permissions: undefined }));

  await bridge.settled(bridge.patch(`/Groups/${id}`, replace(`${EXTENSION}:Group:permissions`, 2)));

  const calls = sandbox.calls.recent().map(({ operation }) => operation);
  expect(calls).toEqual(['groups.updateGroup', 'groups.getGroup']);
});

test('who is to be no admin any more goes before anything is given to the group', async () => {
  const bridge = await bridgeForTest({ settings: { GROUPS_PERMISSIONS_MAX: '31' } });
  const [ada, bob] = await bridge.addPeople('ada', 'bob');
  const admins = `${EXTENSION}:Group:admins`;
  const path = `/Groups/${await bridge.addGroup('Pilots')}`;
  await bridge.settled(bridge.patch(path, { op: 'add', path: admins, value: toMembers([ada]) }));
  bridge.sandbox.calls.reset();
  const give = [replace('displayName', 'Aviators'), replace(`${EXTENSION}:Group:permissions`, 2)];
  const join = admit(bob);
  await bridge.settled(bridge.patch(path, ...give, join, { op: 'remove', path: admins }));
  const calls = bridge.sandbox.calls.recent().filter(({ method }) => method !== 'GET');
  expect(calls[0]?.operation).toBe('groupAdmins.removeAdminFromGroup');
  expect(calls.length).toBeGreaterThan(2);
});

describe('ledger', () => {
  const bridge = bridgeForSuite({ settings: { GROUPS_PERMISSIONS_MAX: '31' } });
  afterEach(() => bridge.sandbox.faults.clear());

  async function listCalls(path: string): Promise<string[]> {
    return (await bridge.listOps(`${path.toLowerCase()}/timeline`))
      .filter(({ source }) => source === 'bridge')
      .map(({ text }) => String(text).replace(/, by [^:]+:|(?<=refused) .*/g, ''));
  }

  test('a call is in the ledger before it leaves, so that a crash leaves no call without a row', async () => {
    const path = `/Users/${await bridge.addUser('ada')}`;
    const { faults } = bridge.sandbox;
    const slow = faults.add({ operation: 'scim.updateUser', fault: HANGING });

    const answer = bridge.tryPatch(path, disable);
    await slow.until(1);
    const during = await listCalls(path);
    faults.clear();
    await answer;

    expect(during).toEqual(['user.create done', 'user.deactivate outcome not known']);
    expect(await listCalls(path)).toEqual(['user.create done', 'user.deactivate done']);
  });

  const replaceAll = (value: JsonObject) => ({ op: 'replace', value });
  const toChanges = (outcome: string, ...kinds: string[]) =>
    kinds.map((kind) => `${kind} ${outcome}`);
  const inParts = (...kinds: string[]) => [
    ...toChanges('refused', ...kinds),
    ...toChanges('done', ...kinds),
  ];
  const joins = (count: number): string[] => Array(count).fill('member.add');
  const captains = { displayName: 'Captains', [GROUP_EXTENSION]: { permissions: 2 } };

  /** A request whose call the service refuses so many times, after which parts of it are sent; and its changes. */
  test.each([
    {
      why: 'access first, then the name',
      ...({ refused: 'scim.updateUser', times: 1, type: 'Users' } as const),
      toOperation: () => replaceAll({ active: false, name: { familyName: 'Byron' } }),
      changes: inParts('user.deactivate', 'user.rename'),
    },
    {
      why: 'the name of a group first, then its permissions',
      ...({ refused: 'groups.updateGroup', times: 1, type: 'Groups' } as const),
      toOperation: () => replaceAll(captains),
      changes: inParts('group.rename', 'group.permissions'),
    },
    {
      why: 'members in halves, after both forms of the whole were refused',
      ...({ refused: 'scim.updateGroup', times: 2, type: 'Groups' } as const),
      toOperation: (people: readonly string[]) => admit(...people),
      changes: [...toChanges('refused', ...joins(8)), ...toChanges('done', ...joins(4))],
    },
  ])(
    'a call that is sent in parts has the changes of its part: $why',
    async ({ refused, times, type, toOperation, changes }) => {
      counter += 1;
      const index = counter;
      const people: string[] = [];
      for (const name of ['bea', 'cleo', 'dora', 'emma'])
        people.push(await bridge.addUser(`${name}${index}`));
      const group = await bridge.settled(bridge.addGroup(`Pilots ${index}`));
      const path = type === 'Users' ? `/Users/${people[0]}` : `/Groups/${group}`;
      const before = (await listCalls(path)).length;
      bridge.sandbox.faults.add({ operation: refused, fault: failing(400), times });

      await bridge.settled(bridge.patch(path, toOperation(people)));

      // Those of one call have one time, and no order.
      expect((await listCalls(path)).slice(before).toSorted()).toEqual(changes.toSorted());
    },
  );
});
