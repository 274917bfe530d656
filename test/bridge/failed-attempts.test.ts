import { request } from 'undici';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/domain/clock.ts';
import type { JsonObject } from '../../src/domain/json.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { startTestBridge, type TestBridge } from '../support/bridge.ts';
import { forTest } from '../support/lifetimes.ts';
import { readMetrics } from '../support/metrics.ts';
import { OPS_TOKEN } from '../support/operator.ts';

const MESSAGE = 'requests presented no valid credentials';

/** Presents something wrong at each of the three places. */
const PLACES = {
  scim: (bridge: TestBridge) =>
    bridge.request('GET', '/Users', undefined, { authorization: 'Bearer wrong' }),
  ops: (bridge: TestBridge) =>
    bridge.request('GET', new URL('/ops/status', bridge.baseUrl).href, undefined, {
      authorization: 'Bearer wrong',
    }),
  async oauth(bridge: TestBridge) {
    const { statusCode, headers, body } = await request(new URL('/oauth/token', bridge.baseUrl), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials&client_id=a&client_secret=b',
    });
    return { status: statusCode, headers, text: await body.text() };
  },
} as const;

/** A clock on which delays of these lengths last until the test ends them. */
function createHeldClock(held: readonly number[]) {
  const release = Promise.withResolvers<void>();
  const begun: number[] = [];
  const sleep: Clock['sleep'] = (ms, signal) => {
    if (!held.includes(ms)) return systemClock.sleep(ms, signal);
    begun.push(ms);
    return release.promise;
  };
  return { ...systemClock, sleep, begun, release: release.resolve };
}

test.each(['scim', 'ops', 'oauth'] as const)(
  'at %s a wrong credential is counted, slowed from the fourth on and told once, and nobody with a valid one waits',
  async (place) => {
    const log: JsonObject[] = [];
    const onLog = (line: JsonObject) => void log.push(line);
    const clock = createHeldClock([100, 200, 400]);
    const bridge = await forTest(startTestBridge({ onLog, clock }));
    const fail = () => PLACES[place](bridge);
    const first = await Promise.all([fail(), fail(), fail()]);
    const state = { isAnswered: false };
    const slowed = Promise.all([fail(), fail(), fail()]).finally(() => {
      state.isAnswered = true;
    });
    await expect.poll(() => clock.begun, { interval: 5 }).toHaveLength(3);
    for (let nth = 0; nth < 5; nth += 1) {
      expect((await bridge.request('GET', '/Users')).status).toBe(200);
      expect((await bridge.ops('GET', '/status')).status).toBe(200);
    }
    expect(state.isAnswered).toBe(false);
    clock.release();
    const answers = [...first, ...(await slowed)];

    expect(clock.begun).toEqual([100, 200, 400]);
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 401));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    const { body } = await bridge.ops('GET', '/status');
    const sources = [{ address: '127.0.0.1', attempts: 6 }];
    expect(body.authentication).toMatchObject({ failed: 6, sources });
    const metrics = await readMetrics(bridge, OPS_TOKEN);
    const name = `authentication_failures_total{place="${place}",status="401"}`;
    expect(metrics.get(name)).toBe(6);
    const lines = log.filter(({ msg }) => msg === MESSAGE);
    expect(lines).toMatchObject([{ place, remoteAddress: '127.0.0.1', attempts: 1 }]);
    expect(JSON.stringify(log)).not.toContain('wrong');
  },
);
