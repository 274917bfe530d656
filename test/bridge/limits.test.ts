import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { getHeapStatistics } from 'node:v8';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Clock } from '../../src/domain/clock.ts';
import type { JsonObject } from '../../src/domain/values.ts';
import { systemClock } from '../../src/telemetry/system-clock.ts';
import { expectScimError } from '../support/attack.ts';
import type { TestBridge } from '../support/bridge.ts';
import { bridgeForSuite, bridgeForTest, startTestBridge } from '../support/bridge.ts';
import { createLeapingClock } from '../support/leaping-clock.ts';
import { forSuite } from '../support/lifetimes.ts';
import { readMetrics } from '../support/metrics.ts';
import { toUser } from '../support/provider.ts';
import { sendRaw } from '../support/send-raw.ts';
import { makeProvider } from '../support/walled.ts';

/** As long as a test may take is less than a request of two hundred a second. */
const SLOWLY = 0.000_01;

async function readOften(bridge: TestBridge, count: number) {
  const answers = [];
  for (let index = 0; index < count; index += 1)
    answers.push(await bridge.request('GET', '/Users?count=1'));
  return answers;
}

const times = <T>(length: number, act: () => Promise<T>) =>
  Promise.all(Array.from({ length }, act));

function countStatus(answers: readonly { status: number }[], status: number): number {
  return answers.filter((answer) => answer.status === status).length;
}

test('one credential gets its rate, the rest is 429 with a whole Retry-After of at least 1, and a second later it goes on', async () => {
  const clock = createLeapingClock(SLOWLY);
  const settings = { SCIM_REQUESTS_PER_SECOND: '5' };
  const bridge = await bridgeForTest({ settings, clock });
  const answers = await readOften(bridge, 12);
  clock.leap(1_000);
  const later = await readOften(bridge, 6);

  const statuses = [...Array<number>(5).fill(200), ...Array<number>(7).fill(429)];
  expect(answers.map(({ status }) => status)).toEqual(statuses);
  for (const answer of answers.slice(5)) {
    expectScimError(answer, 429);
    expect(answer.headers['retry-after']).toBe('1');
  }
  expect(countStatus(later, 200)).toBe(5);
  expect((await readMetrics(bridge)).get('requests_turned_away_total{reason="rate"}')).toBe(8);
});

test('whoever has no valid token takes nothing from the rate of those who have one', async () => {
  const clock = createLeapingClock(SLOWLY);
  const bridge = await bridgeForTest({ settings: { SCIM_REQUESTS_PER_SECOND: '3' }, clock });
  for (const authorization of [undefined, 'Bearer of-nobody', 'Bearer of-nobody'])
    await bridge.request('GET', '/Users?count=1', undefined, { authorization });

  expect(countStatus(await readOften(bridge, 4), 200)).toBe(3);
});

async function beginPost(
  { baseUrl, token }: TestBridge,
  headers: readonly string[],
  start = '{',
): Promise<Socket> {
  const { hostname, port, pathname } = new URL(baseUrl);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const head = [
    `POST ${pathname}/Groups HTTP/1.1\r\nHost: bridge`,
    `Authorization: Bearer ${token}`,
  ];
  head.push('Content-Type: application/scim+json', ...headers);
  socket.write(`${head.join('\r\n')}\r\n\r\n${start}`);
  return socket;
}

const LARGEST = 8_388_608;

async function leaveRoom(bridge: TestBridge, bytes: number): Promise<Socket[]> {
  // Of one credential.
  const own = (3 / 4) * Math.max(getHeapStatistics().heap_size_limit / 20, 3 * LARGEST);
  const room = Math.floor(own) - bytes;
  const lengths = Array<number>(Math.floor(room / LARGEST)).fill(LARGEST);
  const begin = (length: number) => beginPost(bridge, [`Content-Length: ${length}`]);
  return Promise.all([...lengths, Math.floor(room % LARGEST)].map(begin));
}

test('bodies that together are more than memory has room for are 503, and smaller requests and those of others go on', async () => {
  const bridge = await bridgeForTest({});
  const sockets = await leaveRoom(bridge, 10);
  let answer = await bridge.request('POST', '/Users', toUser('ada'));
  for (let index = 1; answer.status !== 503; index += 1)
    answer = await bridge.request('POST', '/Users', toUser(`ada${index}`));
  const read = await bridge.request('GET', '/Users?count=1');
  const okta = await makeProvider(bridge, 'okta');
  await okta.addUser('bea');
  for (const socket of sockets) socket.destroy();
  while ((await bridge.request('GET', '/Users?count=1')).status !== 200);
  await bridge.addUser('grace');

  expectScimError(answer, 503);
  expect(answer.headers['retry-after']).toBe('1');
  expect(read.status).toBe(200);
  expect((await readMetrics(bridge)).get('requests_turned_away_total{reason="bodies"}')).toBe(1);
});

