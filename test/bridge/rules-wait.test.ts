import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/values.ts';
import type { OperationName } from '../../src/sandbox/operations.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest } from '../support/bridge.ts';
import type { CalmClock } from '../support/calm-clock.ts';
import { startCalmBridge } from '../support/calm-clock.ts';
import { failing, HANGING } from '../support/faults.ts';
import { forTest } from '../support/lifetimes.ts';
import { readMetrics } from '../support/metrics.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import type { TestAnswer } from '../support/provider.ts';
import { admit, expel, replace, toPatch, toUser } from '../support/provider.ts';

const options: TestBridgeOptions = {
  requestsPerSecond: 5,
  settings: { SCIM_WRITE_WAIT: '3s' },
  sandbox: { seed: { users: 3, groups: 1, groupSizes: [2] } },
};

async function create(bridge: TestBridge, clock: CalmClock, [first, count]: [number, number]) {
  const Operations = Array.from({ length: count }, (_, index) => {
    const name = `new${first + index}`;
    return { method: 'POST', path: '/Users', bulkId: name, data: toUser(name) };
  });
  return answerOf(bridge, clock, bridge.request('POST', '/Bulk', { Operations }));
}

type Target = Parameters<TestBridge['findId']>[0];

const patch = async (bridge: TestBridge, target: Target, operation: JsonObject) =>
  bridge.tryPatch(`/${target.type}/${await bridge.findId(target)}`, operation);

async function answerOf(bridge: TestBridge, clock: CalmClock, request: Promise<TestAnswer>) {
  const begin = clock.now();
  let isAnswered = false;
  void request.finally(() => {
    isAnswered = true;
  });
  await clock.pass(bridge.sandbox, () => isAnswered);
  return { answer: await request, tookMs: clock.now() - begin };
}

const rename = replace('name.familyName', 'King');
const deactivate = replace('active', false);

test('a write is answered at once when the queue ahead is longer than its wait', async () => {
  const { bridge, clock } = await forTest(startCalmBridge(options));
  await create(bridge, clock, [0, 40]);

  const change = await patch(bridge, { type: 'Users', name: 'user00001' }, rename);

  expect(change.status).toBe(200);
  expect(bridge.sandbox.service.getUser('user00001@example.com').fullName).not.toContain('King');
});

const leaver = { type: 'Users', name: 'user00002' } as const;
const crew = { type: 'Groups', name: 'Group 001' } as const;
type Removal = readonly [what: string, remove: (bridge: TestBridge) => Promise<TestAnswer>];
const removals: readonly Removal[] = [
  ['a deactivation', (bridge) => patch(bridge, leaver, deactivate)],
  [
    'a deactivation behind a new name that waits',
    async (bridge) => {
      await patch(bridge, leaver, rename);
      return patch(bridge, leaver, deactivate);
    },
  ],
  [
    'a deletion',
    async (bridge) => bridge.request('DELETE', `/Users/${await bridge.findId(leaver)}`),
  ],
  ['a departure', async (bridge) => patch(bridge, crew, expel(await bridge.findId(leaver)))],
];

test.each(removals)('while 100 creates wait, %s is done within a second', async (what, remove) => {
  const settings = { ...options.settings, USERS_ADOPT_ON_DELETE: 'yes' };
  const { bridge, clock } = await forTest(startCalmBridge({ ...options, settings }));
  const { service } = bridge.sandbox;
  const adopted = patch(bridge, crew, replace('externalId', 'crew'));
  await answerOf(bridge, clock, adopted);
  await create(bridge, clock, [0, 100]);

  const { answer, tookMs } = await answerOf(bridge, clock, remove(bridge));

  expect(answer.status).toBeLessThan(300);
  expect(tookMs).toBeLessThanOrEqual(1_000);
  if (what === 'a departure') expect(service.members('Group 001')).toHaveLength(1);
  else expect(service.getUser('user00002@example.com').active).toBe(false);
  expect((await bridge.readWork())?.due).toBeGreaterThan(80);
});

