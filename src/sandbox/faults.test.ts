import { describe, expect, test } from 'vitest';
import { startForTest } from './sandbox-test-support.ts';

const users = '/scim/v2/Users';
const kim = { emails: [{ value: 'kim@example.com' }] };

describe('a fault of one call', () => {
  const cases = [
    { fault: { kind: 'status', status: 503 }, want: { status: 503 }, added: false },
    {
      fault: { kind: 'status', status: 502, effect: 'done', body: 'html' },
      want: { status: 502, body: expect.stringContaining('<html>') },
      added: true,
    },
    {
      fault: { kind: 'status', status: 429, body: 'empty', headers: { 'Retry-After': '7' } },
      want: { status: 429, body: '' },
      added: false,
    },
    {
      fault: { kind: 'html' },
      want: { status: 200, body: expect.stringContaining('<html>') },
      added: true,
    },
    { fault: { kind: 'delay', delayMs: 1 }, want: { status: 201 }, added: true },
  ] as const;
  for (const { fault, want, added } of cases) {
    test(`${JSON.stringify(fault)} is ${added ? 'after' : 'instead of'} the effect`, async () => {
      const { call, sandbox } = await startForTest();
      sandbox.faults.add({ operation: 'scim.addUser', fault, times: 1 });
      expect(await call('POST', users, kim)).toMatchObject(want);
      expect(sandbox.service.users()).toHaveLength(added ? 2 : 1);
      expect((await call('POST', users, kim)).status).toBe(added ? 409 : 201);
    });
  }

  const cuts = [
    { fault: { kind: 'reset', at: 'before-effect' }, added: false },
    { fault: { kind: 'reset', at: 'after-effect' }, added: true },
    { fault: { kind: 'reset', at: 'mid-answer' }, added: true },
    { fault: { kind: 'truncated' }, added: true },
  ] as const;
  for (const { fault, added } of cuts) {
    test(`${JSON.stringify(fault)} leaves no usable answer, ${added ? 'but' : 'and no'} effect`, async () => {
      const { call, sandbox } = await startForTest();
      sandbox.faults.add({ operation: '*', fault });
      await expect(call('POST', users, kim)).rejects.toThrow();
      expect(sandbox.service.users()).toHaveLength(added ? 2 : 1);
      expect(sandbox.calls.count({ status: fault.kind === 'reset' ? 0 : 201 })).toBe(1);
    });
  }
});

describe('a hanging call', () => {
  test('takes effect when it is released', async () => {
    const { call, sandbox } = await startForTest();
    const fault = sandbox.faults.add({ operation: '*', fault: { kind: 'hang' }, times: 1 });
    const answer = call('POST', users, kim);
    await fault.until(1);
    expect(sandbox.service.users()).toHaveLength(1);
    sandbox.faults.release();
    expect((await answer).status).toBe(201);
  });

  test('has no effect when the caller hangs up', async () => {
    const { sandbox } = await startForTest();
    const fault = sandbox.faults.add({ operation: 'scim.addUser', fault: { kind: 'hang' } });
    const caller = new AbortController();
    const answer = fetch(sandbox.url + users, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.token}` },
      body: JSON.stringify(kim),
      signal: caller.signal,
    });
    await fault.until(1);
    caller.abort();
    await expect(answer).rejects.toThrow();
    await sandbox.calls.until(1, { operation: 'scim.addUser', status: 0 });
    sandbox.faults.release();
    expect(sandbox.service.users()).toHaveLength(1);
  });
});

test('a rate limit answers 429 until the next second', async () => {
  let nowMs = 1_000_250;
  const { call, sandbox } = await startForTest({ clock: () => nowMs });
  sandbox.faults.requestsPerSecond = 1;
  expect((await call('GET', users)).status).toBe(200);
  const { status, headers } = await call('POST', users, kim);
  expect(status).toBe(429);
  expect(headers.get('x-ratelimit-remaining')).toBe('0');
  expect(headers.get('x-ratelimit-reset')).toBe('1001');
  nowMs = 1_001_000;
  expect((await call('POST', users, kim)).status).toBe(201);
});
