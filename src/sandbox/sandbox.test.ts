import { readdirSync, statSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeFolder } from '../../test/support/lifetimes.ts';
import { startSandbox } from './sandbox.ts';
import { callUrl, startForTest } from './sandbox-test-support.ts';

describe('who may call, and what', () => {
  for (const authorization of [undefined, 'Bearer wrong', 'the-token']) {
    test(`authorization ${authorization} answers 401 with a string`, async () => {
      const { sandbox } = await startForTest({ token: 'the-token' });
      const headers: Record<string, string> = authorization ? { authorization } : {};
      const answer = await fetch(`${sandbox.url}/scim/v2/Users`, { headers });
      expect(answer.status).toBe(401);
      expect(await answer.json()).toBe('Invalid token');
    });
  }

  const unknown = [
    { method: 'GET', path: '/', status: 404 },
    { method: 'GET', path: '/scim/v2/ServiceProviderConfig', status: 404 },
    { method: 'GET', path: '/scim/v2/Users/', status: 404 },
    { method: 'GET', path: '/api/v2/company/groups', status: 404 },
    { method: 'PUT', path: '/scim/v2/Users/1', status: 405 },
    { method: 'DELETE', path: '/scim/v2/Users/1', status: 405 },
    { method: 'DELETE', path: '/scim/v2/Groups/1', status: 405 },
    { method: 'POST', path: '/api/v1/audit-logs', status: 405 },
    { method: 'GET', path: '/api/latest/company/users/1', status: 405 },
  ];
  for (const { method, path, status } of unknown) {
    test(`${method} ${path} answers ${status}`, async () => {
      const { call, sandbox } = await startForTest();
      expect((await call(method, path)).status).toBe(status);
      expect(sandbox.calls.count({ operation: 'unknown', status })).toBe(1);
    });
  }

  test('a caller that hangs up within its body is counted and changes nothing', async () => {
    const { sandbox } = await startForTest();
    const headers = { authorization: `Bearer ${sandbox.token}`, 'content-length': 100 };
    const half = request(`${sandbox.url}/scim/v2/Groups`, { method: 'POST', headers });
    half.on('error', () => {});
    half.write('{', () => half.destroy());
    await sandbox.calls.until(1, { status: 0 });
    expect(sandbox.service.groups()).toEqual([]);
  });
});

describe('a sandbox with a file', () => {
  test('keeps everything, and gives no id twice, after a restart', async () => {
    const file = newFile();
    const first = await startSandbox({ file });
    const { service } = first;
    service.addUser({ email: 'ann@example.com', fullName: 'Ann' });
    service.updateUser('ann@example.com', { fullName: 'Ann Bee' });
    service.createGroup({ name: 'Sales' });
    service.link('Sales', 2);
    service.link('Sales', 1, 'admin');
    service.createGroup({ name: 'Gone' });
    service.link('Gone', 2);
    service.deleteGroup('Gone');
    service.addUser({ email: 'v@example.com', virtual: true });
    service.removeUser('v@example.com');
    const left = [service.users(), service.groups(), service.auditEvents()];
    await first.stop();

    const { sandbox } = await startForTest({ file });
    expect(sandbox.token).toBe(first.token);
    const again = sandbox.service;
    expect([again.users(), again.groups(), again.auditEvents()]).toEqual(left);
    expect(again.members('Sales')).toEqual(['ann@example.com']);
    expect(again.admins('Sales')).toEqual(['owner@example.com']);
    expect(again.addUser({ email: 'w@example.com' }).id).toBe(4);
    expect(again.createGroup({ name: 'Gone' }).id).toBe(3);
    expect(again.members('Gone')).toEqual([]);
  });

  test('does not share it with a second one', async () => {
    const file = newFile();
    await startForTest({ file });
    await expect(startSandbox({ file })).rejects.toThrow(`another process has the file ${file}`);
  });

  test('survives a reset', async () => {
    const file = newFile();
    const first = await startSandbox({ file, seed: { users: 2, groups: 1 } });
    first.service.updateUser('owner@example.com', { active: false });
    first.faults.add({ operation: '*', fault: { kind: 'html' } });
    first.reset();
    expect(await callUrl(first, { method: 'GET', path: '/scim/v2/Groups' })).toMatchObject({
      body: { totalResults: 0 },
    });
    await first.stop();
    const { sandbox } = await startForTest({ file });
    expect(sandbox.service.users()).toMatchObject([{ id: 1, active: true }]);
    expect(sandbox.service.auditEvents()).toEqual([]);
    expect(sandbox.service.addUser({ email: 'a@example.com' }).id).toBe(4);
  });
});

test('a port that is in use fails the start and leaves the file free', async () => {
  const { sandbox } = await startForTest();
  const file = newFile();
  const port = Number(new URL(sandbox.url).port);
  await expect(startSandbox({ port, file })).rejects.toThrow(/EADDRINUSE/);
  await startForTest({ file });
});

test('a token that is given wins', async () => {
  expect((await startForTest({ token: 'given', file: newFile() })).sandbox.token).toBe('given');
});

function newFile(): string {
  return join(makeFolder(), 'sub', 'sandbox.db');
}

test('the file of a sandbox is readable for its owner only, with all that is beside it', async () => {
  const folder = makeFolder();
  await startForTest({ file: join(folder, 'sandbox.db') });
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
  expect(modes.length).toBeGreaterThan(0);
  expect(modes.filter((mode) => mode !== 0o600)).toEqual([]);
});
