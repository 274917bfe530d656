import { expect, test } from 'vitest';
import { startForTest } from './start-for-test.ts';

test('calls are counted by operation, status and whether they mutate', async () => {
  const { call, sandbox } = await startForTest({ clock: () => 5 });
  await call('GET', '/scim/v2/Users?count=1');
  await call('GET', '/scim/v2/Users/9');
  await call('POST', '/scim/v2/Groups', { displayName: 'A' });
  const { calls } = sandbox;
  expect(calls.count()).toBe(3);
  expect(calls.count({ operation: 'scim.getUser' })).toBe(1);
  expect(calls.count({ operation: 'scim.getUser', status: 200 })).toBe(0);
  expect(calls.count({ mutating: true })).toBe(1);
  expect(calls.counts()).toEqual({
    'scim.getUsers': { 200: 1 },
    'scim.getUser': { 404: 1 },
    'scim.addGroup': { 200: 1 },
  });
  expect(calls.recent()[0]).toEqual({
    method: 'GET',
    path: '/scim/v2/Users?count=1',
    operation: 'scim.getUsers',
    status: 200,
    at: 5,
  });
  calls.reset();
  expect([calls.count(), calls.recent().length, calls.peak]).toEqual([0, 0, 0]);
});

test('the peak is the most calls that were open together', async () => {
  const { call, sandbox } = await startForTest();
  const hang = sandbox.faults.add({ operation: '*', fault: { kind: 'hang' }, times: 3 });
  const answers = [1, 2, 3].map(() => call('GET', '/scim/v2/Users'));
  await hang.until(3);
  sandbox.faults.release();
  await Promise.all(answers);
  await call('GET', '/scim/v2/Users');
  expect(sandbox.calls.peak).toBe(3);
});

test('a test can wait for calls instead of sleeping', async () => {
  const { call, sandbox } = await startForTest();
  const reached = sandbox.calls.until(2, { operation: 'scim.getUsers' });
  await call('GET', '/scim/v2/Users');
  await call('GET', '/scim/v2/Users');
  await reached;
});
