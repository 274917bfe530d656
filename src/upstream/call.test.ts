import { expect, test } from 'vitest';
import { scim } from './operations/scim.ts';
import { connect, cut, failureOf, getUser, ok } from './testing/connect.ts';
import { createFakeClock, runReady } from './testing/fake-clock.ts';
import { sendJson, startService } from './testing/service.ts';

test('a clear no after a lost answer is the answer', async () => {
  const service = await startService((res, request, n) =>
    n === 0 ? cut(res, request, n) : sendJson(res, 404, {}),
  );

  const error = await failureOf(getUser(connect(service.baseUrl)));

  expect(error).toMatchObject({ code: 'not-found', retry: 'never', outcome: 'answered' });
});

test('"not now" after a lost answer leaves the outcome unknown', async () => {
  const service = await startService((res, request, n) =>
    n === 0 ? cut(res, request, n) : sendJson(res, 429, {}, { 'retry-after': '3600' }),
  );

  const error = await failureOf(getUser(connect(service.baseUrl)));

  expect(error).toMatchObject({ code: 'connection', outcome: 'unknown' });
  expect(service.seen).toHaveLength(2);
});

test('a call that is sent again goes before those that have had no turn', async () => {
  const service = await startService((res, request, n) =>
    n === 0 ? sendJson(res, 502, {}) : ok(res, request, n),
  );
  const transport = connect(service.baseUrl, { inFlightMax: 1 });

  await Promise.all(
    [1, 2, 3, 4].map((id) => transport.call(scim.getUser, { path: { user_id: id } })),
  );

  const order = service.seen.map(({ url }) => Number(url.split('/').at(-1)));
  expect(order.filter((id) => id === 1)).toHaveLength(2);
  expect(order.slice(0, 2)).toEqual([1, 2]);
  expect(order.lastIndexOf(1)).toBeLessThan(order.indexOf(4));
});

test('how long a call waited for its turn is told', async () => {
  const told: object[] = [];
  const clock = createFakeClock();
  const service = await startService(ok);
  const transport = connect(service.baseUrl, {
    clock,
    requestsPerSecond: 1,
    hooks: { onTurn: (turn) => told.push(turn) },
  });
  await getUser(transport);
  const second = getUser(transport);
  await runReady();
  await clock.advance(2_000);
  await second;

  const first = { callClass: 'pass', waitedMs: 0 };
  expect(told).toEqual([first, { ...first, waitedMs: 1_050 }]);
});
