import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/domain/json.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { runner } from '../support/command.ts';
import { forTest } from '../support/lifetimes.ts';
import { makeLives } from '../support/lives.ts';
import { replace, toPatch } from '../support/provider.ts';
import { makeStoreUrl } from '../support/store-url.ts';

const settings = { SCIM_WRITE_WAIT: '60s' };
const setActive = (value: boolean) => toPatch(replace('active', value));

async function readReasonCodes(bridge: TestBridge): Promise<unknown[]> {
  const { body } = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
  return Array.isArray(body.reasons) ? body.reasons.map((reason) => Object(reason).code) : [];
}

async function readWrites(bridge: TestBridge): Promise<JsonObject> {
  return Object((await bridge.ops('GET', '/status')).body.writes);
}

describe('a pause', () => {
  test('lets no change leave, across a restart, answers providers at once, and at its end everything is done', async () => {
    const lives = await makeLives({
      settings: { ...settings, DATABASE_URL: await makeStoreUrl() },
    });
    const { calls, service } = lives.sandbox;
    const ids = await lives.live(async (bridge) => {
      const first = await bridge.addUser('ada');
      calls.reset();
      const { body } = await bridge.ops('POST', '/pause', { reason: 'the auditors are here' });
      expect(body).toMatchObject({
        mode: 'live',
        paused: { reason: 'the auditors are here' },
        waiting: 0,
      });
      await bridge.send('PATCH', `/Users/${first}`, setActive(false));
      return { first, second: await bridge.addUser('bob') };
    });

    await lives.live(async (bridge) => {
      await bridge.addUser('carl');
      const { body: due } = await bridge.ops('GET', '/users?due=true');
      expect(await readWrites(bridge)).toMatchObject({
        paused: { reason: 'the auditors are here' },
        waiting: 3,
      });
      expect(await readReasonCodes(bridge)).toEqual(['writes-paused']);
      expect(due.items).toMatchObject([0, 1, 2].map(() => ({ attempts: 0, problem: null })));
      expect(calls.count({ mutating: true })).toBe(0);

      const { body } = await bridge.ops('POST', '/resume');
      await bridge.untilSettled();

      expect(body).toMatchObject({ paused: null });
      expect(await readReasonCodes(bridge)).toEqual([]);
      expect(service.getUser('ada@example.com').active).toBe(false);
      expect(service.findUser('bob@example.com')).toBeDefined();
      expect(service.findUser('carl@example.com')).toBeDefined();
      await bridge.send('PATCH', `/Users/${ids.second}`, setActive(false));
      expect(service.getUser('bob@example.com').active).toBe(false);
    });
  });
});

test('a pause stops calls that wait for their turn and answers their requests; none of them counts as a failure', async () => {
  const bridge = await forTest(startTestBridge({ settings, requestsPerSecond: 5 }));
  const { calls } = bridge.sandbox;
  const writes = bridge.addUsers(6);
  await expect.poll(() => calls.count({ operation: 'scim.addUser' })).toBeGreaterThan(0);
  await bridge.ops('POST', '/pause');
  await writes;
  const left = calls.count({ mutating: true });
  const { items } = (await bridge.ops('GET', '/users?due=true')).body;
  const due: unknown[] = Array.isArray(items) ? items : [];

  expect(left).toBeLessThan(6);
  expect(due).not.toEqual([]);
  expect(due).toMatchObject(due.map(() => ({ attempts: 0 })));
  await bridge.ops('POST', '/resume');
  await bridge.untilSettled();
  expect(bridge.sandbox.service.users()).toHaveLength(7);
});

test('scim-bridge resume asks before it lets go what waits, and where there is no pause it does not', async () => {
  const bridge = await forTest(startTestBridge({ settings }));
  const person = runner(bridge, { answer: 'n' });
  const { faults } = bridge.sandbox;
  await person('pause');
  await bridge.addUser('ada');
  const paused = await person('resume');
  const still = (await readWrites(bridge)).paused;
  const slow = faults.add({ operation: 'scim.addUser', fault: { kind: 'hang' } });
  await bridge.ops('POST', '/resume');
  await slow.until(1);
  const live = await person('resume');
  faults.clear();

  expect(paused.asked).toEqual([
    '1 person or group waits for the service. Let all of it go? [y/N] ',
  ]);
  expect(still).not.toBeNull();
  expect(live).toMatchObject({ code: 0, asked: [] });
  expect(live.text).toBe('Not paused: 1 person or group waits for the service.\n');
});

test('scim-bridge pause, resume and plan show ask the running bridge', async () => {
  const bridge = await forTest(startTestBridge({ settings: { ...settings, MODE: 'observe' } }));
  await bridge.addUser('ada');
  const run = runner(bridge);

  const paused = await run('pause', '--reason', 'lunch');
  const reason = Object((await readWrites(bridge)).paused).reason;
  const person = runner(bridge, { answer: 'n' });
  const { asked } = await person('resume');
  const resumed = await run('resume', '--yes');
  const shown = await run('plan', 'show', '--first-run');
  const json = await run('plan', 'show', '--first-run', '--json');
  const wrong = await run('plan', 'show', 'x', '--first-run');

  expect(paused).toMatchObject({
    code: 0,
    text: expect.stringMatching(/^Paused since .*: 1 person/),
  });
  expect(reason).toBe('lunch');
  // The end of the pause lets nothing go.
  expect(asked).toEqual([]);
  expect(resumed.text).toBe('Not paused, but the bridge only observes: 1 person or group waits.\n');
  expect(shown.text).toMatch(/observes.*\n {2}user\.privileged +1\n {2}user\.create +1\n/);
  expect(shown.text).toMatch(/^user +ada@example\.com +create$/m);
  expect(JSON.parse(json.text)).toMatchObject({
    phase: 'observing',
    counts: { 'user.create': 1 },
  });
  expect(wrong.code).toBe(64);
});
