import { expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import type { TestBridge, TestBridgeOptions } from '../support/bridge.ts';
import { type CalmClock, startCalmBridge } from '../support/calm-clock.ts';
import { forTest } from '../support/lifetimes.ts';
import { OPS_TOKEN } from '../support/operator.ts';
import { replace, type TestAnswer, toPatch, toUser } from '../support/provider.ts';

const BULK = 'urn:ietf:params:scim:api:messages:2.0:BulkRequest';

/** A service of five calls a second that has three people and one group, all of them nobody's yet. */
const options: TestBridgeOptions = {
  requestsPerSecond: 5,
  settings: { SCIM_WRITE_WAIT: '3s' },
  sandbox: { seed: { users: 3, groups: 1, groupSizes: [2] } },
};

/** Has so many people created, from the `first` on, in the order of their numbers; most of it is still to do then. */
async function create(bridge: TestBridge, clock: CalmClock, [first, count]: [number, number]) {
  const Operations = Array.from({ length: count }, (_, index) => {
    const name = `new${first + index}`;
    return { method: 'POST', path: '/Users', bulkId: name, data: toUser(name) };
  });
  const request = bridge.request('POST', '/Bulk', { schemas: [BULK], Operations });
  return answerOf(bridge, clock, request);
}

async function patch(
  bridge: TestBridge,
  target: { type: 'Users' | 'Groups'; name: string },
  operation: JsonObject,
): Promise<TestAnswer> {
  const path = `/${target.type}/${await bridge.findId(target)}`;
  return bridge.request('PATCH', path, toPatch(operation));
}

/** Lets time pass until the request is answered. Gives the answer and how long it took. */
async function answerOf(
  bridge: TestBridge,
  clock: CalmClock,
  request: Promise<TestAnswer>,
): Promise<{ answer: TestAnswer; tookMs: number }> {
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

test('a write is answered at once when the queue ahead is longer than its wait; a removal is not behind it', async () => {
  const { bridge, clock } = await forTest(startCalmBridge(options));
  const { service } = bridge.sandbox;
  await create(bridge, clock, [0, 40]);

  const change = await patch(bridge, { type: 'Users', name: 'user00001' }, rename);
  const removal = patch(bridge, { type: 'Users', name: 'user00002' }, deactivate);
  const { answer, tookMs } = await answerOf(bridge, clock, removal);

  expect(change.status).toBe(200);
  expect(service.getUser('user00001@example.com').fullName).not.toContain('King');
  expect(answer.status).toBe(200);
  expect(service.getUser('user00002@example.com').active).toBe(false);
  expect(tookMs).toBeLessThanOrEqual(1_000);
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

test('a call of an operator keeps its share while changes wait', async () => {
  const { bridge, clock } = await forTest(
    startCalmBridge({
      ...options,
      settings: { ...options.settings, OPS_TOKEN },
    }),
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