test('a body that does not say how long it is counts as it comes', async () => {
  const bridge = await bridgeForTest();
  const chunk = `${(1_000_000).toString(16)}\r\n${' '.repeat(1_000_000)}\r\n`;
  const sockets = await leaveRoom(bridge, 1_100_000);
  const begin = () => beginPost(bridge, ['Transfer-Encoding: chunked'], chunk);
  const two = [await begin(), await begin()];

  const [refusal] = (await Promise.race(two.map((socket) => once(socket, 'data')))) as [Buffer];
  await bridge.addUser('grace');
  for (const socket of [...sockets, ...two]) socket.destroy();

  expect(refusal.toString()).toMatch(/^HTTP\/1\.1 503 /);
});

test('a body that says it is too large is refused before any of it is read', async () => {
  const socket = await beginPost(await bridgeForTest(), ['Content-Length: 999999999']);

  const [answer] = (await once(socket, 'data')) as [Buffer];
  socket.destroy();

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /);
});

test('a body that never says its length is refused before it ends, and its end fails nothing', async () => {
  const faults: unknown[] = [];
  const onLog = ({ error }: JsonObject) => void (error && faults.push(error));
  const bridge = await bridgeForTest({ onLog });
  const chunk = `${(LARGEST + 1).toString(16)}\r\n${' '.repeat(LARGEST + 1)}\r\n`;
  const socket = await beginPost(bridge, ['Transfer-Encoding: chunked'], chunk);

  const [refusal] = (await once(socket, 'data')) as [Buffer];
  socket.write('0\r\n\r\nGET / HTTP/1.1\r\nHost: bridge\r\nConnection: close\r\n\r\n');

  expect(refusal.toString()).toMatch(/^HTTP\/1\.1 413 /);
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 404 /);
  expect(faults).toEqual([]);
});

test('operators who ask too fast are 429, and in a second go on', async () => {
  const clock = createLeapingClock(SLOWLY);
  const bridge = await bridgeForTest({ clock });
  const ask = () => bridge.ops('GET', '/providers');
  const answers = await times(200, ask);
  answers.push(await ask());
  clock.leap(1_000);

  expect(countStatus(answers, 200)).toBe(200);
  expect(answers.at(-1)).toMatchObject({ status: 429, body: { code: 'too-many' } });
  expect(answers.at(-1)?.headers['retry-after']).toBe('1');
  expect((await ask()).status).toBe(200);
});

// However slow the machine is, a flood is one within a second.
const bridge = bridgeForSuite({ clock: createLeapingClock(SLOWLY) });
const tokens = new Map<string, string>();
const sockets: Socket[] = [];
beforeAll(async () => {
  const purposes = { reader: 'reader', metrics: 'metrics', slow: 'reader' };
  for (const [name, purpose] of Object.entries(purposes)) {
    const { body } = await bridge.ops('POST', '/tokens', { name, for: purpose });
    tokens.set(name, String(body.token));
  }
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
});

const ask = async (purpose: string, path: string) => {
  const headers = { authorization: `Bearer ${tokens.get(purpose)}` };
  const { statusCode, body } = await request(new URL(path, bridge.baseUrl), { headers });
  await body.dump();
  return statusCode;
};

function openGet(purpose: string, path: string) {
  const { hostname, port } = new URL(bridge.baseUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  const head = `GET ${path} HTTP/1.1\r\nhost: bridge\r\nauthorization: Bearer ${tokens.get(purpose)}`;
  return { socket, head };
}

async function askWithoutEnd(path: string): Promise<string> {
  const { socket, head } = openGet('slow', path);
  socket.write(`${head}\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n`);
  const [data] = await once(socket, 'data');
  return String(data).split('\r\n', 1)[0] ?? '';
}

async function flood(purpose: string, path: string, count: number): Promise<string[]> {
  const { socket, head } = openGet(purpose, path);
  socket.write(`${head}\r\n\r\n`.repeat(count - 1));
  socket.write(`${head}\r\nconnection: close\r\n\r\n`);
  return [...(await text(socket)).matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status = '']) => status);
}

