import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Person } from '../../test/support/command.ts';
import { runAlone } from '../../test/support/command.ts';
import { forTest, makeFolder } from '../../test/support/lifetimes.ts';
import { serve } from '../../test/support/local-server.ts';
import { toLocalAddress } from '../app/ops-client.ts';
import { BridgeError } from '../domain/values.ts';
import type { CommandRow } from './command.ts';

async function run(args: string, { env = {}, files = {} }: Pick<Person, 'env' | 'files'> = {}) {
  return runAlone(args.split(' '), env, { files });
}

async function serveHealth(status: number): Promise<number> {
  return (await forTest(serve((_, response) => response.writeHead(status).end()))).port;
}

test('--version and --help end with 0 and --help lists commands and exit codes', async () => {
  expect(await run('--version')).toMatchObject({ code: 0, out: '1.2.3\n' });
  const { code, out } = await run('--help');
  expect(code).toBe(0);
  for (const word of ['serve', 'settings', 'healthcheck', 'Exit codes', '78'])
    expect(out).toContain(word);
});

test('a failure that is told ends with 1, settings that allow no start with 78', async () => {
  const error = new BridgeError('store-unavailable', 'the disk is full');
  const failing: CommandRow = { usage: 'fail', about: '', run: () => Promise.reject(error) };
  const failed = await runAlone(['fail'], {}, { commands: [failing] });
  expect(failed).toMatchObject({ code: 1, err: 'the disk is full\n' });
  const refused = await run('serve', { env: { PORT: 'none' } });
  expect(refused.code).toBe(78);
  expect(refused.err).toContain('port is "none" (from PORT)');
});

test('--config wins over CONFIG, which wins over the default file', async () => {
  const files = { 'a.yaml': 'port: 1\n', 'b.yaml': 'port: 2\n' };
  const env = { CONFIG: 'a.yaml' };
  expect((await run('settings --here', { files })).out).toMatch(/^port +8080 +default$/m);
  expect((await run('settings --here', { files, env })).out).toMatch(/^port +1 +file a\.yaml$/m);
  expect((await run('settings --here --config b.yaml', { files, env })).out).toMatch(
    /^port +2 +file b\.yaml$/m,
  );
  expect((await run('--config b.yaml settings --here', { files, env })).out).toMatch(
    /^port +2 +file b\.yaml$/m,
  );
});

test('settings prints every setting, warnings aside, and no secret', async () => {
  const env = {
    UPSTREAM_URL: 'http://service.example.com',
    UPSTREAM_TOKEN: 's3cret',
    SCIM_TOKENS: 's3cret-s3cret-s3cret',
    OPS_TOKEN: 'another-s3cret-s3cret',
    UPSTREAM_PROXY: 'http://me:s3cret@proxy:3128',
    DATABASE_URL: 'postgres://bridge:s3cret@db/bridge',
  };
  for (const args of ['settings --here', 'settings --here --json']) {
    const { code, out, err } = await run(args, { env });
    expect(code).toBe(0);
    expect(out).toContain('postgres://(hidden)@db/bridge');
    expect(err).toContain('Warning: upstream.url');
    expect(out + err).not.toContain('s3cret');
  }
});

test('settings --json says of each setting its value, with its unit, and where that comes from', async () => {
  const env = { PORT: '1', OPS_TOKEN_FILE: '/run/ops' };
  const files = {
    'a.yaml': 'scim: { writeWait: 1500ms }\nretention: { ledger: 60d, tombstones: 90d }\n',
    '/run/ops': 'a-s3cret-of-operators',
  };
  const { out } = await run('settings --here --json --config a.yaml', { env, files });

  const { items } = JSON.parse(out);
  const port = { name: 'port', variable: 'PORT', value: '1', from: 'environment', source: 'PORT' };
  expect(items).toContainEqual(port);
  const some = [
    ['scim.writeWait', 'SCIM_WRITE_WAIT', '1500ms', 'file', 'a.yaml'],
    ['retention.ledger', 'RETENTION_LEDGER', '60d', 'file', 'a.yaml'],
    ['retention.tombstones', 'RETENTION_TOMBSTONES', '90d', 'default', null],
    ['ops.token', 'OPS_TOKEN', '(hidden)', 'secret-file', 'OPS_TOKEN_FILE'],
    ['upstream.url', 'UPSTREAM_URL', null, 'default', null],
  ];
  expect(items.map(Object.values)).toEqual(expect.arrayContaining(some));
  expect(out).not.toContain('[object');
});

test('healthcheck succeeds on 200 and fails on everything else', async () => {
  const well = await serveHealth(200);
  expect(await run('healthcheck', { env: { PORT: `${well}` } })).toMatchObject({ code: 0 });
  const unwell = await serveHealth(503);
  const failed = await run('healthcheck', { env: { PORT: `${unwell}` } });
  expect(failed).toMatchObject({ code: 1, err: expect.stringContaining('answered 503') });
  const silent = await run('healthcheck', { env: { PORT: '1' } });
  expect(silent).toMatchObject({ code: 1, err: expect.stringContaining('does not answer') });
});

test('sandbox prints where it is served and with which token, and ends when asked to', async () => {
  const env = { SANDBOX_FILE: join(makeFolder(), 'new/sandbox.db') };
  const first = await run('sandbox', { env });
  expect(first).toMatchObject({ code: 0, err: '' });
  expect(first.out).toMatch(/^Base URL {2}http:\/\/127\.0\.0\.1:\d+\nToken {5}\S{16,}\n$/);
  const token = (out: string) => /Token +(\S+)/.exec(out)?.[1];
  expect(token((await run('sandbox', { env })).out)).toBe(token(first.out));
});

test('a sandbox whose port is taken ends with 1 and says so', async () => {
  const file = join(makeFolder(), 'sandbox.db');
  const env = { SANDBOX_PORT: `${await serveHealth(200)}`, SANDBOX_FILE: file };
  const ended = await run('sandbox', { env });
  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('EADDRINUSE') });
});

test.each([
  ['127.0.0.1', 'http://127.0.0.1:80'],
  ['0.0.0.0', 'http://127.0.0.1:80'],
  ['::', 'http://[::1]:80'],
  ['bridge.internal', 'http://bridge.internal:80'],
])('a bridge that listens on %s is asked at %s', (host, url) => {
  expect(toLocalAddress(host, 80)).toBe(url);
});

test('the executable runs from any directory', async () => {
  const bin = join(import.meta.dirname, 'bin.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [bin, 'settings', '--here'], {
    cwd: '/',
    env: {},
  });
  expect(stdout).toMatch(/^port +8080 +default$/m);
});