test('a deactivation stays a removal whatever is written after it, until the person is to be active again', async () => {
  const bridge = await bridgeForTest();
  const path = `/Users/${await bridge.settled(bridge.addUser('ada'))}`;
  // Nothing is sent from here on, so that what is written waits.
  await bridge.ops('POST', '/pause', {});
  const toMetric = (kind: string) => `changes_waiting{kind="${kind}"}`;
  const kinds: unknown[] = [];
  for (const change of [rename, deactivate, rename, replace('active', true)]) {
    await bridge.patch(path, change);
    const waiting = [...(await readMetrics(bridge))].filter(([name]) =>
      /^changes_waiting/.test(name),
    );
    kinds.push(waiting.flatMap(([name, count]) => (count > 0 ? name : [])).join());
  }

  const [user, leaver, joiner] = ['user', 'leaver', 'joiner'].map(toMetric);
  expect(kinds).toEqual([user, leaver, leaver, joiner]);
});

test('what is accepted first reaches the service first, also past those who come later', async () => {
  const { bridge, clock } = await forTest(startCalmBridge(options));
  const { sandbox } = bridge;
  const count = 30;
  await create(bridge, clock, [0, count]);
  const hasCreated = (users: number) => () => sandbox.service.users().length >= 4 + users;
  await clock.pass(sandbox, hasCreated(15));

  await bridge.send('POST', '/Users', toUser('late'));
  await clock.pass(sandbox, hasCreated(count + 1));

  const order = sandbox.service.users().map(({ userName }) => userName);
  const names = Array.from({ length: count }, (_, index) => `new${index}@example.com`);
  expect(order.slice(-1)).toEqual(['late@example.com']);
  expect(order.slice(4, -1)).toEqual(names);
});

test('a call that waits for its turn does not leave once something else is wanted', async () => {
  const settings = { SCIM_WRITE_WAIT: '0' };
  const { bridge, clock } = await forTest(startCalmBridge({ ...options, settings }));
  const { sandbox } = bridge;
  const path = `/Users/${await bridge.findId({ type: 'Users', name: 'user00001' })}`;
  const { name = {} } = (await bridge.send('GET', path)).body;
  await create(bridge, clock, [0, 4]);
  await bridge.tryPatch(path, rename);
  await clock.untilCalm(sandbox);
  await bridge.tryPatch(path, replace('name', name));
  await clock.pass(sandbox, () => sandbox.service.users().length === 8);
  await clock.passFor(sandbox, 10_000);

  expect(sandbox.calls.count({ operation: 'scim.updateUser' })).toBe(0);
});

test('a call of an operator keeps its share while changes wait', async () => {
  const { bridge, clock } = await forTest(
    startCalmBridge({ ...options, settings: { ...options.settings, OPS_TOKEN } }),
  );
  const { sandbox } = bridge;
  await create(bridge, clock, [0, 70]);
  sandbox.calls.reset();

  const asked = bridge.ops('POST', '/api/users/retrieveCurrentUser', {});
  const { answer, tookMs } = await answerOf(bridge, clock, asked);

  expect(answer.status).toBe(200);
  expect(tookMs).toBeLessThan(5_000);
  expect((await bridge.readWork())?.due).toBeGreaterThan(20);
});

describe('rules acknowledging', () => {
  const ada = 'ada@example.com';

  function rename(familyName: string) {
    return toPatch(replace('name.familyName', familyName));
  }

  const bridge = bridgeForSuite({ settings: { SCIM_WRITE_WAIT: '50ms' } });

  test('a slow write is acknowledged when the wait ends and becomes true all the same', async () => {
    const { faults, service } = bridge.sandbox;
    const path = `/Users/${await bridge.addUser('ada')}`;
    await bridge.untilSettled();
    const hang = faults.add({ operation: 'scim.updateUser', fault: HANGING, times: 1 });

    const answer = await bridge.request('PATCH', path, rename('King'));
    await hang.until(1);
    const nameBefore = service.getUser(ada).fullName;
    faults.release();
    await bridge.untilSettled();

    expect(answer).toMatchObject({ status: 200, body: { name: { familyName: 'King' } } });
    expect(nameBefore).toBe('Ada Example');
    expect(service.getUser(ada).fullName).toBe('Ada King');
  });

  test('with whenUpstreamIsDown refuse, a write is refused while the credentials are, and nothing is stored', async () => {
    const bridge = await bridgeForTest({ settings: { SCIM_WHEN_UPSTREAM_IS_DOWN: 'refuse' } });
    const path = `/Users/${await bridge.addUser('ada')}`;
    bridge.sandbox.faults.add({ operation: '*', fault: failing(401) });
    await bridge.request('PATCH', path, rename('King'));

    const answer = await bridge.request('PATCH', path, rename('Queen'));

    expect(answer.status).toBe(503);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect((await bridge.send('GET', path)).body).toMatchObject({ name: { familyName: 'King' } });
  });
});

