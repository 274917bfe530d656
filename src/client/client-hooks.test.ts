import { expect, test } from 'vitest';
import { ok } from '../upstream/testing/connect.ts';
import { sendJson } from '../upstream/testing/service.ts';
import type { ClientAttempt, FinishedAttempt } from './client-hooks.ts';
import { startClient } from './start-client-test-support.ts';

test('each attempt is told before and after', async () => {
  const before: ClientAttempt[] = [];
  const after: FinishedAttempt[] = [];
  const { client, baseUrl } = await startClient(
    (res, _request, n) =>
      n === 0
        ? sendJson(res, 502, {}, { 'x-request-id': 'r1' })
        : sendJson(res, 200, {}, { 'x-request-id': 'r2' }),
    {
      hooks: {
        beforeAttempt: (attempt) => before.push(attempt),
        afterAttempt: (attempt) => after.push(attempt),
      },
    },
  );

  await client.scim.getUsers({ query: { count: 1 } });

  const operation = 'scim.getUsers';
  const url = `${baseUrl}/scim/v2/Users?count=1`;
  expect(before).toMatchObject([
    { operation, url, method: 'GET', attempt: 1 },
    { operation, url, method: 'GET', attempt: 2 },
  ]);
  expect(after).toMatchObject([
    { operation, url, attempt: 1, status: 502, code: 'unavailable', requestId: 'r1' },
    { operation, url, attempt: 2, status: 200, code: undefined, requestId: 'r2' },
  ]);
  expect(after.map(({ answerHeaders }) => answerHeaders['x-request-id'])).toEqual(['r1', 'r2']);
  expect(after[0]?.durationMs).toBeGreaterThan(0);
});

test('the token is in nothing that a hook sees', async () => {
  const told: unknown[] = [];
  const token = 'b7f0/secret+';
  const { client } = await startClient(ok, {
    token,
    hooks: {
      beforeAttempt: (attempt) => told.push(attempt),
      afterAttempt: (attempt) => told.push(attempt),
    },
  });
  await client.request({ method: 'GET', path: `/x/${token}`, query: { token } });
  expect(told).toMatchObject([{ headers: { authorization: 'Bearer [token]' } }, {}]);
  expect(JSON.stringify(told)).not.toMatch(/b7f0/);
});

test.each([
  {
    why: 'throws',
    hook: () => {
      throw new Error('broken');
    },
  },
  { why: 'fails later', hook: () => Promise.reject(new Error('broken')) },
])('a hook that $why breaks nothing', async ({ hook }) => {
  const hooks = { beforeAttempt: hook, afterAttempt: hook };
  const { client, seen } = await startClient(ok, { hooks });
  expect(await client.users.retrieveCurrentUser()).toEqual({ id: 1 });
  expect(seen).toHaveLength(1);
});
