import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import type { JsonValue } from '../../src/domain/json.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { replace, toPatch } from '../support/provider.ts';
import { toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';

const OPS_TOKEN = 'token-of-an-operator';
const PATIENT = { interval: 50 };
const MINUTES = { group: 'Board', entities: [{ uid: 'minutes', roles: ['role-read'] }] };

/** A service, and processes one after the other on one store. */
async function makeLives() {
  const sandbox = await startSandbox();
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-killed-'));
  onTestFinished(async () => {
    await sandbox.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const env = {
    UPSTREAM_URL: sandbox.url,
    UPSTREAM_TOKEN: sandbox.token,
    UPSTREAM_REQUESTS_PER_SECOND: '0',
    UPSTREAM_TIMEOUT: '2s',
    SCIM_TOKENS: 'token-of-a-provider',
    OPS_TOKEN,
    AUDIT_POLL_INTERVAL: '0',
    SWEEP_INTERVAL: '0',
  };
  const start = async (more: Record<string, string> = {}) => {
    const bridge = await startBridge({ folder, env: { ...env, ...more } });
    onTestFinished(() => bridge.kill());
    await bridge.ready();
    return bridge;
  };
  return { sandbox, start };
}

async function askOps(bridge: BridgeProcess, method: 'GET' | 'POST', path: string) {
  const { body } = await request(new URL(`/ops${path}`, bridge.baseUrl), {
    method,
    headers: { authorization: `Bearer ${OPS_TOKEN}` },
  });
  const answer: Record<string, JsonValue> = Object(await body.json());
  return answer;
}

test('the proof of a leaver whose removal was accepted before the process was killed is made by the next one', async () => {
  const { sandbox, start } = await makeLives();
  const first = await start();
  const ada = await toRequester(first).addUser('ada');
  await askOps(first, 'POST', '/pause');
  const out = toPatch(replace('active', false));
  const headers = { 'x-request-id': 'last-words' };
  await toRequester(first).request('PATCH', `/Users/${ada}`, out, headers);
  await first.kill();
  const isIn = sandbox.service.getUser('ada@example.com').active;
  const next = await start();
  await askOps(next, 'POST', '/resume');

  expect(isIn).toBe(true);
  const readLeavers = async () => (await askOps(next, 'GET', '/leavers')).items;
  // What is not proved yet is gone through again every 30 seconds.
  await expect.poll(readLeavers, { ...PATIENT, timeout: 120_000 }).toMatchObject([
    {
      status: 'out',
      asked: { requestId: 'last-words' },
      sent: { outcome: 'done' },
      seenAt: expect.any(String),
    },
  ]);
});

test('roles in a space that were being given or taken when the process was killed are given and taken once', async () => {
  const { sandbox, start } = await makeLives();
  const { service, faults } = sandbox;
  const { uid } = service.addSpace('Minutes');
  const toEnv = (rules: object[]) => ({
    RULES: JSON.stringify(rules).replaceAll('"minutes"', JSON.stringify(uid)),
  });
  const readRoles = () => service.rolesOf(uid, 'Board');
  const hang = (operation: 'groupEntities.addEntity' | 'groupEntities.removeEntity') =>
    faults.add({ operation, fault: { kind: 'hang', effect: 'done' } });
  const untilDone = async (bridge: BridgeProcess) => {
    const readDue = async () => (await askOps(bridge, 'GET', '/status')).due;
    await expect.poll(readDue, PATIENT).toBe(0);
  };
  const count = (action: string) =>
    service.auditEvents().filter((event) => event.action === action).length;

  const giving = hang('groupEntities.addEntity');
  const first = await start(toEnv([MINUTES]));
  await toRequester(first).addGroup('Board');
  await giving.until(1);
  await first.kill();
  faults.clear();
  const second = await start(toEnv([MINUTES]));
  await untilDone(second);
  const given = readRoles();
  await second.stop();
  const taking = hang('groupEntities.removeEntity');
  const third = await start(toEnv([]));
  await taking.until(1);
  await third.kill();
  faults.clear();
  await untilDone(await start(toEnv([])));

  expect(given).toEqual(['role-read']);
  expect(readRoles()).toBeUndefined();
  expect([count('grant_access'), count('revoke_access')]).toEqual([1, 1]);
});
