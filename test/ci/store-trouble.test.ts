import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { startTestBridge } from '../support/bridge.ts';
import { forTest, makeFolder } from '../support/lifetimes.ts';
import { type Provider, replace, type TestAnswer, toPatch, toUser } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';

const disable = toPatch(replace('active', false));

function readReady(requester: Provider, baseUrl: string): Promise<TestAnswer> {
  return requester.request('GET', new URL('/readyz', baseUrl).href);
}

/** The provider is told to come back, in its own protocol. */
function expectComeBack({ status, headers, body }: TestAnswer): void {
  expect(status).toBe(503);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  expect(body).toMatchObject({
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '503',
  });
}

/** How far files may grow for that process: at 0 every write to a file fails, as on a full disk. */
function limitFiles({ pid }: BridgeProcess, bytes: '0' | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

test('on a full disk writes are answered with 503, reads go on, nothing is torn, and with room everything goes on by itself', async () => {
  const folder = makeFolder();
  const sandbox = await forTest(startSandbox());
  const bridge = await startBridge({
    folder,
    env: {
      UPSTREAM_URL: sandbox.url,
      UPSTREAM_TOKEN: sandbox.token,
      UPSTREAM_REQUESTS_PER_SECOND: '0',
      SCIM_TOKENS: 'token-of-a-provider',
    },
  });
  onTestFinished(() => bridge.kill());
  await bridge.ready();
  const provider = toRequester(bridge);
  const id = await provider.addUser('ada');
  const slow = sandbox.faults.add({ operation: 'scim.updateUser', fault: { kind: 'hang' } });
  const underWay = provider.request('PATCH', `/Users/${id}`, disable);
  await slow.until(1);
  sandbox.calls.reset();

  limitFiles(bridge, '0');
  slow.remove();
  sandbox.faults.release(); // The service has done it, and the bridge cannot write it down.
  const acknowledged = await underWay;
  const refused = await provider.request('POST', '/Users', toUser('bob'));
  const read = await provider.request('GET', `/Users/${id}`);
  const ready = await readReady(provider, bridge.baseUrl);
  const callsWhileFull = sandbox.calls.count();
  limitFiles(bridge, 'unlimited');
  await expect
    .poll(async () => (await readReady(provider, bridge.baseUrl)).body)
    .toMatchObject({ status: 'ok', reasons: [] });

  expect(acknowledged.status).toBe(200);
  expectComeBack(refused);
  expect(read).toMatchObject({ status: 200, body: { active: false } });
  expect(ready).toMatchObject({
    status: 200,
    body: { status: 'degraded', reasons: [{ code: 'store-read-only' }] },
  });
  expect(callsWhileFull).toBe(1);
  await sandbox.calls.until(1, { operation: 'scim.getUser' });
  expect(sandbox.service.getUser('ada@example.com').active).toBe(false);
  expect(sandbox.calls.count({ mutating: true })).toBe(1);
  expect(sandbox.service.findUser('bob@example.com')).toBeUndefined();
  await provider.send('POST', '/Users', toUser('bob'));
});

test('a file that is moved away or replaced takes no writes, and is written again where it is back', async () => {
  const folder = makeFolder();
  const [file, away] = [join(folder, 'bridge.db'), join(folder, 'away.db')];
  const bridge = await forTest(startTestBridge({ settings: { DATABASE_URL: `sqlite:${file}` } }));
  const id = await bridge.addUser('ada');

  renameSync(file, away);
  const refused = await bridge.request('POST', '/Users', toUser('bob'));
  copyFileSync(away, file);
  const refusedStill = await bridge.request('PATCH', `/Users/${id}`, disable);
  const read = await bridge.request('GET', `/Users/${id}`);
  const ready = await readReady(bridge, bridge.baseUrl);
  renameSync(away, file);

  for (const answer of [refused, refusedStill]) expectComeBack(answer);
  expect(read).toMatchObject({ status: 200, body: { active: true } });
  expect(ready.body).toMatchObject({
    status: 'degraded',
    reasons: [{ code: 'store-read-only' }],
  });
  expect(ready.text).toContain('store-replaced');
  await expect.poll(async () => (await readReady(bridge, bridge.baseUrl)).body.status).toBe('ok');
  await bridge.send('POST', '/Users', toUser('bob'));
  expect(bridge.sandbox.service.getUser('bob@example.com').active).toBe(true);
});