type Make = (bridge: TestBridge) => Promise<readonly [string, JsonObject, JsonObject]>;

const makeUser: Make = async (bridge) => {
  const toName = (value: string) => replace('name.familyName', value);
  return [`/Users/${await bridge.addUser('ada')}`, toName('King'), toName('Byron')];
};
const makeGroup: Make = async (bridge) => {
  const [ada, bob] = await bridge.addPeople('ada', 'bob');
  return [`/Groups/${await bridge.addGroup('Pilots')}`, admit(ada), admit(bob)];
};

async function readVersion(bridge: TestBridge, path: string): Promise<unknown> {
  return Object((await bridge.send('GET', path)).body.meta).version;
}

describe('a change of a resource that is written again meanwhile', () => {
  test.each<[string, OperationName, Make]>([
    ['user', 'scim.updateUser', makeUser],
    ['group', 'groupUsers.addUserToGroup', makeGroup],
  ])(
    'is answered when the service has it, not after the next one (%s)',
    async (_, operation, make) => {
      const settings = { SCIM_WRITE_WAIT: '60s', UPSTREAM_TIMEOUT: '5m' };
      const bridge = await bridgeForTest({ settings });
      const [path, first, second] = await bridge.settled(make(bridge));
      const { faults } = bridge.sandbox;
      const hung = HANGING;
      const calls = faults.add({ operation, fault: hung, times: 1 });
      const next = faults.add({ operation, fault: HANGING });

      let early: TestAnswer | undefined;
      void bridge.tryPatch(path, first).then((answer) => {
        early = answer;
      });
      await calls.until(1);
      const before = await readVersion(bridge, path);
      const other = bridge.tryPatch(path, second);
      await expect.poll(() => readVersion(bridge, path)).not.toBe(before);
      faults.release(hung);
      await next.until(1);

      // Long before its own wait is over, while the next call has no answer.
      const answered = expect.poll(() => early?.status, { timeout: 20_000 });
      await answered.toBeLessThan(300).finally(() => faults.clear());
      expect((await other).status).toBeLessThan(300);
    },
  );
});

test('writes that are sent elsewhere are told, met by one call now and then, hold up no other calls, and are not lost', async () => {
  const { bridge, clock } = await forTest(startCalmBridge({ settings: { SCIM_WRITE_WAIT: '0' } }));
  const { faults, calls, service } = bridge.sandbox;
  const headers = { Location: 'https://login.example/' };
  const fault = { kind: 'status', status: 307, headers } as const;
  faults.add({ operation: 'scim.addUser', fault });
  calls.reset();

  await bridge.addUser('ada');
  await clock.pass(bridge.sandbox, () => calls.count({ operation: 'scim.addUser' }) > 0);
  await clock.untilCalm(bridge.sandbox);
  const during = await bridge.listReasons();
  await bridge.addUsers(3);
  await bridge.addGroup('Pilots');
  await clock.pass(bridge.sandbox, () => service.groups().length > 0);
  const met = calls.count({ operation: 'scim.addUser' });
  faults.clear();
  await clock.pass(bridge.sandbox, () => service.users().length === 5);

  expect(during).toContain('redirected');
  expect(met).toBe(1);
  expect(await bridge.listReasons()).not.toContain('redirected');
});
