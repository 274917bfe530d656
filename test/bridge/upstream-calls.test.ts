import { afterEach, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import { failing, HANGING } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { admit, expel, replace, toGroup, toUser } from '../support/provider.ts';
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

const people: CallRow[] = [
  row('a create', { 'scim.addUser': 1 }, async (bridge) => () => bridge.addUser('newcomer')),
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
  row('disabling somebody who is disabled', { 'scim.getUser': 1 }, async (bridge) => {
    const path = `/Users/${await bridge.addUser('disabled')}`;
    await bridge.patch(path, disable);
    return () => bridge.patch(path, disable);
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

test('a group takes in at once whose accounts come one by one', async () => {
  const bridge = await bridgeForTest({ settings: { SCIM_WRITE_WAIT: '10ms' } });
  const { calls, faults } = bridge.sandbox;
  const names = ['ada', 'bob', 'eve'];
  const creations = names.map((about) =>
    faults.add({ operation: 'scim.addUser', fault: { ...HANGING }, about }),
  );
  const ids = await Promise.all(names.map((name) => bridge.addUser(name)));
  await Promise.all(creations.map((creation) => creation.until(1)));
  await bridge.addGroup('Pilots', ids);
  await calls.until(1, { operation: 'groups.createGroup' });

  for (const [index, { rule }] of creations.entries()) {
    faults.release(rule.fault);
    const read = async () => (await bridge.ops('GET', `/users/${ids[index]}`)).body;
    await expect.poll(read).toMatchObject({ upstreamId: expect.any(Number) });
  }

  await expect.poll(() => bridge.sandbox.service.members('Pilots')).toHaveLength(3);
  expect(calls.counts()).toMatchObject({ 'scim.updateGroup': { 200: 1 } });
  expect(calls.counts()).not.toHaveProperty(['groupUsers.addUserToGroup']);
});

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

  async function listCalls(path: string, change: JsonObject): Promise<string[]> {
    await bridge.untilSettled();
    const { calls } = bridge.sandbox;
    calls.reset();
    await bridge.settled(bridge.patch(path, change));
    return calls.recent().map(({ operation }) => operation);
  }

  const ofGroup = ['groups.updateGroup', 'groups.getGroup'];
  test.each([
    ['User', 'name.familyName', 'King', ['scim.updateUser', 'scim.getUser']],
    // No call shows the licence of one person.
    ['User', `${EXTENSION}:User:appsPermissions`, 2, ['companyUsers.updateUser']],
    ['User', `${EXTENSION}:User:temporarilyInactive`, true, ['companyUsers.updateUser']],
    ['Group', 'displayName', 'Aviators', ofGroup],
    ['Group', `${EXTENSION}:Group:permissions`, 2, ofGroup],
    ['Group', `${EXTENSION}:Group:addToCardsAndSpacesEnabled`, true, ofGroup],
  ])(
    'is sent a change of a %s once, and looked at where one look can tell: %s',
    async (type, path, value, calls) => {
      const name = path.replace(/\W/g, '');
      const id = await (type === 'User' ? bridge.addUser(name) : bridge.addGroup(name));
      expect(await listCalls(`/${type}s/${id}`, replace(path, value))).toEqual(calls);
    },
  );
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

describe('ledger', () => {
  const bridge = bridgeForSuite({ settings: { GROUPS_PERMISSIONS_MAX: '31' } });
  afterEach(() => bridge.sandbox.faults.clear());

  async function listCalls(path: string): Promise<string[]> {
    return (await bridge.listOps(`${path.toLowerCase()}/timeline`))
      .filter(({ source }) => source === 'bridge')
      .map(({ text }) => String(text).replace(/, by [^:]+:/, ''));
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

  test('a call of which parts are sent again has the changes of each part, access first', async () => {
    const path = `/Users/${await bridge.addUser('bea')}`;
    const fault = failing(400);
    bridge.sandbox.faults.add({ operation: 'scim.updateUser', fault, times: 1 });
    await bridge.settled(bridge.patch(path, disable, replace('name.familyName', 'Byron')));

    const parts = ['user.deactivate', 'user.rename'];
    const made = ['refused (refused 400)', 'done'].flatMap((end) =>
      parts.map((kind) => `${kind} ${end}`),
    );
    // Those of one call have one time, and no order.
    expect((await listCalls(path)).slice(1).toSorted()).toEqual(made.toSorted());
  });
});
