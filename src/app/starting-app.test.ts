import type { Server } from 'node:http';
import { Agent, request } from 'undici';
import { afterEach, expect, test } from 'vitest';
import { loadSettings } from '../settings/load.ts';
import { createLogger } from '../telemetry/logger.ts';
import { createMetrics } from '../telemetry/metrics.ts';
import { systemClock } from '../telemetry/system-clock.ts';
import { listen, toPort } from './guarded-server.ts';
import { createApp, createStartingApp } from './starting-app.ts';

const servers: Server[] = [];
const agent = new Agent();
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

async function start() {
  const app = createStartingApp({
    clock: systemClock,
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
  });
  const listener = await listen({ host: '127.0.0.1', port: 0, app }, servers);
  const ask = async (path: string, method: 'GET' | 'POST' = 'GET') => {
    const url = `http://127.0.0.1:${toPort(listener.server)}${path}`;
    const { statusCode, headers, body } = await request(url, { method, dispatcher: agent });
    const text = await body.text();
    return { status: statusCode, headers, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { listener, ask };
}

test('the process is alive and not ready while it starts', async () => {
  const { ask } = await start();

  expect(await ask('/healthz')).toMatchObject({ status: 200, body: { status: 'ok' } });
  expect(await ask('/readyz')).toMatchObject({
    status: 503,
    body: { status: 'unavailable', reasons: [{ code: 'starting' }] },
  });
});

const refused = [
  { path: '/scim/v2/Users', method: 'GET', body: { status: '503' } },
  { path: '/scim/v2/Users', method: 'POST', body: { status: '503' } },
  { path: '/oauth/token', method: 'POST', body: { status: '503' } },
  { path: '/nothing', method: 'GET', body: { status: '503' } },
  { path: '/ops/status', method: 'GET', body: { code: 'starting' } },
  { path: '/ops/api/groups/createGroup', method: 'POST', body: { code: 'starting' } },
  { path: '/metrics', method: 'GET', body: { code: 'starting' } },
] as const;
test.each(refused)(
  'while it starts $method $path is answered 503 with Retry-After',
  async ({ path, method, body }) => {
    const { ask } = await start();

    const answer = await ask(path, method);

    expect(answer).toMatchObject({ status: 503, body });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    expect(answer.headers['x-request-id']).toEqual(expect.any(String));
  },
);

test('once the bridge is there it answers', async () => {
  const { ask, listener } = await start();

  listener.serve((_req, res) => res.end('{"here":true}'));

  expect(await ask('/readyz')).toMatchObject({ status: 200, body: { here: true } });
});

for (const proxies of ['10.0.0.0/8, loopback', '::1/128', '::ffff:10.0.0.1/104', '2', 'none']) {
  test(`an application takes TRUST_PROXY=${proxies} as the settings do`, () => {
    const { settings } = loadSettings({ env: { TRUST_PROXY: proxies }, readFile: () => '' });

    expect(() => createApp(settings.trustProxy)).not.toThrow();
  });
}
