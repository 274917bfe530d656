import type { Server } from 'node:http';
import supertest from 'supertest';
import { afterEach, expect, test } from 'vitest';
import { loadSettings } from '../settings/load.ts';
import { createEvents } from '../telemetry/events.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { listen } from './guarded-server.ts';
import { createApp, createStartingApp } from './starting-app.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function start() {
  const app = createStartingApp({
    clock: systemClock,
    events: createEvents({ log: () => undefined }, createMetrics()),
  });
  const listener = await listen({ host: '127.0.0.1', port: 0, app }, servers);
  return { listener, bridge: supertest(listener.server) };
}

test('the process is alive and not ready while it starts', async () => {
  const { bridge } = await start();

  expect(await bridge.get('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await bridge.get('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'unavailable', reasons: [{ code: 'starting' }] },
  });
});

const refused = [
  { path: '/scim/v2/Users', method: 'get', body: { status: '503' } },
  { path: '/scim/v2/Users', method: 'post', body: { status: '503' } },
  { path: '/oauth/token', method: 'post', body: { status: '503' } },
  { path: '/nothing', method: 'get', body: { status: '503' } },
  { path: '/ops/status', method: 'get', body: { code: 'starting' } },
  { path: '/ops/api/groups/createGroup', method: 'post', body: { code: 'starting' } },
  { path: '/metrics', method: 'get', body: { code: 'starting' } },
] as const;
test.each(refused)(
  'while it starts $method $path is answered 503 with Retry-After',
  async ({ path, method, body }) => {
    const { bridge } = await start();

    const answer = await bridge[method](path);

    expect(answer).toMatchObject({ status: 503, body });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  },
);

test('once the bridge is there it answers', async () => {
  const { bridge, listener } = await start();

  listener.serve((_req, res) => res.end('here'));

  expect((await bridge.get('/readyz')).status).toBe(200);
});

for (const proxies of ['10.0.0.0/8, loopback', '::1/128', '::ffff:10.0.0.1/104', '2', 'none']) {
  test(`an application takes TRUST_PROXY=${proxies} as the settings do`, () => {
    const { settings } = loadSettings({ env: { TRUST_PROXY: proxies }, readFile: () => '' });

    expect(() => createApp(settings.trustProxy)).not.toThrow();
  });
}