test('a flood of a reader or of the metrics keeps no operator out', async () => {
  expect(await flood('metrics', '/metrics', 300)).toContain('429');
  expect(await flood('reader', '/ops/nowhere', 300)).toContain('429');
  const asOperator = await times(40, () => bridge.ops('GET', '/providers'));
  expect(countStatus(asOperator, 200)).toBe(40);
});

test('what a token may not ask for takes no place', async () => {
  const statuses = await times(250, () => ask('metrics', '/ops/providers'));
  expect(new Set(statuses)).toEqual(new Set([403]));
  expect(await ask('metrics', '/ops/nowhere')).toBe(403);
});

test('a GET with a body is refused before that ends', async () => {
  const answers = await times(120, () => askWithoutEnd('/ops/providers'));
  expect(answers.filter((line) => !/ 400 /.test(line))).toEqual([]);
  expect(await ask('slow', '/ops/providers')).toBe(200);
});

const MESSAGE = 'requests presented no valid credentials';

/** Presents something wrong at each of the three places. */
const authorization = 'Bearer wrong';
const PLACES = {
  scim: (bridge: TestBridge) => bridge.request('GET', '/Users', undefined, { authorization }),
  ops: (bridge: TestBridge) => {
    const url = new URL('/ops/status', bridge.baseUrl).href;
    return bridge.request('GET', url, undefined, { authorization });
  },
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
    const bridge = await bridgeForTest({ onLog, clock });
    const fail = () => PLACES[place](bridge);
    const first = await Promise.all([fail(), fail(), fail()]);
    const state = { isAnswered: false };
    const slowed = Promise.all([fail(), fail(), fail()]).finally(() => {
      state.isAnswered = true;
    });
    await expect.poll(() => clock.begun).toHaveLength(3);
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
    const metrics = await readMetrics(bridge);
    expect(metrics.get(`authentication_failures_total{place="${place}",status="401"}`)).toBe(6);
    const lines = log.filter(({ msg }) => msg === MESSAGE);
    expect(lines).toMatchObject([{ place, remoteAddress: '127.0.0.1', attempts: 1 }]);
    expect(JSON.stringify(log)).not.toContain('wrong');
  },
);

describe('last errors', () => {
  const bridge = forSuite(async () => {
    // As elsewhere: in tests Express is silent by itself.
    vi.stubEnv('NODE_ENV', 'production');
    return startTestBridge({ onLog: (line) => void log.push(line) });
  });
  const log: JsonObject[] = [];
  beforeAll(async () => {
    vi.unstubAllEnvs();
  });

  test.each([
    ['POST', '/console/session', '{"token": "a-secret-of-somebody"', 400],
    ['POST', '/console/session', 'x\n{"level":"info","msg":"forged"}', 400],
    ['POST', '/console/session', '"a-secret-of-somebody"', 400],
    ['POST', '/console/session', `{"token": "${'x'.repeat(5_000)}"}`, 413],
    ['GET', '/console/assets/%ff', undefined, 400],
    ['GET', '/console/%e0%a4%a', undefined, 400],
    ['POST', '/ops/tokens/%ff/revoke', '{}', 401],
    ['GET', '/scim/v2/Users/%ff', undefined, 400],
    ['POST', '/oauth/token', '%', 401],
  ] as const)(
    '%s %s with %s is answered with JSON, and nothing of it is written anywhere',
    async (method, path, body, status) => {
      const written = vi.spyOn(process.stderr, 'write');
      const told = vi.spyOn(console, 'error').mockReturnValue();
      const kind = path.startsWith('/oauth') ? 'x-www-form-urlencoded' : 'json';
      const answer = await sendRaw(bridge, {
        ...{ method, path: new URL(path, bridge.baseUrl).href },
        ...(body === undefined ? {} : { body }),
        headers: { 'x-scim-bridge-console': '1', 'content-type': `application/${kind}` },
      });
      const isSilent = written.mock.calls.length === 0 && told.mock.calls.length === 0;
      written.mockRestore();
      told.mockRestore();

      expect(answer.status).toBe(status);
      expect(answer.headers['content-type']).toMatch(/json/);
      expect(answer.text).not.toMatch(/<html|node_modules|\n +at /);
      expect(isSilent).toBe(true);
      expect(JSON.stringify(log)).not.toMatch(/a-secret|forged|xxxx/);
    },
  );
});
