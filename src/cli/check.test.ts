import { expect, test } from 'vitest';
import { runAlone } from '../../test/support/command.ts';
import type { Fault } from '../sandbox/faults.ts';
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts';
import { startForTest } from '../sandbox/sandbox-test-support.ts';
import { settingsSchema } from '../settings/schema.ts';
import { connect } from '../upstream/testing/connect.ts';
import { sendJson, startService } from '../upstream/testing/service.ts';
import { checkService } from './check.ts';

type CheckReport = Awaited<ReturnType<typeof checkService>>;

function checkAt(url: string, token?: string): Promise<CheckReport> {
  const upstream = settingsSchema.shape.upstream.parse({});
  const writesRefused = () => 'observe-mode' as const;
  const transport = connect(url, {
    hooks: { writesRefused },
    ...(token !== undefined && { token }),
  });
  return checkService(transport, { ...upstream, url });
}

const seed = { users: 120, groups: 3, membersPerGroup: 5 };

async function startCompany(options: SandboxOptions = {}) {
  const { sandbox, call } = await startForTest({ seed, ...options });
  const check = ({ url = sandbox.url, token = sandbox.token } = {}) => checkAt(url, token);
  return { sandbox, call, check };
}

function statusesOf({ checks }: CheckReport): Record<string, string> {
  return Object.fromEntries(checks.map(({ id, status }) => [id, status]));
}

test('a service as documented passes every check', async () => {
  const { check } = await startCompany();

  const report = await check();

  expect(report.ok).toBe(true);
  expect(statusesOf(report)).toEqual({
    address: 'ok',
    token: 'ok',
    users: 'ok',
    'groups.scim': 'ok',
    'groups.rest': 'ok',
    members: 'ok',
    admins: 'ok',
    companyUsers: 'ok',
    audit: 'ok',
  });
});

for (const shape of ['documented', 'narrowest', 'generous'] as const) {
  test(`a check changes nothing: only reads are sent to a ${shape} service`, async () => {
    const { sandbox, check } = await startCompany({ shape });

    const { calls } = await check();

    expect(sandbox.calls.count({ mutating: true })).toBe(0);
    expect(sandbox.calls.count()).toBe(calls);
    expect(calls).toBeLessThanOrEqual(15);
    expect(sandbox.calls.count({ operation: 'unknown' })).toBe(0);
    expect(sandbox.calls.recent().map(({ path }) => path)).toContain('/api/latest/users/current');
  });
}

test('a page that the service cuts below the setting is a warning with the size that fits', async () => {
  const { check } = await startCompany({
    shape: { pages: { scimUsers: { default: 20, max: 40 } } },
  });

  const report = await check();

  expect(report.ok).toBe(true);
  expect(report.checks.find(({ id }) => id === 'users')?.detail).toContain(
    'a page holds 40 at most',
  );
  expect(report.checks.find(({ id }) => id === 'settings.pageSize')).toMatchObject({
    status: 'warning',
    remedy: 'Set it to 40.',
  });
});

const sections = [
  { section: 'users', check: 'users', status: 'failed', right: 'Members' },
  { section: 'groups', check: 'groups.scim', status: 'failed', right: 'Members' },
  { section: 'groups', check: 'groups.rest', status: 'failed', right: 'Members' },
  { section: 'members', check: 'members', status: 'failed', right: 'Members' },
  { section: 'admins', check: 'admins', status: 'warning', right: 'Members' },
  { section: 'companyUsers', check: 'companyUsers', status: 'warning', right: 'Members' },
  { section: 'audit', check: 'audit', status: 'warning', right: 'Audit log' },
] as const;

for (const row of sections) {
  test(`a refused ${row.check} is a ${row.status} whose remedy names the right or the module`, async () => {
    const { sandbox, check } = await startCompany();

    sandbox.faults.add({ operation: row.section, fault: { kind: 'status', status: 403 } });
    const forbidden = await check();
    sandbox.faults.clear();
    sandbox.faults.add({ operation: row.section, fault: { kind: 'status', status: 402 } });
    const notBought = await check();

    for (const { report, remedy } of [
      { report: forbidden, remedy: `section "${row.right}"` },
      { report: notBought, remedy: 'buy' },
    ]) {
      const found = report.checks.find(({ id }) => id === row.check);
      expect(found).toMatchObject({ status: row.status });
      expect(found?.remedy).toContain(remedy);
      expect(report.ok).toBe(row.status === 'warning');
    }
  });
}

test('a company without groups proves no right to members, and says so', async () => {
  const { check } = await startCompany({ seed: { users: 3 } });

  const report = await check();

  expect(report.ok).toBe(true);
  expect(statusesOf(report)).toMatchObject({ members: 'warning', admins: 'warning' });
});

