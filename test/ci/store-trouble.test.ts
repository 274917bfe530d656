import { execFileSync } from 'node:child_process';
import { copyFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bridgeForTest } from '../support/bridge.ts';
import { HANGING } from '../support/faults.ts';
import { makeFolder } from '../support/lifetimes.ts';
import type { TestAnswer } from '../support/provider.ts';
import { replace, toUser } from '../support/provider.ts';
import type { BridgeProcess } from '../support/server.ts';
import { openSite, readReady } from '../support/site.ts';

const disable = replace('active', false);

function expectComeBack({ status, headers, body }: TestAnswer): void {
  expect(status).toBe(503);
  expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  const schemas = ['urn:ietf:params:scim:api:messages:2.0:Error'];
  expect(body).toMatchObject({ schemas, status: '503' });
}

/** How far files may grow for that process: at 0 every write to a file fails, as on a full disk. */
function limitFiles({ pid }: BridgeProcess, bytes: '0' | 'unlimited'): void {
  execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
}

test('on a full disk writes are answered with 503, reads go on, nothing is torn, and with room everything goes on by itself', async () => {
  const { sandbox, start } = await openSite();
  const bridge = await start();
  const id = await bridge.addUser('ada');
  const slow = sandbox.faults.add({ operation: 'scim.updateUser', fault: HANGING });
  const underWay = bridge.tryPatch(`/Users/${id}`, disable);
  await slow.until(1);
  sandbox.calls.reset();

  limitFiles(bridge, '0');
  slow.remove();
  sandbox.faults.release(); // The service has done it, and the bridge cannot write it down.
  const acknowledged = await underWay;
  const refused = await bridge.request('POST', '/Users', toUser('bob'));
  const read = await bridge.request('GET', `/Users/${id}`);
  const ready = await readReady(bridge);
  const callsWhileFull = sandbox.calls.count();
  limitFiles(bridge, 'unlimited');
  const isBack = async () => (await readReady(bridge)).body;
  await expect.poll(isBack).toMatchObject({ status: 'ok', reasons: [] });

  expect(acknowledged.status).toBe(200);
  expectComeBack(refused);
  expect(read).toMatchObject({ status: 200, body: { active: false } });
  const degraded = { status: 'degraded', reasons: [{ code: 'store-read-only' }] };
  expect(ready).toMatchObject({ status: 200, body: degraded });
  expect(callsWhileFull).toBe(1);
  await sandbox.calls.until(1, { operation: 'scim.getUser' });
  expect(sandbox.service.getUser('ada@example.com').active).toBe(false);
  expect(sandbox.calls.count({ mutating: true })).toBe(1);
  expect(sandbox.service.findUser('bob@example.com')).toBeUndefined();
  await bridge.send('POST', '/Users', toUser('bob'));
});

test('a file that is moved away or replaced takes no writes, and is written again where it is back', async () => {
  const folder = makeFolder();
  const [file, away] = [join(folder, 'bridge.db'), join(folder, 'away.db')];
  const bridge = await bridgeForTest({ settings: { DATABASE_URL: `sqlite:${file}` } });
  const id = await bridge.addUser('ada');

  renameSync(file, away);
  const refused = await bridge.request('POST', '/Users', toUser('bob'));
  copyFileSync(away, file);
  const refusedStill = await bridge.tryPatch(`/Users/${id}`, disable);
  const read = await bridge.request('GET', `/Users/${id}`);
  const ready = await readReady(bridge);
  renameSync(away, file);

  for (const answer of [refused, refusedStill]) expectComeBack(answer);
  expect(read).toMatchObject({ status: 200, body: { active: true } });
  expect(ready.body).toMatchObject({ status: 'degraded', reasons: [{ code: 'store-read-only' }] });
  expect(ready.text).toContain('store-replaced');
  await expect.poll(async () => (await readReady(bridge)).body.status).toBe('ok');
  await bridge.send('POST', '/Users', toUser('bob'));
  expect(bridge.sandbox.service.getUser('bob@example.com').active).toBe(true);
});
