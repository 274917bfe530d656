import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { request } from 'undici';
import { expect, inject, test } from 'vitest';
import { expectScimError } from '../support/attack.ts';
import type { TestAnswer } from '../support/bridge.ts';
import { withTestBridge } from '../support/bridge.ts';
import { readMetrics } from '../support/metrics.ts';
import { addUser, toUser } from '../support/provider.ts';
import { sendRaw, toRequester } from '../support/send-raw.ts';
import { type BridgeProcess, startBridge } from '../support/server.ts';
import { createEmptyDatabase } from '../support/store-templates.ts';
import { withSlowness } from '../support/yardstick.ts';

const OPS_TOKEN = 'ops-token-0123456789';
/** A healthy process answers in milliseconds; this is what a busy machine may add. */
const HEALTH_MAX_MS = 2_000;

test('while there is too much to do requests of providers are 503 and nothing is done for them, health and operators are answered', () => {
  let isTooMuch = false;
  const findOverload = () => (isTooMuch ? ({ kind: 'delay', sinceMs: 1 } as const) : undefined);
  return withTestBridge({ settings: { OPS_TOKEN }, findOverload }, async (bridge) => {
    isTooMuch = true;
    const refused = await bridge.request('POST', '/Users', toUser('ada'));
    const unknown = await bridge.request('GET', '/Users', undefined, { authorization: 'Bearer x' });
    const health = await bridge.request('GET', new URL('/healthz', bridge.baseUrl).href);
    const ready = await bridge.request('GET', new URL('/readyz', bridge.baseUrl).href);
    const metrics = await readMetrics(bridge, OPS_TOKEN);
    isTooMuch = false;
    const { body } = await bridge.request('GET', '/Users?filter=userName sw "ada"');

    expectScimError(refused, 503);
    expect(refused.headers['retry-after']).toBe('5');
    expectScimError(unknown, 503);
    expect(health.status).toBe(200);
    expect(ready).toMatchObject({ status: 200, body: { status: 'degraded' } });
    expect(ready.body.reasons).toMatchObject([{ code: 'overloaded' }]);
    expect(metrics.get('requests_turned_away_total{reason="delay"}')).toBe(2);
    expect(body.totalResults).toBe(0);
  });
});

/** Asks for health until told to stop, and says how long each answer took, in milliseconds. */
async function watchHealth({ baseUrl }: BridgeProcess, isOver: () => boolean): Promise<number[]> {
  const durations: number[] = [];
  while (!isOver()) {
    const startedAt = performance.now();
    const { statusCode, body } = await request(new URL('/healthz', baseUrl));
    await body.dump();
    expect(statusCode).toBe(200);
    durations.push(performance.now() - startedAt);
    await sleep(5);
  }
  return durations.toSorted((a, b) => a - b);
}