test('a refused token ends the check after one call and is never shown', async () => {
  const { sandbox, check } = await startCompany();

  const report = await check({ token: 'the-wrong-token' });

  expect(statusesOf(report)).toEqual({ address: 'ok', token: 'failed' });
  expect(sandbox.calls.count()).toBe(1);
  expect(JSON.stringify(report)).not.toContain('the-wrong-token');
});

const html = (fault: Fault) => (sandbox: Sandbox) => {
  sandbox.faults.add({ operation: '*', fault });
  return sandbox.url;
};

test.each<[why: string, toUrl: (sandbox: Sandbox) => string | Promise<string>, remedy: string]>([
  ['nobody is there', ({ url, stop }) => stop().then(() => url), 'upstream.url'],
  ['nothing is below it', ({ url }) => `${url}/elsewhere`, 'upstream.url'],
  ['only http is spoken', ({ url }) => url.replace('http:', 'https:'), 'https or http'],
  ['a page of HTML is served', html({ kind: 'html' }), 'login page'],
  [
    'a failure is a page of HTML',
    html({ kind: 'status', status: 502, body: 'html' }),
    'try again later',
  ],
])('an address fails with a remedy of its own where %s', async (_, toUrl, remedy) => {
  const { sandbox, check } = await startCompany();

  const report = await check({ url: await toUrl(sandbox) });

  expect(statusesOf(report)).toEqual({ address: 'failed' });
  expect(report.checks[0]?.remedy).toContain(remedy);
});

test('one part that fails leaves the others checked', async () => {
  const { sandbox, check } = await startCompany();
  const fault = { kind: 'status', status: 500 } as const;
  sandbox.faults.add({ operation: 'companyUsers.getListOfUsers', fault });

  const report = await check();

  expect(statusesOf(report)).toMatchObject({ users: 'ok', companyUsers: 'warning', audit: 'ok' });
});

test('an account that the service does not name is a warning with the setting that protects it', async () => {
  const { sandbox, check } = await startCompany();
  const fault = { kind: 'status', status: 404 } as const;
  sandbox.faults.add({ operation: 'users.retrieveCurrentUser', fault });

  const report = await check();

  expect(report.ok).toBe(true);
  expect(report.checks.find(({ id }) => id === 'token')).toMatchObject({
    status: 'warning',
    remedy: expect.stringContaining('protect.users'),
  });
});

test('an account of an unknown form is a warning, and the rest is checked all the same', async () => {
  const service = await startService((res, { url }) => {
    if (url.startsWith('/api/latest/users/current')) return sendJson(res, 200, { name: 'Ada' });
    if (!url.startsWith('/scim/v2/Users?')) return sendJson(res, 404, undefined);
    return sendJson(res, 200, { Resources: [], totalResults: 0 });
  });

  const report = await checkAt(service.baseUrl);

  expect(statusesOf(report)).toMatchObject({ address: 'ok', token: 'warning', users: 'ok' });
  expect(statusesOf(report)).toMatchObject({ 'groups.scim': 'failed' });
  expect(service.seen.every(({ method }) => method === 'GET')).toBe(true);
});

const SERVICE = { UPSTREAM_REQUESTS_PER_SECOND: '0', SCIM_TOKENS: 'a-token-of-a-provider' };

async function startEnv() {
  const { sandbox } = await startCompany();
  return { sandbox, env: { ...SERVICE, UPSTREAM_URL: sandbox.url, UPSTREAM_TOKEN: sandbox.token } };
}

test('check prints lines, or one object, and ends with 0 when all that is needed works', async () => {
  const { sandbox, env } = await startEnv();
  const { code, out, err } = await runAlone(['check'], env);
  const calls = sandbox.calls.count();
  const json = JSON.parse((await runAlone(['check', '--json'], env)).out);

  expect([code, err]).toEqual([0, '']);
  expect(out).toContain(`Service  ${sandbox.url}`);
  expect(out).toContain('0 failures');
  const service = { url: sandbox.url, apiVersion: 'latest' };
  expect(json).toMatchObject({ ok: true, service, calls });
});

test('check ends with 1 when something failed, and shows no token', async () => {
  const { sandbox, env } = await startEnv();

  const { code, out, err } = await runAlone(['check'], { ...env, UPSTREAM_TOKEN: 'wrong-token' });

  expect(code).toBe(1);
  expect(out).toContain('upstream.token');
  for (const secret of ['wrong-token', sandbox.token, env.SCIM_TOKENS]) {
    expect(out + err).not.toContain(secret);
  }
});

test('without a service there is nothing to check: 78, on standard error', async () => {
  const { code, out, err } = await runAlone(['check', '--json'], {});

  expect(code).toBe(78);
  expect(out).toBe('');
  expect(err).toContain('UPSTREAM_URL');
});