async function withProcess(
  env: Record<string, string>,
  run: (bridge: BridgeProcess) => Promise<void>,
  start: { readonly command?: readonly string[] } = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'scim-bridge-overload-'));
  const fast = { UPSTREAM_REQUESTS_PER_SECOND: '0', SCIM_REQUESTS_PER_SECOND: '0' };
  const bridge = await startBridge({ folder, env: { OPS_TOKEN, ...fast, ...env }, ...start });
  try {
    await bridge.ready();
    await run(bridge);
  } finally {
    await bridge.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

test('a start that holds the event loop for seconds is no overload', () =>
  withProcess(
    {},
    async (bridge) => {
      await addUser(toRequester(bridge), 'ada');
      expect(bridge.output()).not.toContain('more is asked than this process can do');
    },
    { command: [fileURLToPath(new URL('../support/slow-start.ts', import.meta.url))] },
  ));

/** Resolves once a read is served again. */
async function untilServed(bridge: BridgeProcess): Promise<void> {
  const { request: send } = toRequester(bridge);
  while ((await send('GET', '/Users?count=1')).status !== 200) await sleep(20);
}

test('a process that is asked for more than it can refuses, goes on living, and is healthy afterwards', () =>
  withProcess({ SERVER_DELAY_MAX: '10ms' }, async (bridge) => {
    const { request: send } = toRequester(bridge);
    // Reading one of them takes many times as long as a turn should.
    const body = `[${'[],'.repeat(300_000)}[]]`;
    let isOver = false;
    const health = watchHealth(bridge, () => isOver);
    const answers: TestAnswer[] = [];

    const { slowness } = await withSlowness(async () => {
      await Promise.all(
        Array.from({ length: 40 }, async () => {
          while (!answers.some(({ status }) => status === 503)) {
            answers.push(await sendRaw(bridge, { method: 'POST', path: '/Users', body }));
          }
        }),
      );
      await untilServed(bridge);
    });
    await addUser({ request: send }, 'ada');
    isOver = true;

    for (const answer of answers.filter(({ status }) => status !== 400))
      expectScimError(answer, 503);
    const durations = await health;
    const slowMs = durations[Math.floor(durations.length * 0.99)] ?? Number.POSITIVE_INFINITY;
    expect(slowMs / slowness.wall).toBeLessThan(HEALTH_MAX_MS);
    const metrics = await readMetrics(bridge, OPS_TOKEN);
    expect(metrics.get('requests_turned_away_total{reason="delay"}')).toBeGreaterThan(0);
    expect(bridge.output()).toContain('"msg":"requests are served again"');
  }));

const postgresUrl = inject('postgresUrl');

test.skipIf(postgresUrl === undefined)(
  'a process that waits for its database refuses what comes, instead of keeping it waiting, and is healthy afterwards',
  async () => {
    const url = await createEmptyDatabase(postgresUrl ?? '', 'overloaded');
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    await withProcess({ DATABASE_URL: url }, async (bridge) => {
      const { request: send } = toRequester(bridge);
      await other.query('begin');
      await other.query('lock table users');
      // Whoever has a connection waits for the lock, all others for a connection.
      const waiting = Array.from({ length: 40 }, () => send('GET', '/Users?count=1'));
      await expect.poll(bridge.output).toContain('"kind":"store"');
      const refused = await send('GET', '/Users?count=1');
      const ready = await send('GET', new URL('/readyz', bridge.baseUrl).href);
      await other.query('commit');
      await untilServed(bridge);

      expectScimError(refused, 503);
      expect(refused.headers['retry-after']).toBe('5');
      expect(ready.body.reasons).toContainEqual(expect.objectContaining({ code: 'overloaded' }));
      await Promise.all(waiting);
      const metrics = await readMetrics(bridge, OPS_TOKEN);
      expect(metrics.get('requests_turned_away_total{reason="store"}')).toBeGreaterThan(0);
    });
    await other.end();
  },
);

/** A client that asks for a list and reads nothing of it. */
function askAndNotRead({ baseUrl, token }: BridgeProcess): Socket {
  const { hostname, port, pathname } = new URL(baseUrl);
  const socket = connect(Number(port), hostname).pause();
  const head = [`GET ${pathname}/Users HTTP/1.1`, 'Host: a', `Authorization: Bearer ${token}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  return socket;
}

const MEMORY_TEST = {
  SERVER_MEMORY_MAX: '120MiB',
  SERVER_DELAY_MAX: '0',
  SCIM_RESOURCE_BYTES_MAX: '1000000',
};

test('a process whose memory fills with answers that nobody reads refuses before it ends, and is healthy afterwards', () =>
  withProcess(MEMORY_TEST, async (bridge) => {
    const { request: send } = toRequester(bridge);
    const title = 'x'.repeat(900_000);
    // Far more than the kernel takes of an answer without a reader.
    for (let index = 0; index < 12; index += 1) {
      await addUser({ request: send }, `person${index}`, { title });
    }
    const sockets: Socket[] = [];

    let answer = await send('GET', '/Users?count=1');
    while (answer.status === 200) {
      sockets.push(askAndNotRead(bridge));
      answer = await send('GET', '/Users?count=1');
    }
    const health = await send('GET', new URL('/healthz', bridge.baseUrl).href);
    for (const socket of sockets) socket.destroy();
    await untilServed(bridge);

    expectScimError(answer, 503);
    expect(health.status).toBe(200);
    const metrics = await readMetrics(bridge, OPS_TOKEN);
    expect(metrics.get('requests_turned_away_total{reason="memory"}')).toBeGreaterThan(0);
  }));
